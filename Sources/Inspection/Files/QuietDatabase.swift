internal import CSQLite
import CoreData
import Foundation

/// A SQLite file that can be read without a trace: the file itself if it has no log or journal, otherwise a copy that
/// includes them.
///
/// The copy lies in a temporary folder that only the user can enter. It is removed with this object, or at the latest
/// when the program ends, on its own or by a signal.
final class QuietDatabase {
  /// The file to open as immutable.
  let url: URL
  private let folder: URL?

  init(_ given: URL) throws {
    let original = DatabasePlace(given)
    if !original.hasMoreBesideIt {
      url = given
      folder = nil
      return
    }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("inspect-" + UUID().uuidString, isDirectory: true)
    TemporaryFolders.willMake(folder.path)
    self.folder = folder
    url = folder.appendingPathComponent(original.url.lastPathComponent)
    do {
      try Self.copy(original, to: url, in: folder, support: ExternalFiles.support(of: given))
      if let name = RollbackJournal.removedFile(beside: url.path) {
        throw InspectionFailure(
          "The journal beside \(original.path) asks for the removal of the file \(name), which is of no transaction of "
            + "this file alone. It is not played back.")
      }
      try Self.takeLogIn(url)
    } catch let failure as InspectionFailure {
      TemporaryFolders.remove(folder.path)
      throw failure
    } catch {
      TemporaryFolders.remove(folder.path)
      throw InspectionFailure(
        "The file \(original.path) cannot be read: the copy for its log could not be made", because: error)
    }
  }

  deinit {
    if let folder { TemporaryFolders.remove(folder.path) }
  }

  private static func copy(_ original: DatabasePlace, to copy: URL, in folder: URL, support: URL) throws {
    guard mkdir(folder.path, 0o700) == 0 else {
      throw InspectionFailure(
        "The folder \(folder.path) for a copy could not be made: \(String(cString: strerror(errno))).")
    }
    try DatabaseCopy.copy(original, to: copy)
    // Long values lie in a folder beside the store, which is read where it is.
    guard FileManager.default.fileExists(atPath: support.path) else { return }
    try FileManager.default.createSymbolicLink(
      atPath: ExternalFiles.support(of: copy).path, withDestinationPath: support.standardizedFileURL.path)
  }

  /// Lets SQLite recover the log or journal, and leaves a file that needs neither.
  private static func takeLogIn(_ copy: URL) throws {
    var handle: OpaquePointer?
    var code = sqlite3_open_v2(copy.path, &handle, SQLITE_OPEN_READWRITE, nil)
    if code == SQLITE_OK { code = sqlite3_exec(handle, "PRAGMA journal_mode=DELETE", nil, nil, nil) }
    let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
    sqlite3_close(handle)
    if code != SQLITE_OK { throw InspectionFailure(message + ".") }
  }
}

/// The folders to remove when the program ends.
///
/// Handlers of signals may call next to nothing, so signals are taken by a thread that waits for them.
enum TemporaryFolders {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var paths: Set<String> = []
  private nonisolated(unsafe) static var watchers: [any DispatchSourceSignal] = []

  static func willMake(_ path: String) {
    lock.withLock {
      if paths.isEmpty && watchers.isEmpty { watch() }
      _ = paths.insert(path)
    }
  }

  static func remove(_ path: String) {
    lock.withLock { _ = paths.remove(path) }
    // The folder holds the copy, SQLite's companion files, and a link.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// Removes all that are left.
  static func removeAll() {
    for path in lock.withLock({ paths }) { remove(path) }
  }

  private static func watch() {
    atexit { TemporaryFolders.removeAll() }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let watcher = DispatchSource.makeSignalSource(signal: number, queue: .global())
      watcher.setEventHandler {
        TemporaryFolders.removeAll()
        signal(number, SIG_DFL)
        kill(getpid(), number)
      }
      watcher.activate()
      watchers.append(watcher)
    }
    // A reader may close the pipe early, as `head` does.
    signal(SIGPIPE, SIG_IGN)
  }
}
