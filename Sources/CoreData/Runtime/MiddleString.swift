internal import CSwiftRuntime

/// Strings of 16 to 63 ASCII bytes, made as the standard library makes them: an object, and the bytes behind its head.
///
/// The library goes through half a dozen functions before it takes memory; writing the object here saves a third of the
/// instructions of a reading, and names and titles are read often. Not longer ones: their objects have another part at
/// the end. Only after `setUp` has seen that the library's own objects have this form.
///
/// | offset | content |
/// |---|---|
/// | 0 | what every object begins with |
/// | 16 | the room for bytes, a multiple of 16 |
/// | 24 | the count, with the flags of such a string: the string's own first word |
/// | 32 | the bytes, then a zero |
enum MiddleString {
  /// Allows the short way if the library's objects are what is expected. Called before there are rows.
  static let setUp: Void = {
    let isAsExpected = (16...63).allSatisfy { count in
      // Of bytes that are written when this runs: literals have a form of their own.
      let sample = String(decoding: [UInt8](repeating: UInt8(count), count: count), as: UTF8.self)
      return withExtendedLifetime(sample) {
        let (first, second) = unsafeBitCast(sample, to: (UInt64, UInt64).self)
        guard first == head(count), second >> 56 == 0,
          let object = UnsafeRawPointer(bitPattern: UInt(second))
        else { return false }
        if count == 16 { core_data_string_class = object.load(as: UnsafeRawPointer.self) }
        return object.load(as: UnsafeRawPointer?.self) == core_data_string_class
          && object.load(fromByteOffset: 16, as: Int.self) == room(count)
          && object.load(fromByteOffset: 24, as: UInt64.self) == first
          && object.load(fromByteOffset: 32, as: UInt8.self) == UInt8(count)
          && object.load(fromByteOffset: 32 + count, as: UInt8.self) == 0
      }
    }
    if !isAsExpected || MemoryLayout<String>.size != 16 { core_data_string_class = nil }
  }()

  @inline(__always)
  private static func head(_ count: Int) -> UInt64 { 0xF000_0000_0000_0000 | UInt64(count) }

  /// For the bytes and a zero.
  @inline(__always)
  private static func room(_ count: Int) -> Int { (count &+ 16) & ~15 }

  /// nil for what is not ASCII, or not of such a length, or where the form is not known.
  @inline(__always)
  static func make(_ start: UnsafeRawPointer, _ count: Int) -> String? {
    guard count &- 16 < 48, count >= 16, let stringClass = core_data_string_class else { return nil }
    // By words; the last one overlaps the one before it.
    let last = count &- 8
    var all = start.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    var place = 0
    while place < last {
      all |= start.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      place &+= 8
    }
    if all & 0x8080_8080_8080_8080 != 0 { return nil }
    let object = swift_allocObject(stringClass, 32 &+ room(count), 7)
    object.storeBytes(of: room(count), toByteOffset: 16, as: Int.self)
    object.storeBytes(of: head(count), toByteOffset: 24, as: UInt64.self)
    object.storeBytes(of: 0, toByteOffset: 32 &+ count, as: UInt8.self)
    place = 0
    while place < last {
      object.storeBytes(
        of: start.loadUnaligned(fromByteOffset: place, as: UInt64.self), toByteOffset: 32 &+ place, as: UInt64.self)
      place &+= 8
    }
    object.storeBytes(
      of: start.loadUnaligned(fromByteOffset: last, as: UInt64.self), toByteOffset: 32 &+ last, as: UInt64.self)
    return unsafeBitCast((head(count), UInt64(UInt(bitPattern: object))), to: String.self)
  }
}
