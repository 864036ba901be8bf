import Foundation

/// The store files of one size, in a folder of their own.
///
/// All variants read the same store, so that its rows and pages are laid out alike for all. Strata's driver writes it;
/// the C driver if Strata's is not built.
struct Stores {
  let folder: URL
  let drivers: Drivers
  let size: Int

  private var books: URL { folder.appendingPathComponent("books.sqlite") }
  private var indexedBooks: URL { folder.appendingPathComponent("indexed-books.sqlite") }
  private var volumes: URL { folder.appendingPathComponent("volumes.sqlite") }

  /// Makes the stores from which the operations start.
  func prepare(for operations: [Operation], writer: Variant) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    [books, indexedBooks, volumes].forEach(remove)
    if operations.contains(where: { !$0.isOfVolumes }) {
      _ = try drivers.run(writer, "insert", size: size, store: books)
      try copy(books, to: indexedBooks)
      _ = try drivers.run(.c, "addindex", size: size, store: indexedBooks)
    }
    if operations.contains(where: \.isOfVolumes) {
      _ = try drivers.run(writer, "relate", size: size, store: volumes)
    }
  }

  /// The store that an operation starts from. Drivers that change it get one of their own.
  func store(for operation: Operation, _ variant: Variant) throws -> URL {
    let own = folder.appendingPathComponent("\(operation.name)-\(variant.rawValue).sqlite")
    switch operation.start {
    case .books: return books
    case .indexedBooks: return indexedBooks
    case .nothing, .otherStore, .noVolumes:
      remove(own)
      return own
    case .copyOfBooks, .copyOfBooksToMigrate, .copyOfVolumes:
      remove(own)
      try copy(operation.isOfVolumes ? volumes : books, to: own)
      return own
    }
  }

  /// Removes a store that `store(for:_:)` made for one call; the common ones stay.
  func removeOwn(_ store: URL) {
    if store != books && store != indexedBooks { remove(store) }
  }

  private func remove(_ store: URL) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: store.path + suffix)
    }
  }

  private func copy(_ store: URL, to copy: URL) throws {
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.path + suffix) {
      try FileManager.default.copyItem(atPath: store.path + suffix, toPath: copy.path + suffix)
    }
  }
}
