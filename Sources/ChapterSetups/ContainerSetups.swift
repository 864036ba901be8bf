import Comparison
import ContainerStackChapter
import CoreData

private let folder = "Chapters/04-ContainerStack"
private let stackFile = "\(folder)/NotesStack.swift"

private func steps(_ writing: SetupStep) -> [SetupStep] {
  [
    SetupStep(.model, note: "The container finds it by its name."),
    SetupStep(.coordinator, note: "The container makes it."),
    SetupStep(.store, [.region("container", in: stackFile)]),
    SetupStep(.context, [.region("view-context", in: stackFile)]),
    SetupStep(.errors, note: "The handler keeps the error in loadingFailure."),
    SetupStep(.saving, [.region("save", in: stackFile)]),
    writing,
    SetupStep(.testing, [.symbol("NotesStack.init(folder:)", in: stackFile)]),
  ]
}

/// Chapter 4: a container. The program uses only its view context.
public final class ContainerSetup: ViewContextSetup {
  public nonisolated static let info = SetupInfo(
    id: "container", title: "Container", summary: "A container makes the objects; the view context does it all.",
    chapter: 4, folder: folder, modelName: "ContainerStack", storeName: NotesStack.storeName,
    steps: steps(SetupStep(.writing, note: "The view context writes, on the main queue.")))

  private let stack: OpenedNotesStack
  public var viewContext: NSManagedObjectContext { stack.viewContext }

  public init(folder: URL) async throws { stack = try OpenedNotesStack(folder: folder) }

  public func saveView() async throws { try stack.save() }

  public func close() async throws { try stack.stack.close() }
}

/// Chapter 4: the same container, with writes in background tasks.
public final class BackgroundSetup: StackSetup {
  public nonisolated static let info = SetupInfo(
    id: "background", title: "Background task",
    summary: "A container; each write has a new context on a queue of its own, and the view context merges.",
    chapter: 4, folder: folder, modelName: "ContainerStack", storeName: NotesStack.storeName,
    steps: steps(SetupStep(.writing, [.region("background", in: stackFile)])))

  private let stack: OpenedNotesStack
  public var viewContext: NSManagedObjectContext { stack.viewContext }

  public init(folder: URL) async throws { stack = try OpenedNotesStack(folder: folder) }

  public func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    try await calling("NotesStack.performInBackground(_:)") { [stack = stack.stack] in
      try await stack.performInBackground(block)
    }
  }

  public func saveView() async throws { try stack.save() }

  public func close() async throws { try stack.stack.close() }
}

/// The stack of chapter 4 with its store loaded, which the two set-ups share.
@MainActor
private final class OpenedNotesStack {
  let stack: NotesStack
  let viewContext: NSManagedObjectContext

  init(folder: URL) throws {
    stack = NotesStack(folder: folder)
    viewContext = stack.viewContext
    if let failure = stack.loadingFailure { throw SurfacedError(failure, .property, at: "NotesStack.loadingFailure") }
  }

  func save() throws { _ = try calling("NotesStack.saveContext()") { try stack.saveContext() } }
}
