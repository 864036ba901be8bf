import Comparison

/// The set-ups that the book knows, in the order of its chapters.
public enum ChapterSetups {
  public static let all: [any StackSetup.Type] = [
    ManualSetup.self, CallbackSetup.self, ContainerSetup.self, BackgroundSetup.self, ControllerSetup.self,
    AwaitedControllerSetup.self, EnqueueSetup.self, ParentChildSetup.self, ActorSetup.self,
  ]
}
