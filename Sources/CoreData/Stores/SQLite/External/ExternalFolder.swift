/// The open folder of a store's long values. Links are not followed: neither `support` nor `folder` may be one.
final class ExternalFolder {
  private let files: ExternalFiles
  private let descriptor: Int32

  /// Opens the folder; nil if there is none.
  init?(_ files: ExternalFiles) throws {
    guard let support = try ExternalFolder.opened(files.support, files: files, open: { open(files.support.path, $0) })
    else {
      return nil
    }
    defer { close(support) }
    let name = files.folder.lastPathComponent
    guard let folder = try ExternalFolder.opened(files.folder, files: files, open: { openat(support, name, $0) }) else {
      return nil
    }
    descriptor = folder
    self.files = files
  }

  deinit { close(descriptor) }

  /// Opens the folder, and makes it if it is missing.
  static func made(_ files: ExternalFiles) throws -> ExternalFolder {
    if let folder = try ExternalFolder(files) { return folder }
    for folder in [files.support, files.folder] {
      if mkdir(folder.path, 0o777) != 0, errno != EEXIST {
        throw files.problem(.call("mkdir", isWriting: true, errno: errno), folder)
      }
    }
    guard let folder = try ExternalFolder(files) else {
      throw files.problem(.call("open", isWriting: true, errno: ENOENT), files.folder)
    }
    return folder
  }

  /// Opens a folder and returns its descriptor; nil if there is none. Throws if it is a link.
  static func opened(_ folder: URL, files: ExternalFiles, open: (Int32) -> Int32) throws -> Int32? {
    let descriptor = open(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor >= 0 { return descriptor }
    switch errno {
    case ENOENT: return nil
    case ENOTDIR, ELOOP: throw files.problem(.linkedFolder, folder)
    case let code: throw files.problem(.call("open", isWriting: false, errno: code), folder)
    }
  }

  // Single files. The caller has checked that the name is a UUID.

  /// Whether there is such a regular file.
  func has(_ name: String) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  func read(_ name: String) throws -> Data {
    // Check before opening: to open a device may have an effect, and to open a pipe may wait.
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw problem(errno == ENOENT ? .missing : .call("stat", isWriting: false, errno: errno), name)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw problem(.notAFile, name) }
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0, fstat(file, &status) == 0 else {
      throw problem(errno == ENOENT ? .missing : .call("open", isWriting: false, errno: errno), name)
    }
    defer { close(file) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw problem(.notAFile, name) }
    let length = Int(status.st_size)
    guard length <= Int(Int32.max) else { throw problem(.tooLong(length), name) }
    var data = Data(count: length)
    let count = try data.withUnsafeMutableBytes { buffer -> Int in
      var done = 0
      while done < length {
        let part = Foundation.read(file, buffer.baseAddress! + done, length - done)
        if part < 0, errno == EINTR { continue }
        guard part >= 0 else { throw problem(.call("read", isWriting: false, errno: errno), name) }
        if part == 0 { break }
        done += part
      }
      return done
    }
    return count == length ? data : data.prefix(count)
  }

  /// Writes a new file and flushes it to the disk. If that fails, no file is left.
  func write(_ value: UnsafeRawBufferPointer, to name: String) throws {
    // `read(_:)` would refuse it.
    guard value.count <= Int(Int32.max) else { throw problem(.call("write", isWriting: true, errno: EFBIG), name) }
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw problem(.call("open", isWriting: true, errno: errno), name) }
    defer { close(file) }
    func failed(_ call: String) -> Failure {
      let failure = problem(.call(call, isWriting: true, errno: errno), name)
      unlinkat(descriptor, name, 0)
      return failure
    }
    var rest = value[...]
    while !rest.isEmpty {
      let count = Foundation.write(file, rest.withUnsafeBytes { $0.baseAddress }, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failed("write") }
      rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0 else { throw failed("fsync") }
  }

  /// Removes regular files. Returns the names that are done with: their file is gone, or was never a regular one.
  @discardableResult
  func remove(_ names: [String]) -> [String] {
    names.filter { name in
      var status = stat()
      guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return errno == ENOENT }
      // Not a file of ours: it stays, and its name need not be remembered.
      guard status.st_mode & S_IFMT == S_IFREG else { return true }
      return unlinkat(descriptor, name, 0) == 0 || errno == ENOENT
    }
  }

  /// The names of the regular files that are named like a value's file.
  var names: Set<String> {
    // Use a separate descriptor, because reading the folder moves its position.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let folder = fdopendir(copy) else { return [] }
    defer { closedir(folder) }
    var names: Set<String> = []
    while let entry = readdir(folder) {
      var name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.withUTF8({ ExternalReference.uuid(UnsafeRawBufferPointer($0)) }) != nil, has(name) { names.insert(name) }
    }
    return names
  }

  private func problem(_ reason: ExternalFileProblem.Reason, _ name: String) -> Failure {
    files.problem(reason, files.file(name))
  }
}
