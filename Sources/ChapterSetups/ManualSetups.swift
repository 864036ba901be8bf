import Comparison
import CoreData
import ManualStackChapter

private let folder = "Chapters/01-ManualStack"
private let stackFile = "\(folder)/CoreDataStack.swift"
private let callbackFile = "\(folder)/CallbackStack.swift"

/// Chapter 1: four lazy properties, and one context on the main queue.
public final class ManualSetup: ViewContextSetup {
  public nonisolated static let info = SetupInfo(
    id: "manual", title: "Manual", summary: "Four objects made by hand; one context, on the main queue, does it all.",
    chapter: 1, folder: folder, modelName: "SingleViewCoreData", storeName: CoreDataStack.storeName,
    steps: [
      SetupStep(.model, [.region("model", in: stackFile)]),
      SetupStep(.coordinator, [.region("coordinator", in: stackFile)]),
      SetupStep(.store, [.region("directory", in: stackFile)], note: "Added where the coordinator is made."),
      SetupStep(.context, [.region("context", in: stackFile)]),
      SetupStep(.errors, [.region("failure", in: stackFile)]),
      SetupStep(.saving, [.region("save", in: stackFile)]),
      SetupStep(.writing, note: "There is no other context: the main queue writes."),
      SetupStep(.testing, [.symbol("CoreDataStack.init(folder:storeType:)", in: stackFile)]),
    ])

  private let stack: CoreDataStack
  public let viewContext: NSManagedObjectContext

  public init(folder: URL) async throws {
    stack = CoreDataStack(folder: folder)
    viewContext = stack.managedObjectContext
    if let failure = stack.loadingFailure {
      throw SurfacedError(failure, .property, at: "CoreDataStack.loadingFailure")
    }
  }

  public func saveView() async throws { try calling("CoreDataStack.saveContext()") { try stack.saveContext() } }

  public func close() async throws { try stack.close() }
}

/// Chapter 1: the same objects made by hand, with the store added in the background.
public final class CallbackSetup: ViewContextSetup {
  public nonisolated static let info = SetupInfo(
    id: "callback", title: "Manual, callback",
    summary: "By hand; the store comes on a background queue, a callback says when; one context, on the main queue.",
    chapter: 1, folder: folder, modelName: "SingleViewCoreData", storeName: CoreDataStack.storeName,
    steps: [
      SetupStep(.model, [.region("callback", in: callbackFile)]),
      SetupStep(.coordinator, note: "Made in the same initializer."),
      SetupStep(.store, note: "Added in the same initializer, on a background queue."),
      SetupStep(.context, note: "Made in the same initializer."),
      SetupStep(.errors, note: "The callback gets a Result."),
      SetupStep(.saving, note: "The program calls save() on the context."),
      SetupStep(.writing, note: "There is no other context: the main queue writes."),
      SetupStep(.testing, note: "The store's URL is a parameter."),
    ])

  private let stack: CallbackStack
  public var viewContext: NSManagedObjectContext { stack.managedObjectContext }

  public init(folder: URL) async throws {
    let url = folder.appendingPathComponent(Self.info.storeName)
    var made: CallbackStack?
    _ = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<NSPersistentStore, any Error>) in
      do {
        made = try CallbackStack(storeURL: url) { result in
          continuation.resume(
            with: result.mapError { SurfacedError($0, .handler, at: "CallbackStack's completion") as any Error })
        }
      } catch {
        continuation.resume(throwing: SurfacedError(error, .thrown, at: "CallbackStack.init"))
      }
    }
    guard let made else { preconditionFailure("A store was added for a stack.") }
    stack = made
  }

  public func close() async throws {
    viewContext.reset()
    for store in stack.persistentStoreCoordinator.persistentStores {
      try stack.persistentStoreCoordinator.remove(store)
    }
  }
}
