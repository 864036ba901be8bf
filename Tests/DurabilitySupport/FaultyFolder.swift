import FaultyFiles
import Foundation

/// A folder whose file operations are counted, and can be recorded and made to fail.
///
/// All folders below it count as well. Any thread may use it.
public final class FaultyFolder: Sendable {
  public let url: URL
  let watch: Int32

  /// False under a sanitizer, which replaces the same functions of the C library.
  public static var isAvailable: Bool { faulty_is_available() != 0 }

  public init(_ url: URL) {
    self.url = url
    watch = faulty_watch(url.path)
    precondition(watch >= 0, "Too many folders are watched.")
  }

  deinit { faulty_unwatch(watch) }

  /// Kinds of operations, as a mask.
  public struct Operations: OptionSet, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }
    private init<Bit: BinaryInteger>(_ bit: Bit) { rawValue = Int32(bit) }

    public static let create = Operations(FAULTY_CREATE)
    public static let write = Operations(FAULTY_WRITE)
    public static let sync = Operations(FAULTY_SYNC)
    public static let truncate = Operations(FAULTY_TRUNCATE)
    public static let rename = Operations(FAULTY_RENAME)
    public static let link = Operations(FAULTY_LINK)
    public static let unlink = Operations(FAULTY_UNLINK)
    public static let makeFolder = Operations(FAULTY_MKDIR)
    public static let removeFolder = Operations(FAULTY_RMDIR)
    public static let openToRead = Operations(FAULTY_OPEN_TO_READ)
    public static let openToWrite = Operations(FAULTY_OPEN_TO_WRITE)
    public static let read = Operations(FAULTY_READ)
    public static let lock = Operations(FAULTY_LOCK)

    /// The operations that need room on the disk.
    public static let filling: Operations = [create, write, truncate, makeFolder, link]
    /// The operations that change files and folders.
    public static let changing: Operations = [filling, rename, unlink, removeFolder, openToWrite]
    public static let all: Operations = [changing, sync, openToRead, read, lock]
  }

  public enum Moment: Int32, CaseIterable, Sendable { case before, after, middle }

  public var count: Int { faulty_count(watch) }

  public func kill(at operation: Int, _ moment: Moment, report descriptor: Int32) {
    faulty_kill(watch, operation, moment.rawValue, descriptor)
  }

  /// Lets operations fail: the first `skipped` of them succeed, and the next `times` fail. If `times` is nil, all that
  /// follow fail.
  public func fail(
    _ operations: Operations, with error: Int32, skipping skipped: Int = 0, times: Int? = nil, suffix: String = ""
  ) {
    faulty_fail(watch, operations.rawValue, skipped, times ?? -1, error, suffix)
  }

  /// How many operations have failed since `fail`.
  public var failures: Int { faulty_failures(watch) }

  public func mend() { faulty_mend(watch) }

  /// What `body` does to the folder's files, one line for each operation.
  public func trace(_ body: () throws -> Void) rethrows -> [String] {
    faulty_trace(watch)
    try body()
    guard let text = faulty_take_trace(watch) else { return [] }
    defer { free(text) }
    return String(cString: text).split(separator: "\n").map(String.init)
  }
}

/// A file of lines, each on the disk when `append` returns.
public final class SyncedLog {
  public let descriptor: Int32

  public init(path: String) {
    descriptor = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "The log \(path) can't be opened.")
  }

  deinit { close(descriptor) }

  public func append(_ line: String) {
    precondition(faulty_append(descriptor, line + "\n") == 0, "The log can't be written.")
  }
}
