/// Where a database is, and the files that SQLite keeps beside it.
///
/// SQLite follows a link to a database, and puts its files beside the database, not beside the link.
package struct DatabasePlace: Equatable, Sendable {
  /// The path without links.
  package let path: String

  package var log: String { path + "-wal" }
  package var journal: String { path + "-journal" }
  private var index: String { path + "-shm" }

  /// What the files that SQLite keeps beside a database have behind its name.
  static let companionSuffixes = ["-wal", "-shm", "-journal"]

  package init(_ path: String) { self.path = DatabasePlace.resolved(path) }

  package init(_ url: URL) { self.init(url.path) }

  /// The place of a file that is not a link, or is about to take a link's place. Links to its folder are followed.
  init(unresolved url: URL) {
    let folder = DatabasePlace.resolved(url.deletingLastPathComponent().path)
    path = (folder as NSString).appendingPathComponent(url.path.lastName)
  }

  package var url: URL { URL(fileURLWithPath: path) }

  /// The path without links. The file need not be there, even if links lead to it.
  private static func resolved(_ path: String) -> String {
    if let known = real(path) { return known }
    var path = path
    // The system follows as many links.
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      path = target.hasPrefix("/") ? target : (path as NSString).deletingLastPathComponent + "/" + target
    }
    let folder = (path as NSString).deletingLastPathComponent
    return real(folder.isEmpty ? "." : folder).map { ($0 as NSString).appendingPathComponent(path.lastName) } ?? path
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// Removes SQLite's companions of a file, which mean nothing without it. A link is not followed: it is about to be
  /// replaced, and what it leads to stays with its companions.
  static func removeCompanions(ofFileAt path: String) {
    for suffix in companionSuffixes { unlink(path + suffix) }
  }

  /// Whether there is a file.
  var exists: Bool { access(path, F_OK) == 0 }

  /// Whether connections share the log: one of them has its index open. To read the file in its place then makes
  /// nothing beside it, and writes nothing but a reader's marks.
  var sharesLog: Bool { DatabasePlace.isFile(log) && DatabaseFiles.hasOpenIndex(index, of: path) }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether the file alone is not the whole database, because a log or a journal has a part of it.
  package var hasMoreBesideIt: Bool { DatabasePlace.isFilled(log) || DatabasePlace.isFilled(journal) }

  private static func isFilled(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_size > 0
  }

  var stamp: DatabaseStamp { DatabaseStamp(self) }
}

extension String {
  fileprivate var lastName: String { (self as NSString).lastPathComponent }
}

/// What the file system says of a database, its log and its journal. Two stamps of one database differ if it was
/// written in between, unless that happened within one tick of the file system's clock: see `isSettled`.
struct DatabaseStamp: Equatable {
  private let files: [FileStatus?]

  fileprivate init(_ place: DatabasePlace) {
    files = [place.path, place.log, place.journal].map { FileStatus($0) }
  }

  /// A clock of a file system ticks at the latest after this time, in nanoseconds.
  static let tick = 20_000_000

  /// Whether the last change is so old that the next one will have another time.
  var isSettled: Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let time = now.nanoseconds
    return files.allSatisfy { file in
      // A time to come is of a clock that was set since.
      file.map { time &- $0.changed > DatabaseStamp.tick || $0.changed > time } ?? true
    }
  }
}

/// What the file system says of a file that is not a link.
struct FileStatus: Equatable {
  let device: UInt64
  let inode: UInt64
  let length: Int
  /// In nanoseconds since 1970. Programs can set the time of the last write, but not that of the last change.
  let written: Int
  let changed: Int

  /// Asks for the status only, without opening the file: closing it would give up SQLite's locks.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    length = Int(status.st_size)
    written = status.st_mtim.nanoseconds
    changed = status.st_ctim.nanoseconds
  }
}

extension timespec {
  var nanoseconds: Int { tv_sec &* 1_000_000_000 &+ tv_nsec }
}
