internal import CSQLite
import Foundation

/// A SQLite file as it can be read without a trace: itself where it holds everything, else a copy into which
/// its log has been taken.
///
/// The copy lies in a temporary folder that only the user can enter. It is removed with this object, and at
/// the latest when the program ends, by itself or by a signal.
final class QuietDatabase {
  /// The file to open as one that doesn't change.
  let url: URL
  private let folder: URL?

  var isCopy: Bool { folder != nil }

  init(_ original: URL) throws {
    func size(_ suffix: String) -> Int {
      let attributes = try? FileManager.default.attributesOfItem(atPath: original.path + suffix)
      return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
    if size("-wal") == 0, size("-journal") == 0 {
      url = original
      folder = nil
      return
    }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("inspect-" + UUID().uuidString, isDirectory: true)
    TemporaryFolders.willMake(folder.path)
    self.folder = folder
    url = folder.appendingPathComponent(original.lastPathComponent)
    do {
      try Self.copy(original, to: url, in: folder)
      try Self.takeLogIn(url)
    } catch let failure as InspectionFailure {
      TemporaryFolders.remove(folder.path)
      throw failure
    } catch {
      TemporaryFolders.remove(folder.path)
      throw InspectionFailure(
        "The file \(original.path) cannot be read: the copy for its log could not be made: \(reason(error))")
    }
  }

  deinit {
    if let folder { TemporaryFolders.remove(folder.path) }
  }

  private static func copy(_ original: URL, to copy: URL, in folder: URL) throws {
    let files = FileManager.default
    try files.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for suffix in ["", "-wal", "-journal"] where files.fileExists(atPath: original.path + suffix) {
      try files.copyItem(atPath: original.path + suffix, toPath: copy.path + suffix)
      try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
    }
    // Long values lie in a folder beside the store, which is read where it is.
    let support = ".\(original.deletingPathExtension().lastPathComponent)_SUPPORT"
    let source = original.deletingLastPathComponent().appendingPathComponent(support).path
    if files.fileExists(atPath: source) {
      let target = URL(fileURLWithPath: source).standardizedFileURL.path
      try files.createSymbolicLink(
        atPath: folder.appendingPathComponent(support).path, withDestinationPath: target)
    }
  }

  /// Lets SQLite recover what the log or journal holds, and leaves a file that needs neither.
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
    try? FileManager.default.removeItem(atPath: path)
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
    // A reader that closes the pipe early, as `head` does.
    signal(SIGPIPE, SIG_IGN)
  }
}
