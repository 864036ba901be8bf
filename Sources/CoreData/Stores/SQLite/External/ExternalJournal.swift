/// A list, on the disk, of files that may have no row. After a crash they are found here: the store never searches
/// the folder itself for files without rows.
///
/// A journal is a file `Pending-<UUID of the store>-<inode of its file>-<UUID>` in the folder `.<name>_SUPPORT`. It
/// belongs to one open store, which holds its lock (`flock`) as long as it lives. A line has 38 bytes:
///
/// | line | meaning |
/// |---|---|
/// | `+` name | the file may have no row: it is about to be made, or a row is about to forget it |
/// | `-` name | that is settled: a row has it, or it is gone |
///
/// 1. The line is on the disk before the file is made.
/// 2. The next store takes over a journal without an owner, if the UUID and the inode in the journal's name are the
///    store's own. A store that took another one's place ignores the other's journal, and so does a copy, or a new
///    store of the same name. So the files of a store that was moved aside are still there when it comes back.
/// 3. A name in a journal is a question, not an order: see `ExternalStorage.removePending`.
///
/// Not for use by several threads.
final class ExternalJournal {
  private let files: ExternalFiles
  private let name: String
  private let support: Int32
  private let descriptor: Int32
  private var length = 0

  private static let recordLength = ExternalReference.nameLength + 2
  /// A journal longer than this starts over when no name is open in it.
  private static let limit = 64 * 1024

  /// How the names of a store's journals begin; nil if its file is missing, or it is in memory.
  static func prefix(_ files: ExternalFiles, uuid: String) -> String? {
    var status = stat()
    guard !files.isInMemory, stat(files.store.path, &status) == 0 else { return nil }
    return "Pending-\(uuid)-\(status.st_ino)-"
  }

  /// Makes a new journal, and the folder if it is missing.
  init(_ files: ExternalFiles, prefix: String) throws {
    self.files = files
    name = prefix + UUID().uuidString
    _ = try ExternalFolder.made(files)
    guard let support = try ExternalFolder.opened(files.support, files: files, open: { open(files.support.path, $0) })
    else {
      throw files.problem(.call("open", isWriting: true, errno: ENOENT), files.support)
    }
    descriptor = openat(support, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_APPEND, 0o644)
    guard descriptor >= 0 else {
      let code = errno
      close(support)
      throw files.problem(.call("open", isWriting: true, errno: code), files.support.appendingPathComponent(name))
    }
    self.support = support
    flock(descriptor, LOCK_EX | LOCK_NB)
    _ = fsync(support)
  }

  /// Takes over a journal that has lost its owner; nil if it still has one, or is not a regular file.
  private init?(_ files: ExternalFiles, _ name: String) {
    self.files = files
    self.name = name
    guard let support = try? ExternalFolder.opened(files.support, files: files, open: { open(files.support.path, $0) })
    else {
      return nil
    }
    var status = stat()
    guard fstatat(support, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(support)
      return nil
    }
    descriptor = openat(support, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_APPEND)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      close(support)
      return nil
    }
    self.support = support
  }

  deinit {
    close(descriptor)
    close(support)
  }

  // Writing.

  /// Notes that files may have no row from now on.
  ///
  /// - Parameter lasting: whether the lines must be on the disk when this returns.
  func add(_ names: [String], lasting: Bool) throws {
    try append("+", names)
    if lasting, fsync(descriptor) != 0 { throw failure("fsync") }
  }

  /// Notes that names are settled. An error is ignored: after a crash, the name is only checked once more.
  func removeEntries(_ names: [String]) { try? append("-", names) }

  /// Empties the journal, in which no name may be open, and returns whether it did. With `ifLong` a short one stays as
  /// it is.
  func clear(ifLong: Bool) -> Bool {
    if ifLong, length < ExternalJournal.limit { return false }
    guard ftruncate(descriptor, 0) == 0 else { return false }
    length = 0
    return true
  }

  private func append(_ mark: String, _ names: [String]) throws {
    if names.isEmpty { return }
    let text = Array(names.map { mark + $0 + "\n" }.joined().utf8)
    var done = 0
    while done < text.count {
      let part = text.withUnsafeBytes { write(descriptor, $0.baseAddress! + done, text.count - done) }
      if part < 0, errno == EINTR { continue }
      guard part > 0 else {
        let error = failure("write")
        // Lines are found by their length, so no partial line may stay.
        ftruncate(descriptor, off_t(length))
        throw error
      }
      done += part
    }
    length += text.count
  }

  private func failure(_ call: String) -> Failure {
    files.problem(.call(call, isWriting: true, errno: errno), files.support.appendingPathComponent(name))
  }

  /// Removes the journal itself.
  func remove() { unlinkat(support, name, 0) }

  // Taking over.

  /// What is read of a journal. One save of many long values makes a long one; no longer one is made by the stack.
  private static let readableLength = 64 << 20

  /// The names that are open in the journal. Lines of another form are ignored.
  private var openNames: Set<String> {
    var names: Set<String> = []
    // Whole lines, so that each part begins with one.
    var bytes = [UInt8](repeating: 0, count: ExternalJournal.recordLength << 14)
    var position = 0
    while position < ExternalJournal.readableLength {
      let count = max(pread(descriptor, &bytes, bytes.count, off_t(position)), 0)
      let whole = count - count % ExternalJournal.recordLength
      if whole == 0 { break }
      for start in stride(from: 0, to: whole, by: ExternalJournal.recordLength) {
        let line = bytes[start..<(start + ExternalJournal.recordLength)]
        let name = line.dropFirst().prefix(ExternalReference.nameLength)
        guard name.withUnsafeBytes({ ExternalReference.uuid($0) }) != nil else { continue }
        let text = String(decoding: name, as: UTF8.self)
        if line.first == 43 { names.insert(text) } else { names.remove(text) }
      }
      position += whole
    }
    return names
  }

  /// Takes over the journals without an owner whose names begin with `prefix`. Returns them with their open names.
  static func abandoned(_ files: ExternalFiles, prefix: String) -> [(journal: ExternalJournal, names: Set<String>)] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: files.support.path)) ?? []
    return all.filter { $0.hasPrefix(prefix) }.compactMap { name in
      ExternalJournal(files, name).map { ($0, $0.openNames) }
    }
  }

  /// Removes the journals without an owner, of any store.
  static func removeAbandoned(_ files: ExternalFiles) {
    for (journal, _) in abandoned(files, prefix: "Pending-") { journal.remove() }
  }
}
