import Foundation

/// Reads model files, which may come from anywhere. A link among them may lead to an endless device, or to a pipe that
/// nobody writes to.
package enum ModelFileContent {
  /// The greatest size of a file in bytes. The largest known model has 2 MiB.
  package static let limit = 1 << 28

  /// The bytes of a regular file; nil if there is no file.
  ///
  /// - Throws: `InvalidDataModel` if it isn't a regular file, can't be read, or is larger than the limit.
  static func read(_ path: String) throws -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw InvalidDataModel(file: path, message: "the file cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw InvalidDataModel(file: path, message: "this is not a file")
    }
    guard status.st_size <= limit else {
      throw InvalidDataModel(
        file: path, message: "the file has \(status.st_size) bytes, more than the \(limit) that a model may have")
    }
    let size = Int(status.st_size)
    return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let part = Foundation.read(descriptor, buffer.baseAddress! + count, size - count)
        if part < 0, errno == EINTR { continue }
        guard part >= 0 else {
          throw InvalidDataModel(file: path, message: "the file cannot be read: \(String(cString: strerror(errno)))")
        }
        if part == 0 { break }
        count += part
      }
    }
  }
}
