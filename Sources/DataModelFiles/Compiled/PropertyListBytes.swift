// The parts of a binary property list, for code that writes one. `PropertyListTable` describes the format.

extension [UInt8] {
  /// The lowest bytes of a number, the highest of them first.
  @inlinable
  package mutating func appendBig(_ bits: UInt64, width: Int) {
    var shift = (width - 1) * 8
    while shift >= 0 {
      append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
      shift -= 8
    }
  }

  /// An integer object.
  @inlinable
  package mutating func appendInteger(_ value: Int64) {
    // Only 8 bytes carry a sign.
    let width = value < 0 ? 8 : [UInt8].width(of: Int(value))
    append(0x10 | UInt8(width.trailingZeroBitCount))
    appendBig(UInt64(bitPattern: value), width: width)
  }

  /// The head of an object: its kind and how many elements it has.
  @inlinable
  package mutating func appendKind(_ kind: UInt8, count: Int) {
    append(kind << 4 | UInt8(Swift.min(count, 15)))
    if count >= 15 { appendInteger(Int64(count)) }
  }

  /// A text object: of ASCII its bytes, of anything else UTF-16.
  package mutating func appendText(_ utf8: UnsafeRawBufferPointer) {
    if utf8.allSatisfy({ $0 < 0x80 }) {
      appendKind(5, count: utf8.count)
      append(contentsOf: utf8)
      return
    }
    let units = [UInt16](String(decoding: utf8, as: UTF8.self).utf16)
    appendKind(6, count: units.count)
    for unit in units { appendBig(UInt64(unit), width: 2) }
  }

  package mutating func appendText(_ text: String) {
    var text = text
    text.withUTF8 { appendText(UnsafeRawBufferPointer($0)) }
  }

  package mutating func appendReal(_ value: Double) {
    append(0x23)
    appendBig(value.bitPattern, width: 8)
  }

  /// A UID, the reference of a keyed archive.
  package mutating func appendReference(_ uid: Int) {
    let width = [UInt8].width(of: uid)
    append(0x80 | UInt8(width - 1))
    appendBig(UInt64(uid), width: width)
  }

  /// The end of a file: the table of the objects' places, and the trailer.
  package mutating func appendTable(_ offsets: some Collection<Int>, offsetSize: Int, referenceSize: Int, top: Int) {
    let start = count
    reserveCapacity(start + offsets.count * offsetSize + 32)
    for offset in offsets { appendBig(UInt64(offset), width: offsetSize) }
    self += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [offsets.count, top, start] { appendBig(UInt64(number), width: 8) }
  }

  /// 1, 2, 4 or 8 bytes, whichever hold the number.
  @inlinable
  package static func width(of number: Int) -> Int {
    number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
  }
}
