import CoreData
import Foundation

/// A stack for one test in a folder of its own, which goes with it.
final class Pantry {
  let folder: URL
  let container: PantryContainer

  init(inMemory: Bool = false) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("idioms-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    container = PantryContainer(folder: folder, inMemory: inMemory)
    try container.load()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }

  /// A context on a private queue, made as a client's extension makes it.
  func context() -> NSManagedObjectContext {
    NSManagedObjectContext(coordinator: coordinator, type: .privateQueueConcurrencyType)
  }

  /// What the store has, read with a context of its own.
  func names() throws -> [String] {
    let context = context()
    return try context.performAndWait { try Recipe.all(in: context, sortedBy: "name").map(\.name) }
  }
}

extension NSManagedObjectContext {
  @discardableResult
  func recipe(_ name: String, slug: String? = nil) -> Recipe {
    let recipe = Recipe(context: self)
    recipe.name = name
    recipe.slug = slug ?? name.lowercased()
    return recipe
  }
}
