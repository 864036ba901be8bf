import Foundation

/// A file that a tool was told to write, by a path that a person typed.
///
/// | at the path                        | what becomes of it                                                       |
/// |------------------------------------|--------------------------------------------------------------------------|
/// | nothing                            | a new file, when all of it is written                                    |
/// | a file                             | replaced when all of the new one is written; mode and owner stay         |
/// | a symbolic link                    | stays; what it leads to is treated as if its own path had been typed     |
/// | a device, a pipe, anything else    | stays; it is opened, and the bytes go into it as they come               |
///
/// A new file is written beside its place, as `.NAME.UUID.part`, and renamed. If that fails half way, the old file is
/// as it was. Where the folder takes no new file, but the old one may be written, it is written in place.
///
/// One thread at a time.
public final class OutputFile {
  /// As it was typed.
  public let path: String
  private static let pieceSize = 64 * 1024
  private var descriptor: Int32
  private var pending = Data()
  /// The file that is renamed at the end, and to where; nil where bytes go straight to their place.
  private var renaming: (temporary: String, target: String)?

  /// - Throws: `OutputFileProblem`; the path is then as it was.
  public init(_ path: String) throws {
    self.path = path
    let target = try Self.target(of: path)
    var status = stat()
    let isThere = stat(target, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      descriptor = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY)
      if descriptor < 0 { throw OutputFileProblem(path, errno) }
      return
    }
    let url = URL(fileURLWithPath: target)
    let temporary = url.deletingLastPathComponent().path + "/.\(url.lastPathComponent).\(UUID().uuidString).part"
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    if descriptor >= 0 {
      renaming = (temporary, target)
      guard isThere else { return }
      // Who may not write the old file may not replace it either.
      guard access(target, W_OK) == 0 else {
        let code = errno
        discard()
        throw OutputFileProblem(path, code)
      }
      // Only root may give a file away; for others it is their own already, or becomes so.
      _ = fchown(descriptor, status.st_uid, status.st_gid)
      _ = fchmod(descriptor, status.st_mode & 0o7777)
      return
    }
    let code = errno
    guard isThere, [EACCES, EPERM, EROFS].contains(code) else { throw OutputFileProblem(path, code) }
    descriptor = open(target, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 { throw OutputFileProblem(path, errno) }
  }

  /// What goes to standard output instead, in the same large pieces.
  public static func standardOutput() -> OutputFile { OutputFile(descriptor: dup(1)) }

  private init(descriptor: Int32) {
    path = "standard output"
    self.descriptor = descriptor
  }

  /// A file that was not finished leaves no trace, unless it was written in place.
  deinit { discard() }

  /// All of a file at once.
  public static func write(_ data: Data, to path: String) throws {
    let file = try OutputFile(path)
    try file.write(data)
    try file.finish()
  }

  public func write(_ data: Data) throws {
    pending.append(data)
    if pending.count >= Self.pieceSize { try flush() }
  }

  /// Writes what is left, and puts the file in its place, on the disk and not only in the system's memory.
  public func finish() throws {
    try flush()
    guard let (temporary, target) = renaming else {
      close(descriptor)
      descriptor = -1
      return
    }
    // EINVAL: a file system that has nothing to confirm.
    if fsync(descriptor) != 0, errno != EINVAL { throw OutputFileProblem(path, errno) }
    if rename(temporary, target) != 0 { throw OutputFileProblem(path, errno) }
    renaming = nil
    close(descriptor)
    descriptor = -1
    let folder = open(URL(fileURLWithPath: target).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private func flush() throws {
    var start = 0
    let bytes = Array(pending)
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress!, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw OutputFileProblem(path, errno) }
      start += count
    }
    pending.removeAll(keepingCapacity: true)
  }

  private func discard() {
    if descriptor >= 0 { close(descriptor) }
    if let renaming { unlink(renaming.temporary) }
    descriptor = -1
    renaming = nil
  }

  /// Where the links at a path lead, even if nothing is there.
  private static func target(of path: String) throws -> String {
    var path = path
    for _ in 0..<40 {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
      // A link of the system's, as /dev/stdout, may lead to what has no path: it is opened as it is.
      if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { return path }
      guard let destination = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
      path =
        destination.hasPrefix("/")
        ? destination : URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + destination
    }
    throw OutputFileProblem(path, ELOOP)
  }
}

/// Why a file can't be written, in a sentence that names it.
public struct OutputFileProblem: LocalizedError, CustomStringConvertible, Equatable {
  public let path: String
  /// `errno`
  public let code: Int32

  init(_ path: String, _ code: Int32) {
    self.path = path
    self.code = code
  }

  public var description: String {
    let reason = String(cString: strerror(code))
    return "The file \(path) cannot be written: \(reason.prefix(1).lowercased())\(reason.dropFirst())."
  }

  public var errorDescription: String? { description }
}
