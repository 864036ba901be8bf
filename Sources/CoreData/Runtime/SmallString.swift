internal import CSwiftRuntime

/// Strings of up to 15 bytes, which Swift keeps in the two words of the string itself.
///
/// A row's bytes become these two words directly. The standard library would validate, copy and choose a representation
/// each time a code or a short name is read, which takes ten times the instructions. This is done for ASCII only, and
/// only after `setUp` has seen that the library's own strings have this form.
///
/// | byte | content |
/// |---|---|
/// | 0 … 14 | the bytes, then zeros |
/// | 15 | `0xE0` and the count |
enum SmallString {
  /// Allows the short way if the library's strings have the expected form. Called before there are rows.
  static let setUp: Void = {
    let samples = ["", "a", "isbn", "chapter", "chapters", "978-3-16-14", "123456789012345"]
    core_data_knows_small_strings = samples.allSatisfy { sample in
      MemoryLayout<String>.size == 16
        && sample.utf8.withContiguousStorageIfAvailable { bytes -> Bool in
          let made = words(UnsafeRawPointer(bytes.baseAddress!), bytes.count)
          // From bytes written at run time, because literals have a form of their own.
          let library = unsafeBitCast(String(decoding: bytes, as: UTF8.self), to: (UInt64, UInt64).self)
          return made?.0 == library.0 && made?.1 == library.1
        } == true
    }
  }()

  // Inlined by force, as the count of `reread` asks for; see CONTRIBUTING.md.
  /// nil for what is not ASCII.
  @inline(__always)
  static func make(_ start: UnsafeRawPointer, _ count: Int) -> String? {
    words(start, count).map { unsafeBitCast($0, to: String.self) }
  }

  @inline(__always)
  private static func words(_ start: UnsafeRawPointer, _ count: Int) -> (UInt64, UInt64)? {
    var low: UInt64 = 0
    var high: UInt64 = 0
    if count >= 8 {
      low = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
      // The last eight bytes, without those that the first word already has.
      high = UInt64(littleEndian: (start + (count &- 8)).loadUnaligned(as: UInt64.self))
      high = count == 8 ? 0 : high &>> UInt64(8 &* (16 &- count))
    } else if count >= 4 {
      low = UInt64(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
      let last = UInt64(UInt32(littleEndian: (start + (count &- 4)).loadUnaligned(as: UInt32.self)))
      low |= last &<< UInt64(8 &* (count &- 4))
    } else {
      for index in 0..<count { low |= UInt64(start.load(fromByteOffset: index, as: UInt8.self)) &<< UInt64(8 &* index) }
    }
    if (low | high) & 0x8080_8080_8080_8080 != 0 { return nil }
    return (UInt64(littleEndian: low), UInt64(littleEndian: high | (0xE0 | UInt64(count)) &<< 56))
  }
}
