import CoreData

/// The library's file, opened with one version of the model.
public struct LibraryStore {
  public static let name = "Library.sqlite"

  public let container: NSPersistentContainer
  public var context: NSManagedObjectContext { container.viewContext }

  //> open
  /// - Parameters:
  ///   - migrates: Whether a file of another version may be brought to this one.
  ///   - configure: Sets whatever else the store's description needs.
  /// - Throws: What `loadPersistentStores` says.
  public init(
    at url: URL, version: LibraryVersion, migrates: Bool = false,
    configure: (NSPersistentStoreDescription) -> Void = { _ in }
  ) throws {
    try self.init(at: url, model: version.model, migrates: migrates, configure: configure)
  }

  public init(
    at url: URL, model: NSManagedObjectModel, migrates: Bool = false,
    configure: (NSPersistentStoreDescription) -> Void = { _ in }
  ) throws {
    let description = NSPersistentStoreDescription(url: url)
    // Both are true unless you say otherwise: a container migrates what it can.
    description.shouldMigrateStoreAutomatically = migrates
    description.shouldInferMappingModelAutomatically = migrates
    configure(description)
    container = NSPersistentContainer(name: "Library", managedObjectModel: model)
    container.persistentStoreDescriptions = [description]
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }
  //< open

  /// Takes the file off the coordinator, so that it can be migrated or copied.
  public func close() throws {
    context.reset()
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  //> first-books
  /// A store of version 1 with a few books.
  public static func makeFirstVersion(at url: URL) throws {
    let store = try LibraryStore(at: url, version: .one)
    let books: [(title: String, writer: String?, year: Int16?)] = [
      ("Emma", "Jane Austen", 1815), ("Persuasion", "Jane Austen", 1817),
      ("Middlemarch", "George Eliot", 1871), ("Beowulf", nil, nil),
      ("Dracula", "Bram Stoker", 1897),
    ]
    for book in books {
      let object = NSEntityDescription.insertNewObject(
        forEntityName: "Book", into: store.context)
      object.setValue(book.title, forKey: "title")
      object.setValue(book.writer, forKey: "writer")
      object.setValue(book.year, forKey: "year")
      // One at a time, so that the keys in the file are in this order on every run.
      try store.context.save()
    }
    try store.close()
  }
  //< first-books
}
