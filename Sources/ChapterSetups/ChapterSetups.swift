import Comparison

/// The set-ups that the book knows, in the order of its chapters.
public enum ChapterSetups {
  /// The set-ups that chapter 8 compares.
  public static let all: [any ComparedSetup.Type] = [
    ManualSetup.self, CallbackSetup.self, ContainerSetup.self, BackgroundSetup.self, ControllerSetup.self,
    AwaitedControllerSetup.self, EnqueueSetup.self, ParentChildSetup.self, ActorSetup.self,
  ]

  /// The set-ups that run only when they are named, because a reader of chapter 8 doesn't know them yet.
  public static let later: [any ComparedSetup.Type] = [SwiftDataSetup.self, ServerSetup.self]
}
