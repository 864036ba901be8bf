/// Writes a binary property list; the reader's head describes the format. Equal scalars are written once.
/// The same value always gives the same bytes: dictionaries are written in order of their keys.
public struct BinaryPropertyListWriter {
  /// Objects in the order of their indexes, with references resolved to indexes.
  private var objects: [FlatObject] = []
  private var known: [PropertyList: Int] = [:]

  private enum FlatObject {
    case scalar(PropertyList)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  public static func write(_ value: PropertyList) -> [UInt8] {
    var writer = BinaryPropertyListWriter()
    let top = writer.add(value)
    return writer.encode(top: top)
  }

  private mutating func add(_ value: PropertyList) -> Int {
    switch value {
    case .array(let elements):
      let index = reserve()
      objects[index] = .array(elements.map { add($0) })
      return index
    case .dictionary(let dictionary):
      let index = reserve()
      let entries = dictionary.sorted { $0.key < $1.key }
      let keys = entries.map { add(.string($0.key)) }
      objects[index] = .dictionary(keys: keys, values: entries.map { add($0.value) })
      return index
    default:
      if let index = known[value] { return index }
      objects.append(.scalar(value))
      known[value] = objects.count - 1
      return objects.count - 1
    }
  }

  private mutating func reserve() -> Int {
    objects.append(.array([]))
    return objects.count - 1
  }

  private func encode(top: Int) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    let referenceSize = Self.width(of: objects.count)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      switch object {
      case .scalar(let value): Self.append(value, to: &bytes)
      case .array(let references):
        Self.append(kind: 0xA, count: references.count, to: &bytes)
        for reference in references { Self.append(reference, width: referenceSize, to: &bytes) }
      case .dictionary(let keys, let values):
        Self.append(kind: 0xD, count: keys.count, to: &bytes)
        for reference in keys + values { Self.append(reference, width: referenceSize, to: &bytes) }
      }
    }
    let tableStart = bytes.count
    let offsetSize = Self.width(of: tableStart)
    for offset in offsets { Self.append(offset, width: offsetSize, to: &bytes) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [objects.count, top, tableStart] { Self.append(number, width: 8, to: &bytes) }
    return bytes
  }

  private static func append(_ value: PropertyList, to bytes: inout [UInt8]) {
    switch value {
    case .boolean(let flag): bytes.append(flag ? 9 : 8)
    case .integer(let number): append(integer: number, to: &bytes)
    case .real(let number):
      bytes.append(0x23)
      append(bits: number.bitPattern, width: 8, to: &bytes)
    case .date(let seconds):
      bytes.append(0x33)
      append(bits: seconds.bitPattern, width: 8, to: &bytes)
    case .data(let data):
      append(kind: 0x4, count: data.count, to: &bytes)
      bytes += data
    case .string(let string):
      if string.utf8.allSatisfy({ $0 < 0x80 }) {
        append(kind: 0x5, count: string.utf8.count, to: &bytes)
        bytes += Array(string.utf8)
      } else {
        append(kind: 0x6, count: string.utf16.count, to: &bytes)
        for unit in string.utf16 { append(bits: UInt64(unit), width: 2, to: &bytes) }
      }
    case .uid(let index):
      let width = width(of: index)
      bytes.append(0x80 | UInt8(width - 1))
      append(index, width: width, to: &bytes)
    case .array, .dictionary: preconditionFailure("containers are written by reference")
    }
  }

  private static func append(integer number: Int64, to bytes: inout [UInt8]) {
    // Only 8 bytes carry a sign.
    let width = number < 0 ? 8 : width(of: Int(number))
    bytes.append(0x10 | UInt8(width.trailingZeroBitCount))
    append(bits: UInt64(bitPattern: number), width: width, to: &bytes)
  }

  private static func append(kind: UInt8, count: Int, to bytes: inout [UInt8]) {
    bytes.append(kind << 4 | UInt8(min(count, 15)))
    if count >= 15 { append(integer: Int64(count), to: &bytes) }
  }

  private static func append(_ number: Int, width: Int, to bytes: inout [UInt8]) {
    append(bits: UInt64(number), width: width, to: &bytes)
  }

  private static func append(bits: UInt64, width: Int, to bytes: inout [UInt8]) {
    for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
  }

  /// 1, 2, 4 or 8 bytes, whichever hold the number.
  private static func width(of number: Int) -> Int {
    number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
  }
}
