import Foundation

/// A report on a database's write-ahead log: how much of it counts, and how much of that the main file lacks.
///
/// A log has a header of 32 bytes, then frames of 24 bytes and a page each. A frame counts if it has the header's salt
/// and a correct checksum, which continues from frame to frame, and if a later frame, or the frame itself, ends its
/// transaction. Numbers are big-endian. The header's magic number tells the byte order of the checksum's words.
struct WriteAheadLog {
  /// Bytes of the file.
  let size: Int
  /// Frames that belong to finished transactions.
  private(set) var committedFrames = 0
  /// Finished transactions.
  private(set) var transactions = 0
  /// Pages whose newest committed content differs from that of the main file.
  private(set) var pagesNotInMainFile = 0

  /// nil when there is no log beside the database.
  init?(of database: URL) {
    guard let log = try? RegularFile.handle(database.path + "-wal") else { return nil }
    defer { try? log.close() }
    size = (try? log.seekToEnd()).map(Int.init) ?? 0
    try? log.seek(toOffset: 0)
    guard let header = try? log.read(upToCount: 32), header.count == 32 else { return }
    let words = Self.words(header, isBigEndian: true)
    guard words[0] & 0xFFFF_FFFE == 0x377F_0682 else { return }
    let isBigEndian = words[0] & 1 == 1
    let pageSize = words[2] == 1 ? 65_536 : Int(words[2])
    guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else { return }
    var sum = Checksum()
    sum.add(Self.words(header.prefix(24), isBigEndian: isBigEndian))
    guard sum.first == words[6], sum.second == words[7] else { return }
    var newest: [UInt32: UInt64] = [:]
    var pending: [UInt32: UInt64] = [:]
    var frames = 0
    var offset: UInt64 = 32
    while let frame = try? log.read(upToCount: 24 + pageSize), frame.count == 24 + pageSize {
      let head = Self.words(frame.prefix(24), isBigEndian: true)
      // Pages count from 1; SQLite, too, takes a frame of page 0 for the end of the log.
      guard head[0] != 0, head[2] == words[4], head[3] == words[5] else { break }
      sum.add(Self.words(frame.prefix(8), isBigEndian: isBigEndian))
      sum.add(Self.words(frame.dropFirst(24), isBigEndian: isBigEndian))
      guard sum.first == head[4], sum.second == head[5] else { break }
      frames += 1
      pending[head[0]] = offset + 24
      if head[1] != 0 {
        committedFrames = frames
        transactions += 1
        newest.merge(pending) { $1 }
        pending = [:]
      }
      offset += UInt64(24 + pageSize)
    }
    pagesNotInMainFile = Self.differing(newest, log, database, pageSize)
  }

  private static func differing(
    _ pages: [UInt32: UInt64], _ log: FileHandle, _ database: URL, _ pageSize: Int
  ) -> Int {
    guard let main = FileHandle(forReadingAtPath: database.path) else { return pages.count }
    defer { try? main.close() }
    func read(_ file: FileHandle, at offset: UInt64) -> Data? {
      guard (try? file.seek(toOffset: offset)) != nil else { return nil }
      return try? file.read(upToCount: pageSize)
    }
    return pages.count { page, offset in
      read(log, at: offset) != read(main, at: UInt64(page - 1) * UInt64(pageSize))
    }
  }

  private static func words(_ data: Data, isBigEndian: Bool) -> [UInt32] {
    data.withUnsafeBytes { bytes in
      (0..<(bytes.count / 4)).map { index in
        let word = bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
      }
    }
  }

  private struct Checksum {
    var first: UInt32 = 0
    var second: UInt32 = 0

    mutating func add(_ words: [UInt32]) {
      var index = 0
      while index + 1 < words.count {
        first = first &+ words[index] &+ second
        second = second &+ words[index + 1] &+ first
        index += 2
      }
    }
  }
}
