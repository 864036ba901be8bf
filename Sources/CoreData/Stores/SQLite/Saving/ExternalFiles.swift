/// Binary values in files of their own, beside the store.
///
/// The column of an attribute that allows it holds
///
/// | first byte | the rest |
/// |---|---|
/// | 1 | the value |
/// | 2 | the name of a file, 36 characters, and a zero byte |
///
/// The files are in `.<name of the store>_SUPPORT/_EXTERNAL_DATA`, named by a UUID. Any thread.
///
/// A file is written, down to the disk, inside the transaction that names it, and removed only after the one
/// that forgets it is on the disk too. So a row never names a file that is not there; what a crash leaves is
/// a file that no row names, which the next opening removes: see `removeOrphans`.
struct ExternalFiles: Sendable {
  let store: URL

  /// Longer values go into files.
  static let threshold = 128 * 1024

  var folder: URL {
    let name = store.deletingPathExtension().lastPathComponent
    return store.deletingLastPathComponent()
      .appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
      .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
  }

  /// The name of the file that a column refers to; nil when the value is in the column.
  static func fileName(inTagged bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count == 38, bytes[0] == 2 else { return nil }
    return String(decoding: bytes[1..<37], as: UTF8.self)
  }

  /// The value of a column.
  func value(ofTagged bytes: UnsafeRawBufferPointer) throws -> Data {
    if let name = ExternalFiles.fileName(inTagged: bytes) {
      let file = folder.appendingPathComponent(name)
      do { return try Data(contentsOf: file) } catch {
        throw Failure.storeFileMissing(url: file)
      }
    }
    guard bytes.count > 0, bytes[0] == 1 else { return Data(bytes) }
    return Data(bytes[1...])
  }

  /// What the column of a value is to hold; writes the file of a long one and says its name.
  func tagged(_ value: UnsafeRawBufferPointer) throws -> (column: Data, file: String?) {
    // A store in memory has no folder.
    if value.count <= ExternalFiles.threshold || store.path == "/dev/null" {
      var column = Data([1])
      column.append(contentsOf: value)
      return (column, nil)
    }
    let name = UUID().uuidString
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try write(value, to: folder.appendingPathComponent(name))
    return (Data([2]) + Data(name.utf8) + Data([0]), name)
  }

  /// Writes a new file, down to the disk. What fails leaves none.
  private func write(_ value: UnsafeRawBufferPointer, to file: URL) throws {
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw ExternalFiles.failure("could not be made", file) }
    defer { close(descriptor) }
    var rest = value[...]
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, rest.withUnsafeBytes { $0.baseAddress }, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failed("could not be written", file) }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw failed("could not be written to the disk", file) }
  }

  private func failed(_ what: String, _ file: URL) -> Failure {
    let failure = ExternalFiles.failure(what, file)
    unlink(file.path)
    return failure
  }

  private static func failure(_ what: String, _ file: URL, _ code: Int32 = errno) -> Failure {
    let reason = String(cString: strerror(code))
    return .sqlite(
      code: 10, extendedCode: 10, message: "the file \(file.path) of a binary value \(what): \(reason)",
      sql: nil, url: file)
  }

  /// Brings the names of new files to the disk, before the commit of the rows that have them.
  func settle(_ names: [String]) throws {
    if names.isEmpty { return }
    for folder in [folder, folder.deletingLastPathComponent(), store.deletingLastPathComponent()] {
      let code = ExternalFiles.synchronize(folder.path)
      if code != 0 { throw ExternalFiles.failure("could not be written to the disk", folder, code) }
    }
  }

  /// Removes the files that no row names since the last commit. That is only in the log yet, which goes to
  /// the disk first; where it can't, the files stay until the next opening.
  func removeAbandoned(_ names: [String]) {
    let code = ExternalFiles.synchronize(store.path + "-wal")
    if code == 0 || code == ENOENT { remove(names) }
  }

  /// 0, or the number of the error. Some file systems can't do it for a folder; they need not.
  @discardableResult
  private static func synchronize(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
  }

  /// The files that there are.
  var names: Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
  }

  /// Copies the files of another store that are not here yet, and says which: all of them, or none.
  func copy(from other: ExternalFiles) throws -> [String] {
    let missing = other.store.path == "/dev/null" ? [] : other.names.subtracting(names).sorted()
    if missing.isEmpty { return [] }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (index, name) in missing.enumerated() {
      do {
        try FileManager.default.copyItem(
          at: other.folder.appendingPathComponent(name), to: folder.appendingPathComponent(name))
      } catch {
        remove(Array(missing.prefix(index + 1)))
        throw error
      }
    }
    return missing
  }

  /// With everything in it.
  func removeFolder() { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }

  func remove(_ names: [String]) {
    for name in names { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
  }
}
