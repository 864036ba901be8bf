import Comparison
import CoreData
import EnqueueWriterChapter

private let folder = "Chapters/07-EnqueueWriter"
private let managerFile = "\(folder)/CoreDataManager.swift"

/// Chapter 7: all writes go through one queue.
public final class EnqueueSetup: StackSetup {
  public nonisolated static let info = SetupInfo(
    id: "enqueue", title: "Enqueue writer",
    summary: "A container; blocks wait in one queue, each gets a context of its own, and the view context only reads.",
    chapter: 7, folder: folder, modelName: "EnqueueWriter", storeName: CoreDataManager.storeName,
    steps: [
      SetupStep(.model, note: "The container finds it by its name."),
      SetupStep(.coordinator, note: "The container makes it."),
      SetupStep(.store, [.region("set-up", in: managerFile)]),
      SetupStep(.context, [.region("view-context", in: managerFile)]),
      SetupStep(.errors, [.symbol("CoreDataManager.report(_:)", in: managerFile)]),
      SetupStep(.saving, [.region("save-if-needed", in: "\(folder)/NSManagedObjectContext+SaveIfNeeded.swift")]),
      SetupStep(
        .writing,
        [
          .region("writer-queue", in: managerFile), .region("enqueue", in: managerFile),
          .region("enqueue-async", in: managerFile),
          .region("group", in: "\(folder)/CoreDataManager+GroupCommit.swift"),
        ]),
      SetupStep(.testing, note: "The folder is a parameter; waitUntilWritten() waits for the queue."),
    ])

  private let manager: CoreDataManager
  public var viewContext: NSManagedObjectContext { manager.viewContext }

  public init(folder: URL) async throws {
    manager = CoreDataManager(folder: folder)
    if let failure = manager.loadingFailure {
      throw SurfacedError(failure, .property, at: "CoreDataManager.loadingFailure")
    }
  }

  public func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    try await calling("CoreDataManager.enqueue(_:)") { [manager] in
      _ = try await manager.enqueue { try block($0) } as Void
    }
  }

  /// In this set-up the view context is meant for reading. A program that edits in it has to save it itself.
  public func saveView() async throws { try calling("save()") { _ = try viewContext.saveIfNeeded() } }

  public func close() async throws {
    // Waits for the writer in the background, because the writer may need the main queue.
    try await Task.detached { [manager] in try manager.close() }.value
  }
}
