/// Operations on whole stores, of the framework's own classes: unless one has its own implementations, a store is the
/// one file at its URL, and a folder there is none of its stores. A store of any other class is the file, or folder, at
/// its URL.
protocol FileOperating: NSPersistentStore {
  /// Whether there is something at a location that a new store must not overwrite.
  static func isOccupied(_ url: URL) throws -> Bool

  static func destroyStore(at url: URL, _ options: [AnyHashable: Any]?) throws

  /// Removes the files that a failed migration has made.
  static func removeStore(at url: URL)

  /// The way to replace a file by its new version.
  static func replacement(of url: URL, _ options: [AnyHashable: Any]?) throws -> any FileReplacement

  static func replaceStore(
    at destination: URL, _ options: [AnyHashable: Any]?, from source: URL, _ sourceOptions: [AnyHashable: Any]?
  ) throws

  /// Moves the open store to another place. Called while no save runs; others may read.
  func move(to url: URL) throws

  /// Makes a file at a free place with everything that another store has, for a store of this class to be
  /// opened there; false where that has to be opened first, to be filled as any other. No save
  /// runs meanwhile.
  static func makeFile(at url: URL, copying source: any RowStore, _ copy: StoreCopy) throws -> Bool
}

extension FileOperating {
  static func isOccupied(_ url: URL) throws -> Bool { StoreFiles.isOccupied(url) }

  static func destroyStore(at url: URL, _ options: [AnyHashable: Any]?) throws { try StoreFiles.removeFile(url) }

  static func removeStore(at url: URL) { try? StoreFiles.removeFile(url) }

  static func replacement(of url: URL, _ options: [AnyHashable: Any]?) throws -> any FileReplacement {
    RenamedFile(url: url)
  }

  static func replaceStore(
    at destination: URL, _ options: [AnyHashable: Any]?, from source: URL, _ sourceOptions: [AnyHashable: Any]?
  ) throws {
    try StoreFiles.replace(destination, by: source)
  }

  func move(to url: URL) throws { self.url = url }

  static func makeFile(at url: URL, copying source: any RowStore, _ copy: StoreCopy) throws -> Bool { false }
}

/// A store that is one file.
enum StoreFiles {
  static func isOccupied(_ url: URL) -> Bool {
    guard url.isFileURL, !url.isStoreInMemory,
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    else { return false }
    return attributes[.type] as? FileAttributeType != .typeRegular
      || (attributes[.size] as? NSNumber)?.intValue ?? 0 > 0
  }

  /// Removes a file. A folder, which a store class of the program's own may have made, goes with what is in it, four
  /// levels deep at most; links are removed, never followed. A device or a pipe is refused.
  static func remove(_ url: URL) throws {
    guard url.isFileURL, !url.isStoreInMemory, kind(url.path) == S_IFDIR else { return try removeFile(url) }
    OwnFolder.remove(url, depth: 4)
    if kind(url.path) != nil { throw Failure.fileCall(url: url, name: "rmdir", isWriting: true, errno: ENOTEMPTY) }
  }

  /// Removes a file, or a link. A folder is refused, as a device or a pipe is.
  static func removeFile(_ url: URL) throws {
    guard url.isFileURL, !url.isStoreInMemory else { return }
    switch kind(url.path) {
    case nil: return
    case S_IFREG, S_IFLNK:
      guard unlink(url.path) == 0 else {
        throw Failure.fileCall(url: url, name: "unlink", isWriting: true, errno: errno)
      }
    default: throw Failure.notAFile(url: url)
    }
  }

  /// The kind of a file, by the bits of its mode. Links are not followed.
  private static func kind(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Copies to a file beside the destination, then renames it, so that readers see either the old file or the new one.
  static func replace(_ destination: URL, by source: URL) throws {
    guard FileManager.default.fileExists(atPath: source.path) else { throw Failure.storeFileMissing(url: source) }
    if source.isSameFile(as: destination) { return }
    let copy = temporary(beside: destination)
    defer { try? remove(copy) }
    try FileManager.default.copyItem(at: source, to: copy)
    try rename(copy, to: destination)
  }

  /// An unused name in the same folder, and so on the same disk.
  static func temporary(beside url: URL) -> URL {
    url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
  }

  /// Called with the new name of each file before it is renamed, so that tests can make that fail.
  @TaskLocal static var willRename: (@Sendable (URL) throws -> Void)?

  /// Whether there is a file, or a link, and not a folder, a device or a pipe.
  static func isFile(_ path: String) -> Bool { kind(path).map { $0 == S_IFREG || $0 == S_IFLNK } ?? false }

  /// Renames a file, and replaces a file that has the new name. A link itself is replaced, not its target; a folder is
  /// emptied first, as by `remove`; a device or a pipe is refused.
  static func rename(_ file: URL, to url: URL) throws {
    try willRename?(url)
    switch kind(url.path) {
    case nil, S_IFREG, S_IFLNK: break
    case S_IFDIR: if kind(file.path) != S_IFDIR || rmdir(url.path) != 0 { try remove(url) }
    default: throw Failure.notAFile(url: url)
    }
    guard Foundation.rename(file.path, url.path) == 0 else {
      throw Failure.fileCall(url: url, name: "rename", isWriting: true, errno: errno)
    }
  }
}
