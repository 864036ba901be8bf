/// A keyed archive, read where it lies: nothing is made of its objects but what is asked for, no class is looked up,
/// and no cycle can lead astray.
///
/// The bytes are a binary property list: objects, each a byte of kind and size and its content; the table of their
/// offsets; 32 bytes with the sizes of offsets and references, the number of objects, the first one and the place of
/// the table. The archive is a dictionary; `$objects` is the table that its references (UIDs) count in, and `$top`
/// names where to begin.
struct ArchiveReader {
  /// An object of the property list: the place of its kind.
  struct Object: Equatable {
    fileprivate let offset: Int
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let tableStart: Int
  /// By UID.
  private var table = Elements(start: 0, count: 0)
  private var top = Object(offset: 0)

  /// References that stand one after the other.
  struct Elements {
    fileprivate let start: Int
    let count: Int
  }

  /// - Parameter bytes: outlive the reader.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    self.bytes = bytes
    guard bytes.count >= 40, bytes.prefix(6).elementsEqual("bplist".utf8) else { throw ArchiveReader.damaged }
    let trailer = bytes.count - 32
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    count = Int(truncatingIfNeeded: ArchiveReader.bits(bytes, trailer + 8, 8))
    let first = Int(truncatingIfNeeded: ArchiveReader.bits(bytes, trailer + 16, 8))
    tableStart = Int(truncatingIfNeeded: ArchiveReader.bits(bytes, trailer + 24, 8))
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count > 0, (0..<count).contains(first),
      (8...trailer).contains(tableStart), count <= (trailer - tableStart) / offsetSize
    else { throw ArchiveReader.damaged }
    let archive = try object(first)
    guard let archiver = try value(of: "$archiver", in: archive), try isString(archiver, "NSKeyedArchiver"),
      let objects = try value(of: "$objects", in: archive), let table = try elements(objects),
      let top = try value(of: "$top", in: archive)
    else { throw AtomicProblem.damaged(line: nil, "an archive in it is not a keyed archive") }
    self.table = table
    self.top = top
  }

  static let damaged = AtomicProblem.damaged(line: nil, "an archive in it is damaged")

  // Objects.

  /// What the archive has under a name.
  func root(_ name: StaticString) throws -> Object {
    guard let found = try value(of: name, in: top) else {
      throw AtomicProblem.damaged(line: nil, "an archive in it has no \(name)")
    }
    return try resolved(found)
  }

  private func object(_ index: Int) throws -> Object {
    guard index < count else { throw ArchiveReader.damaged }
    let offset = ArchiveReader.bits(bytes, tableStart + index * offsetSize, offsetSize)
    guard offset >= 8, offset < UInt64(tableStart) else { throw ArchiveReader.damaged }
    return Object(offset: Int(offset))
  }

  func element(_ elements: Elements, _ index: Int) throws -> Object {
    try object(reference(elements, index))
  }

  private func reference(_ elements: Elements, _ index: Int) -> Int {
    Int(truncatingIfNeeded: ArchiveReader.bits(bytes, elements.start + index * referenceSize, referenceSize))
      & 0x7FFF_FFFF_FFFF
  }

  /// The object that a reference leads to; any other object itself.
  func resolved(_ object: Object) throws -> Object {
    guard let index = uid(object) else { return object }
    guard index < table.count else { throw ArchiveReader.damaged }
    return try element(table, index)
  }

  func uid(_ object: Object) -> Int? {
    let byte = bytes[object.offset]
    guard byte >> 4 == 8, object.offset + 2 + Int(byte & 15) <= tableStart, byte & 15 < 8 else { return nil }
    return Int(truncatingIfNeeded: ArchiveReader.bits(bytes, object.offset + 1, Int(byte & 15) + 1)) & 0x7FFF_FFFF_FFFF
  }

  /// Whether it is the archive's nil.
  func isNil(_ object: Object) -> Bool { uid(object) == 0 }

  // Containers.

  /// The elements of an array of the property list.
  func elements(_ object: Object) throws -> Elements? {
    guard (0xA...0xC).contains(bytes[object.offset] >> 4) else { return nil }
    let (start, count) = try extent(object, width: referenceSize)
    return Elements(start: start, count: count)
  }

  /// Keys and values of a dictionary of the property list, which archived objects are.
  func fields(_ object: Object) throws -> (keys: Elements, values: Elements)? {
    guard bytes[object.offset] >> 4 == 0xD else { return nil }
    let (start, count) = try extent(object, width: 2 * referenceSize)
    return (
      Elements(start: start, count: count), Elements(start: start + count * referenceSize, count: count)
    )
  }

  func value(of key: StaticString, in object: Object) throws -> Object? {
    guard let (keys, values) = try fields(object) else { return nil }
    for index in 0..<keys.count where try isString(element(keys, index), key) { return try element(values, index) }
    return nil
  }

