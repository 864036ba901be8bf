internal import CSwiftRuntime

/// Makes strings of 16 to 63 ASCII bytes in the standard library's own layout: an object, with the bytes behind its
/// header.
///
/// The library calls half a dozen functions before it allocates memory. Writing the object here saves a third of the
/// instructions of reading a string, and names and titles are read often. Longer strings are left to the library,
/// because their objects have another part at the end. The layout is used only after `setUp` has found it in the
/// library's own objects.
///
/// | offset | content |
/// |---|---|
/// | 0 | the object header |
/// | 16 | the capacity in bytes, a multiple of 16 |
/// | 24 | the count and the flags, equal to the first word of the string |
/// | 32 | the bytes, then a zero |
enum MiddleString {
  /// Enables this way if the library's objects have the expected layout. It is called before there are rows.
  static let setUp: Void = {
    let isAsExpected = (16...63).allSatisfy { count in
      // The sample's bytes are written at run time, because literals have another layout.
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

  // Inlined by force, as the count of `reread` asks for; see CONTRIBUTING.md.
  @inline(__always)
  private static func head(_ count: Int) -> UInt64 { 0xF000_0000_0000_0000 | UInt64(count) }

  /// The capacity for the bytes and a terminating zero.
  @inline(__always)
  private static func room(_ count: Int) -> Int { (count &+ 16) & ~15 }

  /// Nil if the bytes aren't ASCII, if the count is out of range, or if the layout isn't known.
  @inline(__always)
  static func make(_ start: UnsafeRawPointer, _ count: Int) -> String? {
    guard count &- 16 < 48, count >= 16, let stringClass = core_data_string_class else { return nil }
    // Looks at eight bytes at a time. The last word overlaps the one before it.
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
    // Moved out of its words. A cast would copy them, and the copy retains the object, which nothing would release.
    var words = (head(count), UInt64(UInt(bitPattern: object)))
    return withUnsafeMutablePointer(to: &words) {
      $0.withMemoryRebound(to: String.self, capacity: 1) { $0.move() }
    }
  }
}
