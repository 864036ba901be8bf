internal import CSQLite

/// The rollback journal beside a database, which SQLite plays back when the database is read.
///
/// The journals of a transaction over several databases end with the path of one more file, which SQLite looks for
/// before it plays a journal back, and removes after that. The path is taken as it is: a journal that came with a store
/// could have any file removed.
package enum RollbackJournal {
  /// Throws if SQLite would remove a file that it has not made beside the database. So a copy's journal is not played
  /// back either if it belongs to such a transaction: the original waits for the file.
  static func check(beside path: String) throws {
    guard let name = removedFile(beside: path) else { return }
    throw SQLiteError(
      extendedCode: SQLITE_AUTH,
      message: "its journal asks for the removal of the file \(name), which is of no transaction in its folder")
  }

  /// The file that the playback of the journal beside a database would remove, if SQLite has not made it in the same
  /// folder for a transaction; nil if there is none, as nearly always.
  package static func removedFile(beside path: String) -> String? {
    let place = DatabasePlace(path)
    let descriptor = open(place.journal, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let name = name(in: descriptor), access(name, F_OK) == 0, !isOfTransaction(name, place.path) else {
      return nil
    }
    return name
  }

  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// The path at the end of a journal: its bytes, how many they are, their sum, and eight bytes that a journal also
  /// begins with.
  private static func name(in descriptor: Int32) -> String? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let size = Int(status.st_size)
    guard size > 16, let end = bytes(16, at: size - 16, descriptor), end[8...].elementsEqual(magic) else { return nil }
    let count = Int(end[0]) << 24 | Int(end[1]) << 16 | Int(end[2]) << 8 | Int(end[3])
    guard 1...min(size - 16, Int(PATH_MAX)) ~= count, let name = bytes(count, at: size - 16 - count, descriptor) else {
      return nil
    }
    return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func bytes(_ count: Int, at place: Int, _ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(place)) }
    return found == count ? bytes : nil
  }

  /// Whether a path is one that SQLite gives such a file, in the folder of the database: the path of a database, `-mj`,
  /// six digits, a 9 and two digits, all hexadecimal.
  private static func isOfTransaction(_ name: String, _ path: String) -> Bool {
    let folder = path.utf8.prefix(through: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.startIndex)
    guard name.utf8.starts(with: folder) else { return false }
    let rest = Array(name.utf8.dropFirst(folder.count))
    guard rest.count > 12, !rest.contains(UInt8(ascii: "/")) else { return false }
    let end = Array(rest.suffix(12))
    return end.starts(with: "-mj".utf8) && end[9] == UInt8(ascii: "9")
      && end[3...].allSatisfy { 48...57 ~= $0 || 65...70 ~= $0 }
  }
}
