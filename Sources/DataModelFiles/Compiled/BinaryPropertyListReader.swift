/// Reads a binary property list ("bplist00").
///
/// The file is: 8 bytes of magic and version; the objects; a table with each object's offset; a trailer of
/// 32 bytes:
///
/// | offset | bytes | meaning |
/// |---|---|---|
/// | 0 | 6 | unused |
/// | 6 | 1 | size of an entry of the offset table |
/// | 7 | 1 | size of a reference to an object |
/// | 8 | 8 | number of objects |
/// | 16 | 8 | index of the top object |
/// | 24 | 8 | where the offset table begins |
///
/// An object begins with a byte of kind (upper half) and size (lower half). All integers are big-endian.
public struct BinaryPropertyListReader {
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let tableStart: Int

  public static func read(_ bytes: [UInt8]) throws -> PropertyList {
    try BinaryPropertyListReader(bytes).topObject()
  }

  private init(_ bytes: [UInt8]) throws {
    guard bytes.count >= 40, bytes.starts(with: "bplist0".utf8) else {
      throw PropertyListError(description: "the file is not a binary property list")
    }
    self.bytes = bytes
    let trailer = bytes.count - 32
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw Self.damaged }
    objectCount = try Self.size(bytes, at: trailer + 8, count: 8)
    tableStart = try Self.size(bytes, at: trailer + 24, count: 8)
    guard objectCount <= bytes.count, tableStart <= trailer,
      tableStart + objectCount * offsetSize <= trailer
    else { throw Self.damaged }
  }

  private func topObject() throws -> PropertyList {
    try object(try Self.size(bytes, at: bytes.count - 16, count: 8), depth: 0)
  }

  private func object(_ index: Int, depth: Int) throws -> PropertyList {
    // The depth ends cycles; a keyed archive needs four levels.
    guard index < objectCount, depth < 100 else { throw Self.damaged }
    let start = try Self.size(bytes, at: tableStart + index * offsetSize, count: offsetSize)
    guard start < tableStart else { throw Self.damaged }
    let kind = bytes[start] >> 4
    let low = Int(bytes[start] & 0x0F)
    switch kind {
    case 0x0 where low == 8 || low == 9: return .boolean(low == 9)
    case 0x1 where low <= 4:
      // 1, 2 and 4 bytes are unsigned, 8 signed, 16 signed with the upper half ignored.
      let count = 1 << low
      let number = try Self.bits(bytes, at: start + 1 + max(0, count - 8), count: min(count, 8))
      return .integer(Int64(bitPattern: number))
    case 0x2 where low == 2:
      return .real(Double(Float(bitPattern: UInt32(try Self.bits(bytes, at: start + 1, count: 4)))))
    case 0x2 where low == 3: return .real(Double(bitPattern: try Self.bits(bytes, at: start + 1, count: 8)))
    case 0x3 where low == 3: return .date(Double(bitPattern: try Self.bits(bytes, at: start + 1, count: 8)))
    case 0x4:
      let (first, count) = try extent(at: start, low, width: 1)
      return .data(Array(bytes[first..<first + count]))
    case 0x5, 0x7:
      let (first, count) = try extent(at: start, low, width: 1)
      return .string(String(decoding: bytes[first..<first + count], as: UTF8.self))
    case 0x6:
      let (first, count) = try extent(at: start, low, width: 2)
      let units = (0..<count).map { UInt16(bytes[first + 2 * $0]) << 8 | UInt16(bytes[first + 2 * $0 + 1]) }
      return .string(String(decoding: units, as: UTF16.self))
    case 0x8: return .uid(try Self.size(bytes, at: start + 1, count: low + 1))
    case 0xA, 0xB, 0xC:
      let (first, count) = try extent(at: start, low, width: referenceSize)
      return .array(
        try (0..<count).map { try object(reference(first + $0 * referenceSize), depth: depth + 1) })
    case 0xD:
      let (first, count) = try extent(at: start, low, width: 2 * referenceSize)
      var dictionary: [String: PropertyList] = [:]
      dictionary.reserveCapacity(count)
      for position in 0..<count {
        let key = try object(reference(first + position * referenceSize), depth: depth + 1)
        guard case .string(let key) = key else { throw Self.damaged }
        dictionary[key] = try object(
          reference(first + (count + position) * referenceSize), depth: depth + 1)
      }
      return .dictionary(dictionary)
    default:
      throw PropertyListError(description: "the property list has an object of unknown kind \(bytes[start])")
    }
  }

  private func reference(_ offset: Int) throws -> Int {
    try Self.size(bytes, at: offset, count: referenceSize)
  }

  /// Where the content of an object begins and how many elements of `width` bytes it has. A count of 15 or
  /// more follows as an integer object.
  private func extent(at start: Int, _ low: Int, width: Int) throws -> (first: Int, count: Int) {
    var first = start + 1
    var count = low
    if low == 15 {
      guard first < bytes.count, bytes[first] >> 4 == 1, bytes[first] & 0x0F <= 3 else { throw Self.damaged }
      let size = 1 << Int(bytes[first] & 0x0F)
      count = try Self.size(bytes, at: first + 1, count: size)
      first += 1 + size
    }
    guard count <= tableStart, first + count * width <= tableStart else { throw Self.damaged }
    return (first, count)
  }

  private static func bits(_ bytes: [UInt8], at offset: Int, count: Int) throws -> UInt64 {
    guard offset + count <= bytes.count else { throw damaged }
    var value: UInt64 = 0
    for index in offset..<offset + count { value = value << 8 | UInt64(bytes[index]) }
    return value
  }

  private static func size(_ bytes: [UInt8], at offset: Int, count: Int) throws -> Int {
    let value = try bits(bytes, at: offset, count: count)
    guard value < 1 << 40 else { throw damaged }
    return Int(value)
  }

  private static let damaged = PropertyListError(description: "the property list is damaged")
}
