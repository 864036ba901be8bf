import Foundation

/// A file to write, at a path that a person typed.
///
/// | at the path                        | what happens                                                             |
/// |------------------------------------|--------------------------------------------------------------------------|
/// | nothing                            | a new file appears once all of it is written                             |
/// | a file                             | it is replaced once the new one is written; mode and owner stay          |
/// | a symbolic link                    | it stays; its destination is treated as if that path had been typed      |
/// | a device, a pipe, anything else    | it stays; it is opened, and receives the bytes as they come              |
///
/// A new file is written as `.NAME.UUID.part` in the same folder, and renamed at the end. If that fails half way, the
/// old file stays as it was. If the folder takes no new file but the old one is writable, the old file is overwritten
/// in place.
///
/// One thread at a time may use it.
public final class OutputFile {
  /// The path as it was typed.
  public let path: String
  private static let pieceSize = 64 * 1024
  private var descriptor: Int32
  private var pending = Data()
  /// The file to rename at the end, and its final path; nil if bytes are written directly.
  private var renaming: (temporary: String, target: String)?

  /// - Throws: `OutputFileProblem`. Whatever is at the path then stays as it was.
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
      // If you may not write the old file, you may not replace it either.
      guard access(target, W_OK) == 0 else {
        let code = errno
        discard()
        throw OutputFileProblem(path, code)
      }
      // Only root can change a file's owner. For others it fails, and the file is their own.
      _ = fchown(descriptor, status.st_uid, status.st_gid)
      _ = fchmod(descriptor, status.st_mode & 0o7777)
      return
    }
    let code = errno
    guard isThere, [EACCES, EPERM, EROFS].contains(code) else { throw OutputFileProblem(path, code) }
    descriptor = open(target, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 { throw OutputFileProblem(path, errno) }
  }

  /// Writes to standard output instead, in the same large pieces.
  public static func standardOutput() -> OutputFile { OutputFile(descriptor: dup(1)) }

  private init(descriptor: Int32) {
    path = "standard output"
    self.descriptor = descriptor
  }

  /// Removes the temporary file if the file wasn't finished. A file that is written in place stays.
  deinit { discard() }

  /// Writes a whole file at once.
  public static func write(_ data: Data, to path: String) throws {
    let file = try OutputFile(path)
    try file.write(data)
    try file.finish()
  }

  public func write(_ data: Data) throws {
    pending.append(data)
    if pending.count >= Self.pieceSize { try flush() }
  }

  /// Writes what is left, and renames the file once it is on the disk, not only in the system's memory.
  public func finish() throws {
    try flush()
    guard let (temporary, target) = renaming else {
      close(descriptor)
      descriptor = -1
      return
    }
    // EINVAL: the file system doesn't support fsync.
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

  /// The path that the links at a path lead to, even if nothing is there.
  private static func target(of path: String) throws -> String {
    var path = path
    for _ in 0..<40 {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
      // A system link such as /dev/stdout may lead to something without a path, so it is opened itself.
      if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { return path }
      guard let destination = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
      path =
        destination.hasPrefix("/")
        ? destination : URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + destination
    }
    throw OutputFileProblem(path, ELOOP)
  }
}

/// The reason why a file can't be written, as a sentence that names it.
public struct OutputFileProblem: LocalizedError, CustomStringConvertible, Equatable {
  public let path: String
  /// The value of `errno`.
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
