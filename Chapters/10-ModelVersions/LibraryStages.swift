import CoreData

/// All versions as the stages of one migration, which the store goes through when it is opened.
public final class LibraryStages {
  public let manager: NSStagedMigrationManager
  /// By the address of the book, which the step between the handlers does not change.
  private var writers: [URL: String] = [:]

  //> stages
  public init() throws {
    let plain = NSLightweightMigrationStage(
      try [LibraryVersion.one, .two, .three].map { try $0.model.versionChecksum })
    plain.label = "up to version 3"

    let authors = NSCustomMigrationStage(
      migratingFrom: try Self.reference(to: .three), to: try Self.reference(to: .four))
    authors.label = "writers become authors"

    manager = NSStagedMigrationManager([plain, authors])
    authors.willMigrateHandler = { [unowned self] manager, _ in
      try rememberWriters(manager.container)
    }
    authors.didMigrateHandler = { [unowned self] manager, _ in
      try makeAuthors(manager.container)
    }
  }

  private static func reference(
    to version: LibraryVersion
  ) throws -> NSManagedObjectModelReference {
    let model = try version.model
    return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
  }
  //< stages

  //> handlers
  /// Version 3 is open: the last chance to read what version 4 has no place for.
  private func rememberWriters(_ container: NSPersistentContainer?) throws {
    guard let context = container?.newBackgroundContext() else { return }
    try context.performAndWait {
      for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
        writers[book.objectID.uriRepresentation()] = book.value(forKey: "writer") as? String
      }
    }
  }

  /// Version 4 is open, and its authors are still to be made.
  private func makeAuthors(_ container: NSPersistentContainer?) throws {
    guard let context = container?.newBackgroundContext() else { return }
    try context.performAndWait {
      var authors: [String: NSManagedObject] = [:]
      let order = NSSortDescriptor(key: "title", ascending: true)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [order]
      for book in try context.fetch(request) {
        guard let writer = writers[book.objectID.uriRepresentation()] else { continue }
        let author =
          authors[writer]
          ?? NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
        author.setValue(writer, forKey: "name")
        authors[writer] = author
        book.setValue(author, forKey: "author")
      }
      try context.save()
    }
  }
  //< handlers
}