  /// A field of an archived object, with its reference followed; nil for none, and for the archive's nil.
  func field(_ key: StaticString, of object: Object) throws -> Object? {
    guard let found = try value(of: key, in: object), !isNil(found) else { return nil }
    return try resolved(found)
  }

  /// The name of an archived object's class.
  func isOf(_ names: [StaticString], _ object: Object) throws -> Bool {
    guard let type = try field("$class", of: object), let name = try value(of: "$classname", in: type) else {
      return false
    }
    for wanted in names where try isString(name, wanted) { return true }
    return false
  }

  // Values of the property list.

  func integer(_ object: Object) throws -> Int64? {
    let byte = bytes[object.offset]
    switch byte {
    case 0x08: return 0
    case 0x09: return 1
    case 0x10...0x14:
      let width = 1 << Int(byte & 15)
      guard object.offset + 1 + width <= tableStart else { throw ArchiveReader.damaged }
      // 16 bytes: the upper half is only sign.
      let start = object.offset + 1 + max(0, width - 8)
      return Int64(bitPattern: ArchiveReader.bits(bytes, start, min(width, 8)))
    default: return nil
    }
  }

  func real(_ object: Object) throws -> Double? {
    let byte = bytes[object.offset]
    switch byte {
    case 0x22:
      guard object.offset + 5 <= tableStart else { throw ArchiveReader.damaged }
      return Double(Float(bitPattern: UInt32(ArchiveReader.bits(bytes, object.offset + 1, 4))))
    case 0x23, 0x33:
      guard object.offset + 9 <= tableStart else { throw ArchiveReader.damaged }
      return Double(bitPattern: ArchiveReader.bits(bytes, object.offset + 1, 8))
    default: return try integer(object).map(Double.init)
    }
  }

  func isDate(_ object: Object) -> Bool { bytes[object.offset] == 0x33 }
  func isBoolean(_ object: Object) -> Bool { bytes[object.offset] & 0xFE == 0x08 }
  func isReal(_ object: Object) -> Bool { bytes[object.offset] >> 4 == 2 }

  func data(_ object: Object) throws -> UnsafeRawBufferPointer? {
    guard bytes[object.offset] >> 4 == 4 else { return nil }
    let (start, count) = try extent(object, width: 1)
    return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start..<start + count])
  }

  /// A text as UTF-8: of ASCII where it lies, else through `scratch`.
  func text(_ object: Object, _ scratch: inout [UInt8]) throws -> Range<Int>? {
    switch bytes[object.offset] >> 4 {
    case 5, 7:
      let (start, count) = try extent(object, width: 1)
      return start..<start + count
    case 6:
      let (start, count) = try extent(object, width: 2)
      scratch.removeAll(keepingCapacity: true)
      let units = (0..<count).lazy.map { index in
        UInt16(bytes[start + 2 * index]) << 8 | UInt16(bytes[start + 2 * index + 1])
      }
      let isBroken = transcode(units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true) {
        scratch.append($0)
      }
      if isBroken { throw AtomicProblem.damaged(line: nil, "a text in it is not UTF-16") }
      return 0..<0
    default: return nil
    }
  }

  func isWide(_ object: Object) -> Bool { bytes[object.offset] >> 4 == 6 }

  func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range])
  }

  func string(_ object: Object) throws -> String? {
    var scratch: [UInt8] = []
    guard let range = try text(object, &scratch) else { return nil }
    return isWide(object) ? String(decoding: scratch, as: UTF8.self) : String(decoding: part(range), as: UTF8.self)
  }

  func isString(_ object: Object, _ text: StaticString) throws -> Bool {
    guard bytes[object.offset] >> 4 == 5 else { return false }
    let (start, count) = try extent(object, width: 1)
    return count == text.utf8CodeUnitCount
      && (count == 0 || memcmp(bytes.baseAddress! + start, text.utf8Start, count) == 0)
  }

  /// Where an object's content begins and how many elements of `width` bytes it has. A count of 15 or more follows as
  /// an integer.
  private func extent(_ object: Object, width: Int) throws -> (start: Int, count: Int) {
    var start = object.offset + 1
    var count = UInt64(bytes[object.offset] & 15)
    if count == 15 {
      guard start < tableStart, (0x10...0x13).contains(bytes[start]) else { throw ArchiveReader.damaged }
      let size = 1 << Int(bytes[start] & 15)
      guard start + 1 + size <= tableStart else { throw ArchiveReader.damaged }
      count = ArchiveReader.bits(bytes, start + 1, size)
      start += 1 + size
    }
    guard start <= tableStart, count <= UInt64((tableStart - start) / width) else { throw ArchiveReader.damaged }
    return (start, Int(count))
  }

  @inline(__always)
  private static func bits(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, _ count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in offset..<offset + count { value = value << 8 | UInt64(bytes[index]) }
    return value
  }
}
