import CoreData

/// Why there is no stack, sorted by what the person in front of the program can do about it.
public enum DataControllerFailure: LocalizedError {
  //> cases
  /// The program was built without its model.
  case modelMissing(name: String)
  /// The data are fine, but something stands between them and the program.
  case storeUnavailable(url: URL, obstacle: Obstacle, underlying: NSError)
  /// The file is a store, and was made with another model.
  case modelMismatch(url: URL, underlying: NSError)
  /// The file is not a store: it is a text, say, or another program's database.
  case storeForeign(url: URL, underlying: NSError)
  /// The file is a store, and part of it is lost.
  case storeDamaged(url: URL, underlying: NSError)

  /// What stands between the program and its data.
  public enum Obstacle: Sendable {
    case lock, permission, writeProtection, fullDisk, unknown
  }
  //< cases

  //> sort
  /// Sorts the error that `loadPersistentStores` reports. The codes are Core Data's and
  /// Foundation's.
  init(opening url: URL?, error: any Error) {
    let error = error as NSError
    let url = url ?? URL(fileURLWithPath: "/dev/null")
    switch (error.code, error.userInfo[NSSQLiteErrorDomain] as? Int) {
    case (NSPersistentStoreIncompatibleVersionHashError, _):
      self = .modelMismatch(url: url, underlying: error)
    case (NSPersistentStoreIncompatibleSchemaError, _):
      // The tables don't fit. Without metadata it never was a store.
      self =
        Self.hasMetadata(url)
        ? .storeDamaged(url: url, underlying: error) : .storeForeign(url: url, underlying: error)
    case (CocoaError.fileReadCorruptFile.rawValue, _), (_, 11):  // SQLITE_CORRUPT
      self =
        Self.beginsAsDatabase(url)
        ? .storeDamaged(url: url, underlying: error) : .storeForeign(url: url, underlying: error)
    case _ where Self.isFolder(url):
      self = .storeForeign(url: url, underlying: error)
    default:
      self = .storeUnavailable(url: url, obstacle: Obstacle(error, at: url), underlying: error)
    }
  }
  //< sort

  private static func isFolder(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
  }

  private static func hasMetadata(_ url: URL) -> Bool {
    let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url)
    return metadata != nil
  }

  private static func beginsAsDatabase(_ url: URL) -> Bool {
    guard let file = try? FileHandle(forReadingFrom: url) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }

  //> message
  /// What is wrong, with which file, whether the data are safe, and what to do.
  public var message: String {
    switch self {
    case .modelMissing(let name):
      "This program is incomplete: its data model \(name) is missing. Install it again."
    case .storeUnavailable(let url, let obstacle, let underlying):
      switch obstacle {
      case .lock:
        "The data in \(url.path) are safe, but another program is using them. "
          + "Close that program, then try again."
      case .permission:
        "The data in \(url.path) are safe, but you are not allowed to open them. "
          + "Ask for permission to read and write the file, then try again."
      case .writeProtection:
        "The data in \(url.path) are safe, but cannot be changed. "
          + "Make the file and its folder writable, then try again."
      case .fullDisk:
        "The data in \(url.path) are safe, but the disk is full. "
          + "Free some space on it, then try again."
      case .unknown:
        "The data in \(url.path) cannot be opened now (\(underlying.domain) \(underlying.code)). "
          + "Nothing was changed. Try again; if it happens again, send us this message."
      }
    case .modelMismatch(let url, _):
      "The data in \(url.path) were written by another version of this program. "
        + "Nothing was changed. Open them with that version."
    case .storeForeign(let url, _):
      "The file \(url.path) was not made by this program, and was left as it is. "
        + "Move it elsewhere to start with an empty one."
    case .storeDamaged(let url, let underlying):
      "The data in \(url.path) are damaged (\(underlying.domain) \(underlying.code)). "
        + "Keep the file, and restore your last copy."
    }
  }
  //< message

  public var errorDescription: String? { message }

  /// The error that Core Data gave, for a log.
  public var underlying: NSError? {
    switch self {
    case .modelMissing: nil
    case .storeUnavailable(_, _, let underlying), .modelMismatch(_, let underlying),
      .storeForeign(_, let underlying), .storeDamaged(_, let underlying):
      underlying
    }
  }
}

extension DataControllerFailure.Obstacle {
  //> obstacle
  /// Looks at SQLite's own result code too, which Core Data keeps in `userInfo`.
  init(_ error: NSError, at url: URL) {
    switch (error.code, error.userInfo[NSSQLiteErrorDomain] as? Int) {
    case (NSPersistentStoreTimeoutError, _), (_, 5), (_, 6):  // SQLITE_BUSY, SQLITE_LOCKED
      self = .lock
    case (CocoaError.fileWriteVolumeReadOnly.rawValue, _), (_, 8):  // SQLITE_READONLY
      self = .writeProtection
    case (CocoaError.fileWriteOutOfSpace.rawValue, _), (_, 13):  // SQLITE_FULL
      self = .fullDisk
    case (_, 10) where Self.freeBytes(beside: url) < 100_000:  // SQLITE_IOERR
      self = .fullDisk
    case (CocoaError.fileReadNoPermission.rawValue, _),
      (CocoaError.fileWriteNoPermission.rawValue, _),
      (_, 3), (_, 23):  // SQLITE_PERM, SQLITE_AUTH
      self = .permission
    case (_, 14) where Self.isForbidden(url):  // SQLITE_CANTOPEN
      self = .permission
    default:
      self = .unknown
    }
  }
  //< obstacle

  private static func isForbidden(_ url: URL) -> Bool {
    let files = FileManager.default
    if files.fileExists(atPath: url.path) { return !files.isReadableFile(atPath: url.path) }
    return !files.isWritableFile(atPath: url.deletingLastPathComponent().path)
  }

  private static func freeBytes(beside url: URL) -> Int {
    let folder = url.deletingLastPathComponent().path
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    return (attributes?[.systemFreeSize] as? NSNumber)?.intValue ?? .max
  }
}
