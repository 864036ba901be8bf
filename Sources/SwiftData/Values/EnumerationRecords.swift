/// The cases of an enumeration and their payloads, from the reflection records that the compiler emits.
///
/// Their layout isn't documented as stable. This is the layout of Swift 5 and 6 on 64-bit systems:
///
///     metadata    +0  kind: 0x200 for a struct, 0x201 for an enumeration, 0x301 for a tuple
///                 +8  descriptor    +16  generic arguments
///     descriptor  +16 relative pointer to the field descriptor
///     fields      +10 UInt16: bytes of a record    +12 UInt32: how many    +16 the records
///     record      +4  relative pointer to the payload's mangled name, 0 without one    +8  to the case's name
///     tuple       +8  how many    +16 labels, each followed by a blank    +24 pairs of a type and an offset
///
/// Cases with payload come first. `ModelAssumption.enumerationRecords` checks the layout. If it is another, the program
/// ends with that message at the first model with a struct or an enumeration.
struct EnumerationCase {
  let name: String
  /// Nil for a case without payload.
  let payload: [(name: String, type: Any.Type)]?

  /// Nil if the type isn't an enumeration.
  static func all(of type: Any.Type) -> [EnumerationCase]? {
    ModelAssumption.enumerationRecords.require()
    return records(of: type)
  }

  /// Whether the type is a struct.
  static func isStruct(_ type: Any.Type) -> Bool {
    ModelAssumption.enumerationRecords.require()
    return unsafeBitCast(type, to: UnsafeRawPointer.self).load(as: UInt.self) == 0x200
  }

  /// The cases of an enumeration, without checking the layout: for the check itself.
  static func records(of type: Any.Type) -> [EnumerationCase]? {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard metadata.load(as: UInt.self) == 0x201 else { return nil }
    let descriptor = metadata.load(fromByteOffset: 8, as: UnsafeRawPointer.self)
    guard let fields = relative(descriptor, 16) else { return [] }
    let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
    let count = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
    // A record has flags and two relative pointers, 4 bytes each.
    guard size == 12 else { return [] }
    return (0..<count).compactMap { index in
      let record = fields + 16 + index * size
      guard let name = relative(record, 8) else { return nil }
      let payload = relative(record, 4).map {
        MangledType(start: $0, context: descriptor, arguments: metadata + 16).payload
      }
      return EnumerationCase(name: String(cString: name.assumingMemoryBound(to: CChar.self)), payload: payload)
    }
  }

  /// A value for each case of an enumeration without payloads, which are numbered from 0; nil for other types.
  static func values<Enumeration>(of type: Enumeration.Type) -> [Enumeration]? {
    guard let cases = all(of: type), !cases.isEmpty, cases.allSatisfy({ $0.payload == nil }) else { return nil }
    return cases.indices.map { number in
      withUnsafeTemporaryAllocation(of: Enumeration.self, capacity: 1) { place in
        let bytes = UnsafeMutableRawBufferPointer(place)
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        return place[0]
      }
    }
  }

  private static func relative(_ base: UnsafeRawPointer, _ offset: Int) -> UnsafeRawPointer? {
    let distance = base.load(fromByteOffset: offset, as: Int32.self)
    return distance == 0 ? nil : base + offset + Int(distance)
  }
}

/// The mangled name of a payload's type. It refers to other types by embedded pointers.
private struct MangledType {
  let start: UnsafeRawPointer
  let context: UnsafeRawPointer
  let arguments: UnsafeRawPointer

  /// The length up to the terminating zero. Bytes 0x01 to 0x17 begin a reference of 4 bytes, 0x18 to 0x1F one of 8.
  private var length: Int {
    var length = 0
    while true {
      switch start.load(fromByteOffset: length, as: UInt8.self) {
      case 0: return length
      case 0x01...0x17: length += 5
      case 0x18...0x1F: length += 9
      default: length += 1
      }
    }
  }

  private func type(_ length: Int) -> Any.Type? {
    _getTypeByMangledNameInContext(
      start.assumingMemoryBound(to: UInt8.self), UInt(length), genericContext: context, genericArguments: arguments)
  }

  var payload: [(name: String, type: Any.Type)] {
    if let labelled { return [labelled] }
    guard let type = type(length) else { return [] }
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard metadata.load(as: UInt.self) == 0x301 else { return [("_0", type)] }
    let count = metadata.load(fromByteOffset: 8, as: Int.self)
    let labels = metadata.load(fromByteOffset: 16, as: UnsafePointer<CChar>?.self).map { String(cString: $0) } ?? ""
    let names = labels.split(separator: " ", omittingEmptySubsequences: false)
    return (0..<count).map { index in
      let name = index < names.count && !names[index].isEmpty ? String(names[index]) : "_\(index)"
      return (name, metadata.load(fromByteOffset: 24 + index * 16, as: Any.Type.self))
    }
  }

  /// A single payload value with a label. Swift has no tuples of one element, so only the name has the label, as in
  /// `Si7weekday_t`.
  private var labelled: (name: String, type: Any.Type)? {
    let bytes = (0..<length).map { start.load(fromByteOffset: $0, as: UInt8.self) }
    guard bytes.count > 3, bytes.suffix(2) == [UInt8(ascii: "_"), UInt8(ascii: "t")] else { return nil }
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    for last in stride(from: bytes.count - 3, to: 0, by: -1) where digits.contains(bytes[last]) {
      var first = last
      while first > 0, digits.contains(bytes[first - 1]) { first -= 1 }
      guard let count = Int(String(decoding: bytes[first...last], as: UTF8.self)),
        last + 1 + count == bytes.count - 2, let type = type(first)
      else { continue }
      return (String(decoding: bytes[(last + 1)..<(bytes.count - 2)], as: UTF8.self), type)
    }
    return nil
  }
}
