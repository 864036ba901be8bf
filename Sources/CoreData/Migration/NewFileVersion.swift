import Foundation

/// The new version of a store that is a file: in a folder beside it.
final class NewFileVersion: NewVersion {
  private let store: URL
  private let storeClass: NSPersistentStore.Type
  private let folder: MigrationFolder
  private let replacement: any FileReplacement

  init(of store: URL, _ storeClass: NSPersistentStore.Type, _ options: [AnyHashable: Any]?) throws {
    self.store = store
    self.storeClass = storeClass
    MigrationFolder.removeAbandoned(beside: store)
    folder = try MigrationFolder(beside: store)
    do {
      // A class of the program's own keeps its store in one file, or folder, at its URL.
      replacement =
        try (storeClass as? any FileOperating.Type)?.replacement(of: store, options) ?? RenamedFile(url: store)
    } catch {
      folder.remove()
      throw error
    }
  }

  var url: URL { folder.store }

  var readsOldAsOwn: Bool { replacement.readsOldAsOwn }

  var readsNewAsOwn: Bool { replacement.readsNewAsOwn }

  func copyStore() throws {
    guard let files = storeClass as? any FileOperating.Type else { return try StoreFiles.replace(url, by: store) }
    try files.replaceStore(at: url, nil, from: store, nil)
  }

  func damage() throws -> String? {
    guard StoreFiles.isOccupied(url) else {
      throw Failure.unsupportedFeature("Migrating a store of class \(storeClass), which makes no file at its URL,")
    }
    return try replacement.damage(of: url)
  }

  func check() throws { try replacement.check() }

  func putInPlace() throws { try replacement.putInPlace(url) }

  func remove() { folder.remove() }
}
