import CoreData

/// One file, opened with one model: the set-up of this chapter, which is about the file and not about the stack.
public struct FileStack {
  public let container: NSPersistentContainer
  public var context: NSManagedObjectContext { container.viewContext }

  //> open
  /// - Parameter keepsHistory: Whether each save records in the file what it did.
  /// - Throws: What `loadPersistentStores` says.
  public init(at url: URL, model: NSManagedObjectModel, keepsHistory: Bool = false) throws {
    let description = NSPersistentStoreDescription(url: url)
    // Refuse a file of another model here; don't change it.
    description.shouldMigrateStoreAutomatically = false
    if keepsHistory {
      description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    }
    let name = url.deletingPathExtension().lastPathComponent
    container = NSPersistentContainer(name: name, managedObjectModel: model)
    container.persistentStoreDescriptions = [description]
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }
  //< open

  /// Takes the store off the coordinator. The last connection to a file writes the log back into it
  /// and removes the log, so that afterwards the one file holds everything.
  public func close() throws {
    context.reset()
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}

/// The models of this chapter.
public enum FileModel: String, Sendable {
  /// Of our own drawing, with one of everything that a file can hold.
  case museum = "Museum"
  /// The entities and properties of a store that Apple's framework wrote; see `AppleStore`.
  case weblog = "Weblog"

  /// A new copy each time, so that you may change it.
  public func load() throws -> NSManagedObjectModel {
    guard let url = Bundle.main.url(forResource: rawValue, withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { throw FileFailure("The program has no usable \(rawValue).momd beside it.") }
    return model
  }
}

/// What went wrong, in a sentence.
public struct FileFailure: LocalizedError {
  public let sentence: String

  public init(_ sentence: String) { self.sentence = sentence }

  public var errorDescription: String? { sentence }
}
