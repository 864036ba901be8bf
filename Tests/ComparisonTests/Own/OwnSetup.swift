import Comparison
import CoreData

/// A set-up as a reader may bring one: a container, one background context for all that is written.
///
///     swift run -c release compare background enqueue --with Tests/ComparisonTests/Own/OwnSetup.swift
final class OwnSetup: StackSetup {
  static let info = SetupInfo(
    id: "own", title: "One background context", summary: "A container; one background context writes everything.",
    modelName: "Own", storeName: "Own.sqlite")

  private let container = NSPersistentContainer(name: OwnSetup.info.modelName)
  private let background: NSManagedObjectContext
  var viewContext: NSManagedObjectContext { container.viewContext }

  init(folder: URL) async throws {
    let url = folder.appendingPathComponent(Self.info.storeName)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    background = container.newBackgroundContext()
    if let failure { throw failure }
    container.viewContext.automaticallyMergesChangesFromParent = true
  }

  func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    try await background.perform { [background] in
      do {
        try block(background)
        try background.save()
      } catch {
        background.rollback()
        throw error
      }
    }
  }

  func saveView() async throws {
    if viewContext.hasChanges { try viewContext.save() }
  }

  func close() async throws {
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }
}
