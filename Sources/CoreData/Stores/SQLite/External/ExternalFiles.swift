/// Binary values in files of their own, beside the store.
///
/// The column of an attribute that allows it holds
///
/// | first byte | the rest |
/// |---|---|
/// | 1 | the value |
/// | 2 | the name of a file, 36 characters, and a zero byte |
///
/// The files are in `.<name of the store>_SUPPORT/_EXTERNAL_DATA`, named by a UUID. A file is never changed: another
/// value is another file.
///
/// A row comes from a file that anybody may have written, and so does its text for a name:
///
/// 1. Only 36 bytes that spell a UUID are a name. Anything else is an error when the data is asked for; it is never
///    opened, and never removed (`ExternalReference.uuid`).
/// 2. Names are looked up in the open folder (`openat`, `unlinkat`), never as part of a path. Neither of the two
///    folders, nor a file, may be a link (`ExternalFolder`).
/// 3. Only regular files are read, copied and removed, one by one. Folders are removed only if they are empty.
///
/// A row's reference is followed when the data is asked for: see `ExternalReference`. When a file is made and when it
/// is removed: see `ExternalStorage`. Any thread.
struct ExternalFiles: Sendable {
  let store: URL
  /// The number of the `ExternalSource` that finds the files for rows; -1 where no rows are read.
  var source = -1

  init(store: URL, source: Int = -1) {
    self.store = store
    self.source = source
  }

  /// Longer values go into files.
  static let threshold = 128 * 1024

  /// A store in memory has no folder.
  var isInMemory: Bool { store.path == "/dev/null" }

  var support: URL {
    let name = store.deletingPathExtension().lastPathComponent
    return store.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
  }

  var folder: URL { support.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true) }

  /// Whether there is a folder, or something in its place.
  var exist: Bool {
    var status = stat()
    return !isInMemory && lstat(folder.path, &status) == 0
  }

  // Columns.

  /// What a column has for the name of a file; nil when the value is in the column.
  @inline(__always)
  static func reference(inTagged bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard bytes.count == ExternalReference.nameLength + 2, bytes[0] == 2 else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[1...ExternalReference.nameLength])
  }

  /// The name of the file that a column refers to; nil when the value is in the column, or what it has is no name.
  static func fileName(inTagged bytes: UnsafeRawBufferPointer) -> String? {
    guard let name = reference(inTagged: bytes), ExternalReference.uuid(name) != nil else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// The bytes of a value that is in the column. Values of an attribute that did not allow files before have no byte in
  /// front.
  @inline(__always)
  static func value(inTagged bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard bytes.count > 0, bytes[0] == 1 else { return bytes }
    return UnsafeRawBufferPointer(rebasing: bytes[1...])
  }

  /// The value of a column, wherever it is.
  func value(ofTagged bytes: UnsafeRawBufferPointer) throws -> Data {
    guard let name = ExternalFiles.reference(inTagged: bytes) else { return Data(ExternalFiles.value(inTagged: bytes)) }
    return try data(named: String(decoding: name, as: UTF8.self))
  }

  /// The column of a short value.
  static func column(of value: UnsafeRawBufferPointer) -> Data {
    var column = Data([1])
    column.append(contentsOf: value)
    return column
  }

  static func column(ofFile name: String) -> Data { Data([2]) + Data(name.utf8) + Data([0]) }

  // Files.

  /// The content of a value's file.
  func data(named text: String) throws -> Data {
    var name = text
    guard name.withUTF8({ ExternalReference.uuid(UnsafeRawBufferPointer($0)) }) != nil else {
      throw problem(.invalidName(text), folder)
    }
    guard let open = try ExternalFolder(self) else { throw problem(.missing, file(text)) }
    return try open.read(text)
  }

  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func problem(_ reason: ExternalFileProblem.Reason, _ file: URL) -> Failure {
    .externalFile(ExternalFileProblem(reason: reason, file: file, store: store))
  }

  /// Brings the names of new files to the disk, before the commit of the rows that have them.
  func syncNames(of names: [String]) throws {
    if names.isEmpty { return }
    for folder in [folder, support, store.deletingLastPathComponent()] {
      let code = ExternalFiles.synchronize(folder.path)
      if code != 0 { throw problem(.call("fsync", isWriting: true, errno: code), folder) }
    }
  }

  /// 0, or the number of the error. Some file systems can't do it for a folder; they need not.
  @discardableResult
  static func synchronize(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
  }

  /// Copies files of another store that are not here yet, and says which: all of them, or none. What is missing there,
  /// or is no regular file, is missing here.
  func copy(_ names: Set<String>, from other: ExternalFiles) throws -> [String] {
    if names.isEmpty || other.isInMemory { return [] }
    guard let source = try ExternalFolder(other) else { return [] }
    let present = names.filter(source.has).sorted()
    if present.isEmpty { return [] }
    let open = try ExternalFolder.made(self)
    var copied: [String] = []
    do {
      for name in present where !open.has(name) {
        copied.append(name)
        let data = try source.read(name)
        try data.withUnsafeBytes { try open.write($0, to: name) }
      }
      try syncNames(of: copied)
    } catch {
      open.remove(copied)
      throw error
    }
    return copied
  }

  func remove(_ names: [String]) {
    if !names.isEmpty { (try? ExternalFolder(self))?.remove(names) }
  }

  /// Removes all files of values, what journals processes have left that do not live, and the folders if they are empty
  /// then. Whatever else is in them stays.
  func removeAll() {
    guard !isInMemory else { return }
    if let open = try? ExternalFolder(self) { open.remove(open.names.sorted()) }
    ExternalJournal.removeAbandoned(self)
    // A link for a folder is no folder to remove, nor is what lies behind it.
    guard let descriptor = try? ExternalFolder.opened(support, files: self, open: { open(support.path, $0) }) else {
      return
    }
    unlinkat(descriptor, folder.lastPathComponent, AT_REMOVEDIR)
    close(descriptor)
    rmdir(support.path)
  }
}
