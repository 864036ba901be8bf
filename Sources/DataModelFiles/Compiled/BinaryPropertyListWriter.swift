/// Writes a binary property list in the format that `PropertyListTable` describes. Equal scalars are written once.
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
    let referenceSize = [UInt8].width(of: objects.count)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      switch object {
      case .scalar(let value): Self.append(value, to: &bytes)
      case .array(let references):
        bytes.appendKind(0xA, count: references.count)
        for reference in references { bytes.appendBig(UInt64(reference), width: referenceSize) }
      case .dictionary(let keys, let values):
        bytes.appendKind(0xD, count: keys.count)
        for reference in keys + values { bytes.appendBig(UInt64(reference), width: referenceSize) }
      }
    }
    bytes.appendTable(offsets, offsetSize: [UInt8].width(of: bytes.count), referenceSize: referenceSize, top: top)
    return bytes
  }

  private static func append(_ value: PropertyList, to bytes: inout [UInt8]) {
    switch value {
    case .boolean(let flag): bytes.append(flag ? 9 : 8)
    case .integer(let number): bytes.appendInteger(number)
    case .real(let number): bytes.appendReal(number)
    case .date(let seconds):
      bytes.append(0x33)
      bytes.appendBig(seconds.bitPattern, width: 8)
    case .data(let data):
      bytes.appendKind(0x4, count: data.count)
      bytes += data
    case .string(let string): bytes.appendText(string)
    case .uid(let index): bytes.appendReference(index)
    case .array, .dictionary: preconditionFailure("containers are written by reference")
    }
  }
}
