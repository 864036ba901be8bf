import Foundation

/// The first 100 bytes of a SQLite database.
struct DatabaseHeader {
  let pageSize: Int
  /// Whether the file uses a write-ahead log; otherwise it uses a rollback journal.
  let usesWriteAheadLog: Bool
  /// The number of pages that the file should have; nil if an old library, which keeps no count, wrote it last.
  let pages: Int?
  /// Bytes of the file.
  let size: Int

  init(_ url: URL) throws {
    guard let file = FileHandle(forReadingAtPath: url.path) else {
      throw InspectionFailure("The file \(url.path) cannot be read: permission denied.")
    }
    defer { try? file.close() }
    guard let bytes = try? file.read(upToCount: 100), bytes.count == 100 else {
      throw InspectionFailure("The file \(url.path) is truncated: it ends within the header.")
    }
    func number(_ offset: Int, _ count: Int) -> Int {
      bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }
    pageSize = number(16, 2) == 1 ? 65_536 : number(16, 2)
    usesWriteAheadLog = bytes[18] == 2 || bytes[19] == 2
    pages = number(24, 4) == number(92, 4) && number(28, 4) > 0 ? number(28, 4) : nil
    size = (try? file.seekToEnd()).map(Int.init) ?? 0
    guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else {
      throw InspectionFailure(
        "The file \(url.path) is damaged: its header claims pages of \(counted(pageSize, "byte")).")
    }
  }

  /// Throws if the file ends before its last page does.
  func checkSize(_ url: URL) throws {
    guard let pages, size < pages * pageSize else { return }
    throw InspectionFailure(
      "The file \(url.path) is truncated: its header claims \(counted(pages, "page")) of \(pageSize) bytes, "
        + "and it has \(counted(size, "byte")) instead of \(grouped(pages * pageSize)).")
  }
}
