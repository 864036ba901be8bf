/// The first 64 bytes of a binary store, big-endian:
///
/// | offset | content |
/// |---|---|
/// | 0 | `CoreData` |
/// | 8 | 1, four bytes |
/// | 12 | 134481920, four bytes |
/// | 16, 24 | the offset and the length of the metadata's archive |
/// | 32, 40 | the offset and the length of the rows' archive |
/// | 48 | the last key that was given out |
/// | 56 | 0 |
struct BinaryStoreHeader {
  static let size = 64
  static let magic = Array("CoreData".utf8)
  private static let numbers: (UInt32, UInt32) = (1, 134_481_920)

  var metadata: Range<Int>
  var rows: Range<Int>
  var lastKey: Int64

  init(metadata: Range<Int>, rows: Range<Int>, lastKey: Int64) {
    (self.metadata, self.rows, self.lastKey) = (metadata, rows, lastKey)
  }

  init(_ bytes: [UInt8]) throws {
    guard bytes.count >= BinaryStoreHeader.size, bytes.starts(with: BinaryStoreHeader.magic) else {
      throw AtomicProblem.foreign("it does not begin with a binary store's header")
    }
    func number(_ offset: Int, _ width: Int) -> UInt64 {
      bytes[offset..<offset + width].reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard number(8, 4) == UInt64(BinaryStoreHeader.numbers.0), number(12, 4) == UInt64(BinaryStoreHeader.numbers.1)
    else { throw AtomicProblem.foreign("its version is \(number(8, 4)).\(number(12, 4))") }
    func range(_ offset: Int, _ what: String) throws -> Range<Int> {
      let (start, length) = (number(offset, 8), number(offset + 8, 8))
      guard start >= UInt64(BinaryStoreHeader.size), start <= UInt64(bytes.count),
        length <= UInt64(bytes.count) - start
      else {
        throw AtomicProblem.damaged(
          line: nil,
          "its header claims \(length) bytes of \(what) at byte \(start), but the file has \(bytes.count) bytes")
      }
      return Int(start)..<Int(start + length)
    }
    metadata = try range(16, "metadata")
    rows = try range(32, "rows")
    guard let lastKey = Int64(exactly: number(48, 8)) else {
      throw AtomicProblem.damaged(line: nil, "its last key is \(number(48, 8))")
    }
    self.lastKey = lastKey
  }

  var bytes: [UInt8] {
    var bytes = BinaryStoreHeader.magic
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    append(BinaryStoreHeader.numbers.0)
    append(BinaryStoreHeader.numbers.1)
    for range in [metadata, rows] {
      append(UInt64(range.lowerBound))
      append(UInt64(range.count))
    }
    append(lastKey)
    append(UInt64(0))
    return bytes
  }
}
