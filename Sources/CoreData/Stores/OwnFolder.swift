import Foundation

/// Makes and removes this module's own folders. It removes them file by file, no deeper than it makes them, and without
/// following links. It never enters a link or folder that others have put there; what can't be removed stays.
enum OwnFolder {
  /// Makes a folder that only this user can enter, with an unused name, in the folder for temporary files.
  static func makeTemporary() throws -> URL {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("CoreData-" + UUID().uuidString, isDirectory: true)
    guard mkdir(url.path, 0o700) == 0 else {
      throw Failure.fileCall(url: url, name: "mkdir", isWriting: true, errno: errno)
    }
    return url
  }

  /// Removes a folder with its files.
  ///
  /// - Parameters:
  ///   - depth: how many levels of folders it may contain.
  ///   - isOwn: which names may be removed; all, unless others put files there as well.
  static func remove(_ url: URL, depth: Int = 0, where isOwn: (String) -> Bool = { _ in true }) {
    let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    empty(descriptor, depth: depth, where: isOwn)
    rmdir(url.path)
  }

  /// Takes over the descriptor.
  private static func empty(_ descriptor: Int32, depth: Int, where isOwn: (String) -> Bool) {
    guard let folder = fdopendir(descriptor) else {
      close(descriptor)
      return
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != "..", isOwn(name) { names.append(name) }
    }
    for name in names where unlinkat(descriptor, name, 0) != 0 && depth > 0 {
      let inner = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      if inner < 0 { continue }
      empty(inner, depth: depth - 1, where: isOwn)
      unlinkat(descriptor, name, AT_REMOVEDIR)
    }
  }

  /// Makes an empty file with a name that isn't taken. It never follows a link.
  static func makeFile(_ url: URL) throws {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Failure.fileCall(url: url, name: "open", isWriting: true, errno: errno) }
    close(descriptor)
  }
}
