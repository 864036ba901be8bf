import Foundation
import Testing

@testable import CoreData

private func coverModel() -> NSManagedObjectModel {
  let cover = attribute("cover", .binaryDataAttributeType)
  cover.allowsExternalBinaryDataStorage = true
  return model([entity("Book", [attribute("title"), cover])])
}

/// A store of books in a folder of its own, whose covers lie in files.
final class Covers {
  let folder = StoreFolder()
  let name = "Books.sqlite"
  var url: URL { folder.file(name) }
  var files: ExternalFiles { ExternalFiles(store: url) }

  /// One model for all coordinators of a test.
  let model = coverModel()

  static func cover(_ byte: UInt8) -> Data { Data(repeating: byte, count: 200_000) }

  /// A coordinator with the store, for a body that leaves it open.
  func coordinator(_ options: [AnyHashable: Any]? = nil) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    return coordinator
  }

  /// Opens the store, runs a body on a context of it, and closes it.
  @discardableResult
  func open<Result>(
    _ options: [AnyHashable: Any]? = nil, _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    try folder.open(.sqlite, name, model, options: options) { try body($1) }
  }

  /// Makes a book for each byte, with a cover of that, called by it.
  func fill(_ bytes: UInt8...) throws {
    try open { context in
      for byte in bytes { context.new("Book", ["title": "\(byte)", "cover": Covers.cover(byte)]) }
      try context.save()
    }
  }

  /// The values' files that there are.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: files.folder.path)) ?? []).sorted()
  }

  /// The name in the column of a book.
  func column(_ title: String) throws -> String? {
    try sql("SELECT CAST(SUBSTR(ZCOVER, 2, 36) AS TEXT) FROM ZBOOK WHERE ZTITLE = '\(title)'").first?[0]
  }

  /// Runs a statement on the file with SQLite alone.
  @discardableResult
  func sql(_ text: String) throws -> [[String?]] {
    try Connection(path: url.path, options: Connection.Options()).rows(text)
  }

  /// Removes the file of a book's cover, and says where it was.
  @discardableResult
  func lose(_ title: String) throws -> URL {
    let file = files.file(try column(title) ?? "")
    try FileManager.default.removeItem(at: file)
    return file
  }

  /// What waits to be removed has been looked at.
  static func settle() { ExternalStorage.queue.sync {} }

  /// Where an older state is still being read, its files go when that ends: so this looks again for a while.
  static func settle(until isSettled: @autoclosure () -> Bool) {
    settle()
    for _ in 0..<1000 where !isSettled() {
      usleep(5_000)
      settle()
    }
  }
}

extension NSManagedObjectContext {
  func book(_ title: String) throws -> NSManagedObject {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == %@", title)
    guard let book = try fetch(request).first else { throw Unexpected("no book \(title)") }
    return book
  }
}

extension NSManagedObject {
  var cover: UInt8? { (self["cover"] as? Data)?.first }
}
