import Foundation

/// Opens files that may be anything. Opening a pipe for reading waits for its writer, and a device may have no end.
enum RegularFile {
  enum Problem: Error {
    case unreadable
    /// It is a pipe, a socket or a device.
    case notAFile
  }

  /// Opens a file for reading; links are followed.
  ///
  /// - Throws: `Problem`.
  static func handle(_ path: String) throws -> FileHandle {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    // A socket can't be opened at all.
    guard descriptor >= 0 else { throw errno == ENXIO ? Problem.notAFile : Problem.unreadable }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Problem.notAFile
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
