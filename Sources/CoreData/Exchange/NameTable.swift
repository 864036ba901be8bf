/// Finds an entity's property by its name, for key-value coding. It compares the bytes of the name as two words, while
/// a dictionary would hash every byte and compare characters.
///
/// It has names of up to 16 bytes. Longer names, and other spellings of the same characters, are left to a dictionary.
/// A handle on memory that the layout owns and frees. Never written after it was made.
struct NameTable {
  private struct Entry {
    var head: UInt64 = 0
    var tail: UInt64 = 0
    /// 0 in an empty entry.
    var count: Int32 = 0
    var index: Int32 = 0
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let mask: Int

  init(_ names: [String]) {
    var capacity = 4
    while capacity < names.count * 2 { capacity *= 2 }
    mask = capacity - 1
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(), count: capacity)
    for (index, name) in names.enumerated() {
      guard let key = NameTable.key(name) else { continue }
      var place = home(key)
      while entries[place].count > 0 { place = (place + 1) & mask }
      entries[place] = Entry(head: key.head, tail: key.tail, count: key.count, index: Int32(index))
    }
  }

  func free() { entries.deallocate() }

  // Inlined by force, as the count of `rereadkey` asks for; see CONTRIBUTING.md.
  @inline(__always)
  subscript(name: String) -> Int? {
    guard let key = NameTable.key(name) else { return nil }
    var place = home(key)
    while entries[place].count > 0 {
      if entries[place].head == key.head, entries[place].tail == key.tail, entries[place].count == key.count {
        return Int(entries[place].index)
      }
      place = (place &+ 1) & mask
    }
    return nil
  }

  private typealias Key = (head: UInt64, tail: UInt64, count: Int32)

  @inline(__always)
  private func home(_ key: Key) -> Int {
    Int(truncatingIfNeeded: ((key.head ^ key.tail &* 31) &* 0x9E37_79B9_7F4A_7C15) >> 40) & mask
  }

  /// The first and the last eight bytes of a name, which overlap if it has fewer than sixteen. Together with the count
  /// they are the whole name.
  @inline(__always)
  private static func key(_ name: String) -> Key? {
    name.utf8.withContiguousStorageIfAvailable { bytes -> Key? in
      let count = bytes.count
      guard count > 0, count <= 16, let start = UnsafeRawPointer(bytes.baseAddress) else { return nil }
      if count >= 8 {
        return (
          start.loadUnaligned(as: UInt64.self), (start + (count &- 8)).loadUnaligned(as: UInt64.self), Int32(count)
        )
      }
      if count >= 4 {
        return (
          UInt64(start.loadUnaligned(as: UInt32.self)),
          UInt64((start + (count &- 4)).loadUnaligned(as: UInt32.self)), Int32(count)
        )
      }
      return (UInt64(bytes[0]), UInt64(bytes[count / 2]) << 8 | UInt64(bytes[count &- 1]), Int32(count))
    } ?? nil
  }
}
