/// Scratch space in which a row is assembled before its bytes are copied into a ``RowSnapshot``.
///
/// Use one builder for many rows, one after the other: `beginRow`, the setters, `finishRow`. Not for several threads.
package struct RowBuilder: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var end = 0

  /// Allocates its memory with the first row.
  package init() {
    capacity = 0
    memory = RowBuilder.none
  }

  deinit { if capacity > 0 { memory.deallocate() } }

  /// Frees the memory of an unusually large row in a builder that is kept.
  package mutating func trim() { if capacity > 64 * 1024 { self = RowBuilder() } }

  private static var none: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: 8)! }

  private var words: UnsafeMutablePointer<UInt64> { memory.assumingMemoryBound(to: UInt64.self) }

  /// Starts a row of which every slot is null.
  package mutating func beginRow(_ layout: EntityLayout) { beginRow(layout.places) }

  mutating func beginRow(_ places: PlaceTable) {
    end = places.fixedWords * 8
    reserve(0)
    memset(memory, 0, end)
    for word in 0..<places.nullWords { words[word] = .max }
  }

  /// Starts a row with the values of another row of the same entity. Setters replace them; the replaced bytes in the
  /// tail stay, unused.
  package mutating func beginRow(from row: RowSnapshot) {
    end = 0
    reserve(row.byteCount)
    memory.copyMemory(from: UnsafeRawPointer(row.words), byteCount: row.byteCount)
    end = row.byteCount
  }

  /// Starts a row with the attributes of a new object, whose changed values are a row; see ``ChangedValues/isRow``.
  mutating func beginRow(from changes: ChangedValues, _ places: PlaceTable) {
    let fixed = places.fixedWords * 8
    end = 0
    reserve(fixed)
    memory.copyMemory(from: changes.words, byteCount: fixed)
    end = fixed
    changes.forEachText(places) { slot, word, bytes in setBytes(bytes, slot: slot, word: word) }
  }

  private mutating func reserve(_ more: Int) {
    if end + more > capacity { grow(more) }
  }

  private mutating func grow(_ more: Int) {
    let wanted = max(capacity * 2, end + more, 1024)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 8)
    // A new row may be wider than any row so far.
    larger.copyMemory(from: memory, byteCount: min(end, capacity))
    if capacity > 0 { memory.deallocate() }
    memory = larger
    capacity = wanted
  }

  // Inlined by force, as the count of `insert` asks for; see CONTRIBUTING.md.
  @inline(__always)
  private func markSet(_ slot: Int) { words[slot >> 6] &= ~(1 << UInt64(slot & 63)) }

  /// Sets a slot to null that may have had a value at the start.
  package mutating func setNull(slot: Int) { words[slot >> 6] |= 1 << UInt64(slot & 63) }

  package func isNull(slot: Int) -> Bool { words[slot >> 6] & (1 << UInt64(slot & 63)) != 0 }

  @inline(__always)
  package mutating func setInt(_ value: Int64, slot: Int, word: Int) {
    markSet(slot)
    words[word] = UInt64(bitPattern: value)
  }

  @inline(__always)
  package mutating func setDouble(_ value: Double, slot: Int, word: Int) {
    markSet(slot)
    words[word] = value.bitPattern
  }

  /// A string, URI, binary or transformable value.
  @inline(__always)
  package mutating func setBytes(_ bytes: UnsafeRawBufferPointer, slot: Int, word: Int) {
    markSet(slot)
    reserve(bytes.count)
    words[word] = UInt64(end) | UInt64(bytes.count) << 32
    if bytes.count > 0 {
      (memory + end).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
      end += bytes.count
    }
  }

  /// A reference to a file: 36 bytes for its name, and its source.
  package mutating func setReference(_ name: UnsafeRawBufferPointer, source: Int, slot: Int, word: Int) {
    setBytes(name, slot: slot, word: word)
    reserve(4)
    (memory + end).storeBytes(of: UInt32(source), as: UInt32.self)
    end += 4
    words[word] |= 1 << 63
  }

  @inline(__always)
  package mutating func setText(_ value: String, slot: Int, word: Int) {
    // Nearly all texts are contiguous; then their bytes are read where they are.
    let done: Void? = value.utf8.withContiguousStorageIfAvailable {
      setBytes(UnsafeRawBufferPointer($0), slot: slot, word: word)
    }
    if done == nil { setCopy(of: value, slot: slot, word: word) }
  }

  @inline(never)
  private mutating func setCopy(of value: String, slot: Int, word: Int) {
    var value = value
    value.withUTF8 { setBytes(UnsafeRawBufferPointer($0), slot: slot, word: word) }
  }

  package mutating func setUUID(_ value: UUID, slot: Int, word: Int) {
    markSet(slot)
    (memory + word * 8).storeBytes(of: value, as: UUID.self)
  }

  package mutating func setDecimal(_ value: Decimal, slot: Int, word: Int) {
    markSet(slot)
    (memory + word * 8).storeBytes(of: value, as: Decimal.self)
  }

  /// The destination of a to-one relationship.
  package mutating func setDestination(_ destination: RowReference, _ property: LayoutProperty) {
    setInt(destination.key, slot: property.slot, word: property.word)
    if property.isPolymorphic { words[property.word + 1] = UInt64(destination.entity) }
  }

  mutating func setDestination(_ destination: RowReference, _ place: PropertyPlace) {
    setInt(destination.key, slot: Int(place.slot), word: Int(place.word))
    if place.isPolymorphic { words[Int(place.word) + 1] = UInt64(destination.entity) }
  }

  /// Sets an attribute that the changed values hold as words, not as an object.
  mutating func set(_ slot: Int, word: Int, form: RowForm, from changes: ChangedValues) {
    if changes.isNull(slot) { return setNull(slot: slot) }
    if form == .text { return setBytes(RowSnapshot.tail(changes.words, word: word), slot: slot, word: word) }
    markSet(slot)
    words[word] = changes.words[word]
    if form == .uuid || form == .decimal { words[word + 1] = changes.words[word + 1] }
    if form == .decimal { words[word + 2] = changes.words[word + 2] }
  }

  /// Copies a slot from another row of the same entity.
  package mutating func copy(_ property: LayoutProperty, from row: RowSnapshot) {
    guard property.word >= 0, !row.isNull(slot: property.slot) else { return }
    if property.kind == .binary, row.isReference(word: property.word) {
      setBytes(row.referenceBytes(word: property.word), slot: property.slot, word: property.word)
      words[property.word] |= 1 << 63
    } else if property.form == .text || property.form == .bytes {
      setBytes(row.tail(word: property.word), slot: property.slot, word: property.word)
    } else {
      markSet(property.slot)
      for word in 0..<property.kind.words(isPolymorphic: property.isPolymorphic) {
        words[property.word + word] = row.words[property.word + word]
      }
    }
  }

  /// Sets an attribute. Rows can't have `.object` (a managed object, an untransformed transformable).
  package mutating func set(_ value: Value, _ property: LayoutProperty) {
    if property.word >= 0 { set(value, slot: property.slot, word: property.word) }
  }

  /// Sets an attribute at a known place, without its property.
  package mutating func set(_ value: Value, slot: Int, word: Int) {
    switch value {
    case .null: setNull(slot: slot)
    case .int(let value): setInt(value, slot: slot, word: word)
    case .double(let value): setDouble(value, slot: slot, word: word)
    case .date(let value): setDouble(value.timeIntervalSinceReferenceDate, slot: slot, word: word)
    case .string(let value): setText(value, slot: slot, word: word)
    case .url(let value): setText(value.absoluteString, slot: slot, word: word)
    case .data(let value): value.withUnsafeBytes { setBytes($0, slot: slot, word: word) }
    case .uuid(let value): setUUID(value, slot: slot, word: word)
    case .decimal(let value): setDecimal(value.decimalValue, slot: slot, word: word)
    case .object: preconditionFailure("An object was set in a row.")
    }
  }

  /// The bytes so far, for comparing with a cached row before a new one is made.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: end) }

  package func finishRow(key: Int64, version: Int64, entity: Int) -> RowSnapshot {
    .make(key: key, version: version, entity: entity, bytes: bytes)
  }

  /// Makes the row in the memory of an earlier one, if nothing else uses that row any more.
  package func finishRow(
    in earlier: inout RowSnapshot?, key: Int64, version: Int64, entity: Int
  ) -> RowSnapshot {
    .remake(&earlier, key: key, version: version, entity: entity, bytes: bytes)
  }
}
