internal import CSQLite

/// Whether a connection's file was removed or replaced since it was opened, asked before each save.
///
/// To follow the file's path takes a tenth of a small save's time. A file that is removed, moved or replaced changes
/// its folder, so mostly the folder is asked, through a descriptor that stays open. The path is followed again when the
/// folder has changed, when its last change is so young that another could have the same time, and at the latest after
/// `patience`: a folder further up may be moved too, and that does not change this one.
///
/// Closing the descriptor gives up no lock of SQLite's: those are on the file. One thread at a time.
final class LostFileCheck {
  /// The folder; -1 for a database in memory, and where the folder can't be read: then the path is followed each time.
  private let folder: Int32
  /// When the folder had changed last as the path was followed; nil if it could change again within that moment.
  private var settled: Int?
  /// When the path was followed last.
  private var followed = 0

  // All times are in nanoseconds.

  private static let patience = 10_000_000

  init(_ database: OpaquePointer) {
    guard let name = sqlite3_db_filename(database, "main"), name.pointee == UInt8(ascii: "/") else {
      folder = -1
      return
    }
    let path = String(cString: name)
    folder = open(String(path[...path.lastIndex(of: "/")!]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }

  deinit { if folder >= 0 { close(folder) } }

  func isLost(_ database: OpaquePointer) -> Bool {
    let now = LostFileCheck.time(of: CLOCK_MONOTONIC)
    // Asked before the path is followed, so a change in between is noticed the next time.
    let changed = timeOfChange
    if let settled, settled == changed, now &- followed < LostFileCheck.patience { return false }
    var moved: Int32 = 0
    // A database in memory does not support this call.
    let isLost = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    followed = now
    settled = changed.flatMap {
      isLost || LostFileCheck.time(of: CLOCK_REALTIME) &- $0 <= DatabaseStamp.tick ? nil : $0
    }
    return isLost
  }

  private var timeOfChange: Int? {
    var status = stat()
    guard folder >= 0, fstat(folder, &status) == 0 else { return nil }
    return status.st_ctim.nanoseconds
  }

  private static func time(of clock: clockid_t) -> Int {
    var now = timespec()
    clock_gettime(clock, &now)
    return now.nanoseconds
  }
}
