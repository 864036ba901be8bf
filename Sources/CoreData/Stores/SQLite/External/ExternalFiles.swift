/// Binary values in files of their own, beside the store.
///
/// If an attribute allows such files, its column has one of two forms:
///
/// | first byte | the rest |
/// |---|---|
/// | 1 | the value |
/// | 2 | the name of a file, 36 characters, and a zero byte |
///
/// The files are in `.<name of the store>_SUPPORT/_EXTERNAL_DATA`, named by a UUID. A file never changes: a new value
/// gets a new file.
///
/// Any program may have written the database, so the names in its rows are not trusted:
///
/// 1. Only 36 bytes that spell a UUID are a name. Anything else is an error when the data is asked for; it is never
///    opened, and never removed (`ExternalReference.uuid`).
/// 2. Names are looked up in the open folder (`openat`, `unlinkat`), never as part of a path. Neither of the two
///    folders, nor a file, may be a link (`ExternalFolder`).
/// 3. Only regular files are read, copied and removed, one by one. Folders are removed only if they are empty.
///
/// A file is read when the data of its row is asked for: see `ExternalReference`. `ExternalStorage` decides when files
/// are made and removed. Any thread.
package struct ExternalFiles: Sendable {
  /// Where the store is. Found once, because links are followed.
  private final class Place: Sendable {
    let store: URL
    /// Where SQLite has the store's file.
    let database: DatabasePlace
    /// The file, or the link to it, that has the folder beside it.
    let owner: URL
    let support: URL

    init(_ store: URL, followsLinks: Bool) {
      self.store = store
      database = followsLinks ? DatabasePlace(store) : DatabasePlace(unresolved: store)
      owner = ExternalFiles.owner(store, database)
      support = ExternalFiles.support(beside: owner)
    }
  }

  private let place: Place
  /// The number of the `ExternalSource` that finds the files for rows; -1 where no rows are read.
  var source = -1

  /// - Parameter followsLinks: false for a store that is about to take a link's place.
  init(store: URL, source: Int = -1, followsLinks: Bool = true) {
    place = Place(store, followsLinks: followsLinks)
    self.source = source
  }

  var store: URL { place.store }

  /// Where SQLite has the store's file.
  var database: DatabasePlace { place.database }

  /// The file, or the link to it, that has the folder beside it.
  var owner: URL { place.owner }

  /// Values longer than this go into files.
  static let threshold = 128 * 1024

  /// A store in memory has no folder.
  var isInMemory: Bool { store.isStoreInMemory }

  var support: URL { place.support }

  /// The folder `support` of the store at a URL.
  package static func support(of store: URL) -> URL { support(beside: owner(store, DatabasePlace(store))) }

  private static func support(beside owner: URL) -> URL {
    let name = owner.deletingPathExtension().lastPathComponent
    return owner.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
  }

  /// The folder is beside the file that a link leads to; or beside the link, if there is only that one.
  private static func owner(_ store: URL, _ database: DatabasePlace) -> URL {
    if database.path == store.path { return store }
    func hasFolder(_ owner: URL) -> Bool {
      var status = stat()
      return lstat(support(beside: owner).path, &status) == 0
    }
    return hasFolder(store) && !hasFolder(database.url) ? store : database.url
  }

  var folder: URL { support.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true) }

  /// Whether there is a folder, or something in its place.
  var exist: Bool {
    var status = stat()
    return !isInMemory && lstat(folder.path, &status) == 0
  }

  /// The files that rows name; empty if there is no folder for such files.
  func named(in connection: Connection) throws -> Set<String> {
    exist ? try ExternalFiles.named(in: connection) : []
  }

  // Columns.

  /// The bytes of a column that stand for the name of a file, unchecked; nil if the value is in the column.
  static func reference(inTagged bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard bytes.count == ExternalReference.nameLength + 2, bytes[0] == 2 else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[1...ExternalReference.nameLength])
  }

  /// The name of the file that a column refers to; nil if the value is in the column, or the name is not a UUID.
  static func fileName(inTagged bytes: UnsafeRawBufferPointer) -> String? {
    guard let name = reference(inTagged: bytes), ExternalReference.uuid(name) != nil else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// The bytes of a value that is in the column. A value that was written before the attribute allowed files has no
  /// byte in front.
  static func value(inTagged bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard bytes.count > 0, bytes[0] == 1 else { return bytes }
    return UnsafeRawBufferPointer(rebasing: bytes[1...])
  }

  /// The value of a column, read from the column or from its file.
  func value(ofTagged bytes: UnsafeRawBufferPointer) throws -> Data {
    guard let name = ExternalFiles.reference(inTagged: bytes) else { return Data(ExternalFiles.value(inTagged: bytes)) }
    return try data(named: String(decoding: name, as: UTF8.self))
  }

  /// The archive of a transformable attribute whose column has a tag: from the column, or from its file. nil if there
  /// is no tag, since an archive begins with neither.
  ///
  /// - Throws: what is wrong with the file.
  func archive(ofTagged bytes: UnsafeRawBufferPointer, _ property: LayoutProperty) throws -> Data? {
    if bytes.last == 0, let name = ExternalFiles.fileName(inTagged: bytes) {
      do { return try data(named: name) } catch Failure.externalFile(var problem) {
        problem.entity = property.description.entity.name
        problem.property = property.name
        throw Failure.externalFile(problem)
      }
    }
    guard bytes.count > 0, bytes[0] == 1, bytes[1...].starts(with: "bplist".utf8) else { return nil }
    return Data(bytes[1...])
  }

  /// The column for a short value.
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

  /// Flushes the names of new files to the disk. Must be called before the commit of the rows that have them.
  func syncNames(of names: [String]) throws {
    if names.isEmpty { return }
    for folder in [folder, support, support.deletingLastPathComponent()] {
      let code = ExternalFiles.synchronize(folder.path)
      if code != 0 { throw problem(.call("fsync", isWriting: true, errno: code), folder) }
    }
  }

  /// Flushes the store's last commit to the disk, and returns whether it is there. Must be called before files are
  /// removed that the commit has forgotten. It may be only in the log. Without a log, the commit is the end of a
  /// journal, which is removed, cut off or overwritten: a journal that a power cut brings back undoes it.
  func syncCommit() -> Bool {
    let log = ExternalFiles.synchronize(database.log)
    guard log == ENOENT else { return log == 0 }
    let journal = ExternalFiles.synchronize(database.journal)
    guard journal == 0 || journal == ENOENT else { return false }
    return ExternalFiles.synchronize(database.url.deletingLastPathComponent().path) == 0
  }

  /// Flushes a file or a folder to the disk. Returns 0 or the number of the error. Some file systems can't flush a
  /// folder (EINVAL), and need not.
  @discardableResult
  static func synchronize(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
  }

  /// Copies files of another store that are not here yet, all or none, and returns their names. Skips names that have
  /// no regular file there.
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

  /// Removes all files of values, the journals that have no owner any more, and the folders if they are empty then. Any
  /// other file in the folders stays.
  func removeAll() {
    guard !isInMemory else { return }
    if let open = try? ExternalFolder(self) { open.remove(open.names.sorted()) }
    ExternalJournal.removeAbandoned(self)
    // If the folder is a link, neither the link nor its target is ours to remove.
    guard let descriptor = try? ExternalFolder.opened(support, files: self, open: { open(support.path, $0) }) else {
      return
    }
    unlinkat(descriptor, folder.lastPathComponent, AT_REMOVEDIR)
    close(descriptor)
    rmdir(support.path)
  }
}

extension LayoutProperty {
  /// See `SlotColumn`.
  var mayHaveTag: Bool { kind == .transformable && attribute.allowsExternalBinaryDataStorage }
}
