internal import CSwiftRuntime

/// The head of a row.
package struct RowHeader {
  /// `Z_PK`, or a negative key for an object that no store has seen yet.
  package var key: Int64
  /// `Z_OPT`: starts at 1, and grows by one with each saved update.
  package var version: Int64
  /// Index of the row's actual entity in the model's store order.
  package var entity: Int32
  /// The number of bytes of words and tail together.
  package var byteCount: Int32
  /// The cache that has the row, if one does; released in the row's deinit.
  package var cache: Unmanaged<RowCache>?
}

/// One row's committed values: immutable compact bytes, shared by the row cache and all contexts.
///
/// Layout, in eight-byte words: null bitmap (bit n of word n/64 for slot n, 1 = null), then each
/// slot's words in slot order, then the tail.
///
/// | kind | words |
/// |---|---|
/// | integers, Boolean | the value, sign-extended |
/// | Double, Float | the bits of a `Double` |
/// | Date | the bits of a `Double`: seconds since 2001-01-01 00:00 UTC |
/// | String, URI, Binary, Transformable | low 32 bits: byte offset from the first word; high 32 bits: length |
/// | Binary in a file of its own | the same with the highest bit set: see ``ExternalReference`` |
/// | UUID | 16 bytes |
/// | Decimal | 20 bytes of `Foundation.Decimal` |
/// | to-one | the destination's key; then its entity index where the destination has subentities |
///
/// Between words and tail there may be words without a use; see ``ChangedValues``. So equal rows may have
/// unequal bytes.
///
/// After it was made, only `header.cache` is written, under the cache's lock, and `remake` writes a row that no
/// other code has. So any thread may read it.
package class RowSnapshot: ManagedBuffer<RowHeader, UInt64> {
  deinit {
    if let cache = withUnsafeMutablePointerToHeader({ $0.pointee.cache }) {
      cache.takeUnretainedValue().removeDying(self)
      cache.release()
    }
  }

  /// Copies `bytes` (words and tail) into a new row.
  package static func make(
    key: Int64, version: Int64, entity: Int, bytes: UnsafeRawBufferPointer
  ) -> RowSnapshot {
    let row = make(key: key, version: version, entity: entity, byteCount: bytes.count)
    row.withUnsafeMutablePointerToElements {
      UnsafeMutableRawPointer($0).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    }
    return row
  }

  /// A new row, whose words and tail the caller has to write.
  static func make(key: Int64, version: Int64, entity: Int, byteCount: Int) -> RowSnapshot {
    let buffer = RowSnapshot.create(minimumCapacity: (byteCount + 7) / 8) { _ in
      RowHeader(key: key, version: version, entity: Int32(entity), byteCount: Int32(byteCount), cache: nil)
    }
    return unsafeDowncast(buffer, to: RowSnapshot.self)
  }

  /// Completes a row whose words and tail were written by the only one who has it; see ``ChangedValues``.
  final func finish(key: Int64, version: Int64, byteCount: Int) {
    withUnsafeMutablePointerToHeader {
      ($0.pointee.key, $0.pointee.version, $0.pointee.byteCount) = (key, version, Int32(byteCount))
    }
  }

  /// Where the words begin in a row's memory: behind the head that every object has, and the row's own.
  static var wordsOffset: Int { 2 * MemoryLayout<Int>.size + MemoryLayout<RowHeader>.size }

  /// Where a field of the row's own head is in its memory.
  static func headOffset(_ field: PartialKeyPath<RowHeader>) -> Int {
    2 * MemoryLayout<Int>.size + MemoryLayout<RowHeader>.offset(of: field)!
  }

  /// Copies `bytes` into a row that no other code has and no cache knows, if they fit; otherwise into a new one. For
  /// rows that are only written, one after the other.
  package static func remake(
    _ row: inout RowSnapshot?, key: Int64, version: Int64, entity: Int, bytes: UnsafeRawBufferPointer
  ) -> RowSnapshot {
    if isKnownUniquelyReferenced(&row), let old = row, old.byteCount >= bytes.count, old.head.pointee.cache == nil {
      old.withUnsafeMutablePointers { head, words in
        // Its size stays that of its memory. Nothing refers to the bytes after the new tail.
        (head.pointee.key, head.pointee.version, head.pointee.entity) = (key, version, Int32(entity))
        UnsafeMutableRawPointer(words).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
      }
      return old
    }
    let new = make(key: key, version: version, entity: entity, bytes: bytes)
    row = new
    return new
  }

  private final var head: UnsafePointer<RowHeader> {
    withUnsafeMutablePointerToHeader { UnsafePointer($0) }
  }

  /// The first word. Valid as long as the row is held.
  package final var words: UnsafePointer<UInt64> {
    withUnsafeMutablePointerToElements { UnsafePointer($0) }
  }

  package final var key: Int64 { head.pointee.key }
  package final var version: Int64 { head.pointee.version }
  package final var entity: Int { Int(head.pointee.entity) }
  package final var reference: RowReference { RowReference(entity: entity, key: key) }
  package final var byteCount: Int { Int(head.pointee.byteCount) }
  package final var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: words, count: byteCount) }

  package final func isNull(slot: Int) -> Bool { words[slot >> 6] & (1 << UInt64(slot & 63)) != 0 }

  package final func int(word: Int) -> Int64 { Int64(bitPattern: words[word]) }

  package final func double(word: Int) -> Double { Double(bitPattern: words[word]) }

  /// The tail bytes of a string, URI, binary or transformable slot, which has no reference. Valid as long as the row is
  /// held.
  package final func tail(word: Int) -> UnsafeRawBufferPointer {
    assert(words[word] >> 63 == 0, "A value in a file of its own was read as bytes.")
    return RowSnapshot.tail(words, word: word)
  }

  package final func string(word: Int) -> String { RowSnapshot.string(words, word: word) }

  package static func string(_ words: UnsafePointer<UInt64>, word: Int) -> String {
    let entry = words[word]
    let start = UnsafeRawPointer(words) + Int(entry & 0xFFFF_FFFF)
    let count = Int(entry >> 32)
    if count < 16 {
      if core_data_knows_small_strings, let small = SmallString.make(start, count) { return small }
    } else if let middle = MiddleString.make(start, count) {
      return middle
    }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }

  package final func uuid(word: Int) -> UUID {
    UnsafeRawPointer(words + word).loadUnaligned(as: UUID.self)
  }

  package final func decimal(word: Int) -> Decimal {
    UnsafeRawPointer(words + word).loadUnaligned(as: Decimal.self)
  }

  /// The destination of a to-one relationship; nil if there is none.
  package final func destination(_ property: LayoutProperty) -> RowReference? {
    guard !isNull(slot: property.slot) else { return nil }
    let entity = property.isPolymorphic ? Int(int(word: property.word + 1)) : property.destination
    return RowReference(entity: entity, key: int(word: property.word))
  }

  /// The slot's value. For transformables it is their bytes. Not for to-one relationships; see `destination`.
  package final func value(_ property: LayoutProperty) -> Value {
    if property.word < 0 || isNull(slot: property.slot) { return .null }
    let word = property.word
    switch property.form {
    case .integer: return .int(int(word: word))
    case .real: return Value(real: double(word: word), of: property.kind)
    case .text: return Value(text: string(word: word), of: property.kind)
    case .uuid: return .uuid(uuid(word: word))
    case .decimal: return .decimal(NSDecimalNumber(decimal: decimal(word: word)))
    case .bytes: return isReference(word: word) ? externalValue(property) : .data(Data(tail(word: word)))
    case .destination, .none: return .null
    }
  }

  /// Whether a slot is equal in both rows, which must be of the same entity.
  package final func isEqual(_ property: LayoutProperty, to other: RowSnapshot) -> Bool {
    let mine = isNull(slot: property.slot)
    if mine != other.isNull(slot: property.slot) { return false }
    if mine || property.word < 0 { return true }
    if property.form == .text || property.form == .bytes {
      if property.kind == .binary, isReference(word: property.word) || other.isReference(word: property.word) {
        return isSameExternal(property, as: other)
      }
      let (a, b) = (tail(word: property.word), other.tail(word: property.word))
      return a.count == b.count && (a.count == 0 || memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0)
    }
    let count = property.kind.words(isPolymorphic: property.isPolymorphic)
    if (0..<count).allSatisfy({ words[property.word + $0] == other.words[property.word + $0] }) { return true }
    // NaN has many forms. Which one is read depends on the file.
    return property.form == .real && double(word: property.word).isNaN && other.double(word: property.word).isNaN
  }
}
