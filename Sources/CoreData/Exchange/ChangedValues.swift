/// The values that were set on an object since its committed row, a slot for each property. Allocated at the first set.
///
/// A handle on memory that one object owns and frees. Every property access goes through it, so copying it counts no
/// references. Belongs to the object's queue.
///
/// | offset | content |
/// |---|---|
/// | 0 | how many slots, `Int32`; how many mask words, `Int32` |
/// | 8 | the key reserved for a new object while its save is under way, `Int64`; 0 otherwise |
/// | 16 | held mask: slots that hold a value here (changed ones, and objects that are costly to make again) |
/// | then | changed mask: slots set since the last save |
/// | then | the values |
struct ChangedValues {
  private let base: UnsafeMutableRawPointer

  /// A block without values for objects of an entity.
  static func make(_ layout: EntityLayout) -> ChangedValues { make(layout.places) }

  static func make(_ places: PlaceTable) -> ChangedValues { places.blank.plainCopy() }

  /// A block with the default values of an entity's attributes.
  static func makeDefaults(_ places: PlaceTable) -> ChangedValues {
    places.hasPlainDefaults ? places.defaults.plainCopy() : places.defaults.copy()
  }

  /// Makes the block that others begin as a copy of.
  static func pattern(slots count: Int, _ defaults: [(slot: Int, value: Value)]) -> ChangedValues {
    let words = max((count + 63) / 64, 1)
    let values = 16 + words * 16
    let base = UnsafeMutableRawPointer.allocate(
      byteCount: values + count * MemoryLayout<Value>.stride, alignment: 8)
    memset(base, 0, values)
    base.storeBytes(of: Int32(count), as: Int32.self)
    base.storeBytes(of: Int32(words), toByteOffset: 4, as: Int32.self)
    (base + values).bindMemory(to: Value.self, capacity: count).initialize(repeating: .null, count: count)
    let pattern = ChangedValues(base: base)
    for (slot, value) in defaults { pattern[slot] = value }
    return pattern
  }

  /// A copy of a block whose values are plain bytes, which the caller has to free.
  @inline(__always)
  private func plainCopy() -> ChangedValues {
    let size = 16 + words * 16 + count * MemoryLayout<Value>.stride
    let base = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    base.copyMemory(from: self.base, byteCount: size)
    return ChangedValues(base: base)
  }

  func free() {
    values.deinitialize(count: count)
    base.deallocate()
  }

  /// A copy, which the caller has to free.
  func copy() -> ChangedValues {
    let offset = 16 + words * 16
    let base = UnsafeMutableRawPointer.allocate(
      byteCount: offset + count * MemoryLayout<Value>.stride, alignment: 8)
    base.copyMemory(from: self.base, byteCount: offset)
    (base + offset).bindMemory(to: Value.self, capacity: count).initialize(from: values, count: count)
    return ChangedValues(base: base)
  }

  private var count: Int { Int(base.load(as: Int32.self)) }
  private var words: Int { Int(base.load(fromByteOffset: 4, as: Int32.self)) }
  private var heldWords: UnsafeMutablePointer<UInt64> { (base + 16).assumingMemoryBound(to: UInt64.self) }
  private var changedWords: UnsafeMutablePointer<UInt64> { heldWords + words }
  private var values: UnsafeMutablePointer<Value> {
    (base + 16 + words * 16).assumingMemoryBound(to: Value.self)
  }

  var reservedKey: Int64 {
    get { base.load(fromByteOffset: 8, as: Int64.self) }
    nonmutating set { base.storeBytes(of: newValue, toByteOffset: 8, as: Int64.self) }
  }

  // Inlined by force, as the count of `batchinsertobject` asks for; see CONTRIBUTING.md.
  @inline(__always)
  func holds(_ slot: Int) -> Bool { heldWords[slot >> 6] & (1 << UInt64(slot & 63)) != 0 }

  @inline(__always)
  func isChanged(_ slot: Int) -> Bool { changedWords[slot >> 6] & (1 << UInt64(slot & 63)) != 0 }

  @inline(__always)
  subscript(slot: Int) -> Value {
    get { values[slot] }
    nonmutating set {
      values[slot] = newValue
      heldWords[slot >> 6] |= 1 << UInt64(slot & 63)
    }
  }

  /// Whether none of these slots has a value here.
  func holdsNone(of slots: SlotMask) -> Bool { slots.allSatisfy { !holds($0) } }

  /// The value of a slot, in place: read it, but don't keep it.
  func place(_ slot: Int) -> UnsafePointer<Value> { UnsafePointer(values + slot) }

  /// Whether the slot's value is nil.
  func isNull(_ slot: Int) -> Bool {
    if case .null = values[slot] { return true }
    return false
  }

  @inline(__always)
  func markChanged(_ slot: Int) { changedWords[slot >> 6] |= 1 << UInt64(slot & 63) }

  func drop(_ slot: Int) {
    values[slot] = .null
    heldWords[slot >> 6] &= ~(1 << UInt64(slot & 63))
    changedWords[slot >> 6] &= ~(1 << UInt64(slot & 63))
  }

  /// Removes all values.
  func dropAll() {
    for word in 0..<words {
      var rest = heldWords[word]
      while rest != 0 {
        values[word * 64 + rest.trailingZeroBitCount] = .null
        rest &= rest - 1
      }
      heldWords[word] = 0
      changedWords[word] = 0
    }
  }

  /// The slots that have a value here.
  var held: SlotMask { SlotMask(words: UnsafeBufferPointer(start: heldWords, count: words)) }

  /// The slots set since the last save.
  var changed: SlotMask { SlotMask(words: UnsafeBufferPointer(start: changedWords, count: words)) }

  func clearChanged() {
    for word in 0..<words { changedWords[word] = 0 }
  }
}
