import CoreData
import StoreFileReader

/// The stores that set-ups open. Each is made once with a plain coordinator and then copied, so that all set-ups open
/// the same content.
struct StoreFixtures {
  let folder: URL

  init(in folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// What a set-up finds.
  enum Fixture: Hashable {
    case books(Int)
    case olderModel(Int)
    case otherModel(Int)
    /// A text where the store should be.
    case text

    /// A store's model and how many books it has; nil for what is no store.
    func content() throws -> (NSManagedObjectModel, Int)? {
      switch self {
      case .books(let count): (try StoreFixtures.model(), count)
      case .olderModel(let count): (try StoreFixtures.olderModel(), count)
      case .otherModel(let count): (try StoreFixtures.otherModel(), count)
      case .text: nil
      }
    }
  }

  /// The file of a fixture, made once.
  func file(_ fixture: Fixture) throws -> URL {
    guard let (model, count) = try fixture.content() else { return try text() }
    let url = folder.appendingPathComponent("\(fixture).sqlite")
    if !FileManager.default.fileExists(atPath: url.path) {
      try Self.fill(url, type: NSSQLiteStoreType, model: model, count: count)
    }
    return url
  }

  /// An older model without `stock`. A lightweight migration would add it.
  private static func olderModel() throws -> NSManagedObjectModel {
    let model = try Self.model().copy() as! NSManagedObjectModel
    let book = model.entitiesByName["Book"]!
    book.managedObjectClassName = "NSManagedObject"
    book.properties = book.properties.filter { $0.name != "stock" }
    return model
  }

  /// Another model, in which `pages` is a string. No mapping can be inferred for that.
  private static func otherModel() throws -> NSManagedObjectModel {
    let model = try Self.model().copy() as! NSManagedObjectModel
    let book = model.entitiesByName["Book"]!
    book.managedObjectClassName = "NSManagedObject"
    let pages = book.attributesByName["pages"]!
    pages.defaultValue = "0"
    pages.attributeType = .stringAttributeType
    return model
  }

  private func text() throws -> URL {
    let url = folder.appendingPathComponent("text.sqlite")
    try Data("A list of books: one on logic, two on bees, none of them a database.\n".utf8).write(to: url)
    return url
  }

  /// The compiled model of ``Book``.
  static func modelURL() throws -> URL {
    guard let url = Bundle.main.url(forResource: "Books", withExtension: "momd") else {
      throw ComparisonFailure("The compiled model Books.momd is missing from this program's resources.")
    }
    return url
  }

  private static func model() throws -> NSManagedObjectModel {
    guard let model = NSManagedObjectModel(contentsOf: try modelURL()) else {
      throw ComparisonFailure("The compiled model Books.momd cannot be read.")
    }
    return model
  }

  /// Makes a store with books in it.
  static func fill(_ url: URL, type: String, model: NSManagedObjectModel, count: Int) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: url, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      for number in 0..<count {
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        book.setValue(Book.isbn(number), forKey: "isbn")
        book.setValue("The book of number \(number), and what it counts", forKey: "title")
      }
      try context.save()
    }
    try coordinator.remove(store)
  }
}

extension FaultOutcome.FileState {
  /// Reads a store's file through a connection of its own, without Core Data.
  init(at url: URL, rowsBefore: Int?) {
    do {
      let reader = try StoreFileReader(contentsOf: url)
      let integrity = try reader.rows("PRAGMA integrity_check").map { $0[0].description }.joined(separator: "; ")
      let hasBooks = try reader.tables().contains("ZBOOK")
      self.init(
        rowsBefore: rowsBefore, rowsAfter: hasBooks ? try reader.rowCount(of: "ZBOOK") : nil, integrity: integrity,
        detail: hasBooks ? nil : "the table is gone")
    } catch let error as StoreFileError {
      let reason = error.reason.replacingOccurrences(of: #" \(in `.*"#, with: "", options: .regularExpression)
      self.init(rowsBefore: rowsBefore, integrity: reason)
    } catch {
      self.init(rowsBefore: rowsBefore, integrity: error.localizedDescription)
    }
  }

  /// The pages of a book, for the fault in which two writers change them.
  static func pages(ofBook number: Int, at url: URL) -> Int? {
    let rows = try? StoreFileReader(contentsOf: url).rows(
      "SELECT ZPAGES FROM ZBOOK WHERE ZISBN = '\(Book.isbn(number))'")
    return rows?.first?[0].integer.map(Int.init)
  }
}
