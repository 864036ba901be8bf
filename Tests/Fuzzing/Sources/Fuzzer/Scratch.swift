import Foundation
import Glibc

/// The folder of this process. `Scripts/fuzz` puts it into memory, and removes it.
enum Scratch {
  static let folder: URL = {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(getpid())", isDirectory: true)
    try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }()

  static func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  @discardableResult
  static func write(_ bytes: [UInt8], _ name: String) throws -> URL {
    let url = url(name)
    let descriptor = open(url.path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(descriptor) }
    let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw POSIXError(.ENOSPC) }
    return url
  }

  /// Writes the database, and removes what an earlier one has left beside it.
  static func writeDatabase(_ bytes: [UInt8]) throws -> URL {
    for suffix in ["-wal", "-shm", "-journal"] { unlink(url("S.sqlite" + suffix).path) }
    let support = url(".S_SUPPORT")
    if access(support.path, F_OK) == 0 { try? FileManager.default.removeItem(at: support) }
    return try write(bytes, "S.sqlite")
  }
}
