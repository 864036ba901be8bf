/// The values that were set on an object since its committed row. Made at the first set.
///
/// They are a row in the making: their memory is that of a ``RowSnapshot``, with words at the places of the entity's
/// rows and texts in a tail behind them. So a save of a new object makes them its row where they are, and code that
/// reads a number or a text needs no second way for one that was not saved yet. What a row can't hold, or would hold
/// as a copy, is kept as a retained object in the value's first word: destinations, transformables' objects, data,
/// URLs, long texts.
///
/// A handle on memory that one object owns and frees, which must be before the layout is. Every property access goes
/// through it, so copying it counts no references. Belongs to the object's queue.
///
/// | part | content |
/// |---|---|
/// | image | null bitmap and words of the row, then the words of what rows don't hold |
/// | head | the entity's places; the key reserved for a new object while its save is under way, 0 otherwise; where the image is |
/// | masks | for each 64 slots three words: slots that hold a value here (changed ones, and objects that are costly to make again), slots set since the last save, slots whose value is an object |
/// | links | a word for each to-one relationship: while the image is a row, and so has keys of destinations, the destinations themselves |
/// | tail | the bytes of texts. When it outgrows the block, image and tail move to memory of their own, as far from each other as here |
struct ChangedValues {
  private struct Head {
    var places: PlaceTable
    var reservedKey: Int64 = 0
    var image: UnsafeMutablePointer<UInt64>
    /// Bytes from the image's start to the end of its tail, and to the end of its memory.
    var end: Int32
    var capacity: Int32
  }

  /// Behind the image's words in the block.
  private let head: UnsafeMutablePointer<Head>

  /// Longer texts are kept as the strings they are.
  private static let longestCopy = 1 << 16

  /// A block without values for objects of an entity.
  static func make(_ layout: EntityLayout) -> ChangedValues { make(layout.places) }

  static func make(_ places: PlaceTable) -> ChangedValues { places.blank.copy() }

  /// A block with the default values of an entity's attributes.
  static func makeDefaults(_ places: PlaceTable) -> ChangedValues { places.defaults.copy() }

  /// Makes the block that others begin as a copy of.
  static func pattern(_ places: PlaceTable, _ defaults: [(slot: Int, value: Value)]) -> ChangedValues {
    var tail = places.texts.count * 24
    for case (_, .string(let text)) in defaults where text.utf8.count <= longestCopy { tail += text.utf8.count }
    let pattern = ChangedValues(places, capacity: tailOffset(places) + tail)
    memset(pattern.image, 0, places.imageWords * 8)
    memset(pattern.masks, 0, tailOffset(places) - places.imageWords * 8 - MemoryLayout<Head>.size)
    for word in 0..<places.nullWords { pattern.image[word] = .max }
    for (slot, value) in defaults { pattern[slot] = value }
    return pattern
  }

  /// Memory with nothing in it but its head.
  private init(_ places: PlaceTable, capacity: Int) {
    let image = ChangedValues.block(places, capacity: capacity)
    head = ChangedValues.head(of: image, places)
    head.initialize(
      to: Head(
        places: places, image: image, end: Int32(ChangedValues.tailOffset(places)), capacity: Int32(capacity)))
  }

  private init(head: UnsafeMutablePointer<Head>) { self.head = head }

  /// The words of a new row, which the caller has to release.
  @inline(__always)
  private static func block(_ places: PlaceTable, capacity: Int) -> UnsafeMutablePointer<UInt64> {
    let row = RowSnapshot.make(key: 0, version: 0, entity: places.entity, byteCount: capacity)
    // By address: if the row is asked for its words here, the optimizer drops the reference that is to stay.
    let block = Unmanaged.passRetained(row).toOpaque()
    assert(UnsafeRawPointer(row.words) == block + RowSnapshot.wordsOffset, "A row's words begin elsewhere.")
    return (block + RowSnapshot.wordsOffset).assumingMemoryBound(to: UInt64.self)
  }

  private static func head(of image: UnsafeMutablePointer<UInt64>, _ places: PlaceTable) -> UnsafeMutablePointer<Head> {
    UnsafeMutableRawPointer(image + places.imageWords).assumingMemoryBound(to: Head.self)
  }

  private static func tailOffset(_ places: PlaceTable) -> Int {
    (places.imageWords + places.nullWords * 3 + places.destinations.count) * 8 + MemoryLayout<Head>.size
  }

  func free() {
    releaseObjects()
    if !isInPlace { image.deallocate() }
    block.release()
  }

  /// A copy, which the caller has to free. It is no row.
  func copy() -> ChangedValues {
    let (places, end) = (places, Int(head.pointee.end))
    let capacity = isRowMade ? end : Int(head.pointee.capacity)
    let image = ChangedValues.block(places, capacity: capacity)
    let copy = ChangedValues(head: ChangedValues.head(of: image, places))
    UnsafeMutableRawPointer(image).copyMemory(from: self.image, byteCount: end)
    if !isInPlace {
      UnsafeMutableRawPointer(copy.head)
        .copyMemory(from: head, byteCount: MemoryLayout<Head>.size + places.nullWords * 24)
    }
    copy.head.pointee.image = image
    if isRowMade { copy.unmakeRow() }
    copy.head.pointee.capacity = Int32(capacity)
    if formerVersion != 0 { copy.formerVersion = formerVersion }
    if holdsObjects { copy.forEachObject { _ = Unmanaged<AnyObject>.fromOpaque($0).retain() } }
    return copy
  }

  private var places: PlaceTable { head.pointee.places }

  /// Goes on with the same places of another model.
  func move(to places: PlaceTable) { head.pointee.places = places }

  private var masks: UnsafeMutablePointer<UInt64> {
    UnsafeMutableRawPointer(head + 1).assumingMemoryBound(to: UInt64.self)
  }
  private var links: UnsafeMutablePointer<UInt64> { masks + places.nullWords * 3 }
  private var image: UnsafeMutablePointer<UInt64> { head.pointee.image }

  /// The image's place in the block.
  private var ownImage: UnsafeMutablePointer<UInt64> {
    UnsafeMutableRawPointer(head).assumingMemoryBound(to: UInt64.self) - places.imageWords
  }

  private var isInPlace: Bool { image == ownImage }

  private var block: Unmanaged<RowSnapshot> {
    .fromOpaque(UnsafeRawPointer(ownImage) - RowSnapshot.wordsOffset)
  }

  var reservedKey: Int64 {
    get { head.pointee.reservedKey }
    nonmutating set { head.pointee.reservedKey = newValue }
  }

  /// The version of the row that the object had before it became a new one under the same key; 0 for none. Its new row
  /// has a greater version: code that still has the former row must not take it for that one.
  var formerVersion: Int64 {
    get { block._withUnsafeGuaranteedRef { $0.version } &- (isRowMade ? 1 : 0) }
    nonmutating set {
      block._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0.pointee.version = newValue } }
    }
  }

  /// The object has got the key by now. Of a row that a store has, no byte is written any more: others may be copying
  /// it on their threads.
  func forgetReservedKey() {
    if !isRowMade { head.pointee.reservedKey = 0 }
  }

  // Asking.

  // Inlined by force, here and below, as the counts of `insert` and `batchinsertobject` ask for; see CONTRIBUTING.md.
  @inline(__always)
  private func has(_ slot: Int, _ mask: Int) -> Bool { masks[(slot >> 6) * 3 + mask] & (1 << UInt64(slot & 63)) != 0 }

  @inline(__always)
  func holds(_ slot: Int) -> Bool { has(slot, 0) }

  @inline(__always)
  func isChanged(_ slot: Int) -> Bool { has(slot, 1) }

  /// Whether the slot's value is an object, not words.
  @inline(__always)
  func holdsObject(_ slot: Int) -> Bool { has(slot, 2) }

  /// Whether the slot's value is nil.
  @inline(__always)
  func isNull(_ slot: Int) -> Bool { image[slot >> 6] & (1 << UInt64(slot & 63)) != 0 }

  /// Whether none of these slots has a value here.
  func holdsNone(of slots: SlotMask) -> Bool { slots.allSatisfy { !holds($0) } }

  /// The slots that have a value here.
  var held: SlotMask { mask(0) }

  /// The slots set since the last save.
  var changed: SlotMask { mask(1) }

  private func mask(_ number: Int) -> SlotMask { SlotMask(count: places.nullWords) { masks[$0 * 3 + number] } }

  /// The words, to be read at a property's `home`, unless the slot's value is nil or an object. Valid until the next
  /// set.
  var words: UnsafePointer<UInt64> { UnsafePointer(image) }

  /// The object of a slot: a destination, a transformable's object, a ``HeldValue``; nil if it holds none.
  func object(_ slot: Int) -> AnyObject? {
    guard holdsObject(slot) else { return nil }
    return object(at: places.slots[slot])
  }

  private func object(at place: PropertyPlace) -> AnyObject {
    if isRowMade, let index = places.destinations.firstIndex(of: place.slot) {
      return Unmanaged<AnyObject>.fromOpaque(pointer(links[index])).takeUnretainedValue()
    }
    return Unmanaged<AnyObject>.fromOpaque(pointer(image[Int(place.home)])).takeUnretainedValue()
  }

  private func pointer(_ word: UInt64) -> UnsafeRawPointer {
    UnsafeRawPointer(bitPattern: UInt(word)).unsafelyUnwrapped
  }

  /// Calls `body` with each destination that is held.
  func forEachDestination(_ body: (AnyObject) -> Void) {
    let isRowMade = isRowMade
    for (index, slot) in places.destinations.enumerated() where holdsObject(Int(slot)) {
      let word = isRowMade ? links[index] : image[Int(places.slots[Int(slot)].home)]
      Unmanaged<AnyObject>.fromOpaque(pointer(word))._withUnsafeGuaranteedRef(body)
    }
  }

  private func releaseObjects() {
    if holdsObjects { forEachObject { Unmanaged<AnyObject>.fromOpaque($0).release() } }
  }

  private var holdsObjects: Bool {
    for word in 0..<places.nullWords where masks[word * 3 + 2] != 0 { return true }
    return false
  }

  private func forEachObject(_ body: (UnsafeRawPointer) -> Void) {
    if isRowMade { return forEachDestination { body(Unmanaged.passUnretained($0).toOpaque()) } }
    for word in 0..<places.nullWords {
      var rest = masks[word * 3 + 2]
      while rest != 0 {
        body(pointer(image[Int(places.slots[word * 64 + rest.trailingZeroBitCount].home)]))
        rest &= rest - 1
      }
    }
  }

  /// The value of a slot; `.null` if it has none here.
  subscript(slot: Int) -> Value {
    get {
      let place = places.slots[slot]
      if holdsObject(slot) {
        let object = object(at: place)
        return type(of: object) == HeldValue.self ? unsafeDowncast(object, to: HeldValue.self).value : .object(object)
      }
      if isNull(slot) { return .null }
      let (start, word) = (UnsafeRawPointer(image + Int(place.home)), Int(place.home))
      return switch place.form {
      case .integer: .int(Int64(bitPattern: image[word]))
      case .real: Value(real: Double(bitPattern: image[word]), of: place.kind)
      case .text: .string(RowSnapshot.string(words, word: word))
      case .uuid: .uuid(start.loadUnaligned(as: UUID.self))
      case .decimal: .decimal(NSDecimalNumber(decimal: start.loadUnaligned(as: Decimal.self)))
      case .bytes, .destination, .none: .null
      }
    }
    nonmutating set {
      let place = places.slots[slot]
      switch (newValue, place.form) {
      case (.null, _): setNull(place)
      case (.int(let value), .integer): setInt(value, place)
      case (.double(let value), .real) where place.kind != .date: setDouble(value, place)
      case (.date(let value), .real) where place.kind == .date:
        setDouble(value.timeIntervalSinceReferenceDate, place)
      case (.string(let value), .text) where place.kind == .string: setText(value, place)
      case (.uuid(let value), .uuid):
        UnsafeMutableRawPointer(open(place) + Int(place.home)).storeBytes(of: value, as: UUID.self)
      case (.decimal(let value), .decimal):
        UnsafeMutableRawPointer(open(place) + Int(place.home)).storeBytes(of: value.decimalValue, as: Decimal.self)
      case (.object(let object), _): setObject(object, place)
      case (let value, _): setObject(HeldValue(value), place)
      }
    }
  }

  // Setting.

  /// Makes the slot one that holds words, and returns the image.
  @inline(__always)
  private func open(_ place: PropertyPlace) -> UnsafeMutablePointer<UInt64> {
    open(Int(place.slot), at: Int(place.home))
  }

  @inline(__always)
  private func open(_ slot: Int, at home: Int) -> UnsafeMutablePointer<UInt64> {
    assert(!isRowMade, "A value was set in a row.")
    let (word, bit) = (slot >> 6, 1 << UInt64(slot & 63) as UInt64)
    if masks[word * 3 + 2] & bit != 0 { releaseObject(slot, at: home) }
    masks[word * 3] |= bit
    image[word] &= ~bit
    return image
  }

  @inline(__always)
  func setInt(_ value: Int64, _ place: PropertyPlace) { open(place)[Int(place.home)] = UInt64(bitPattern: value) }

  @inline(__always)
  func setDouble(_ value: Double, _ place: PropertyPlace) { open(place)[Int(place.home)] = value.bitPattern }

  @inline(__always)
  func setText(_ value: String, _ place: PropertyPlace) {
    // Nearly all texts are contiguous; then their bytes are read where they are.
    let done: Void? = value.utf8.withContiguousStorageIfAvailable {
      if $0.count <= ChangedValues.longestCopy {
        put(UnsafeRawBufferPointer($0), Int(place.slot), at: Int(place.home))
      } else {
        hold(value, Int(place.slot))
      }
    }
    if done == nil { setCopy(of: value, Int(place.slot)) }
  }

  @inline(never)
  private func hold(_ text: String, _ slot: Int) { setObject(HeldValue(.string(text)), places.slots[slot]) }

  @inline(never)
  private func setCopy(of value: String, _ slot: Int) {
    var value = value
    value.makeContiguousUTF8()
    setText(value, places.slots[slot])
  }

  private func put(_ bytes: UnsafeRawBufferPointer, _ slot: Int, at home: Int) {
    let former = open(slot, at: home)[home]
    var offset = Int(former & 0xFFFF_FFFF)
    if bytes.count > Int(former >> 32) || offset == 0 {
      let room = Int(head.pointee.capacity) - Int(head.pointee.end)
      if bytes.count > room { makeRoom(for: bytes.count, in: slot, at: home) }
      offset = Int(head.pointee.end)
      head.pointee.end += Int32(bytes.count)
    }
    image[home] = UInt64(offset) | UInt64(bytes.count) << 32
    if let start = bytes.baseAddress {
      (UnsafeMutableRawPointer(image) + offset).copyMemory(from: start, byteCount: bytes.count)
    }
  }

  /// Moves the image to larger memory, without the tail's bytes that no text refers to any more, nor those of the slot,
  /// which is about to get others. It never has less room than the default values take.
  @inline(never)
  private func makeRoom(for count: Int, in slot: Int, at home: Int) {
    let start = ChangedValues.tailOffset(places)
    image[home] = 0
    let texts = places.texts.lazy.map { places.slots[Int($0)] }
      .filter { !isNull(Int($0.slot)) && !holdsObject(Int($0.slot)) }
    let live = texts.reduce(0) { $0 + RowSnapshot.tail(words, word: Int($1.home)).count }
    let capacity = max(start + (live + count) * 3 / 2, Int(places.defaults.head.pointee.capacity))
    let moved = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      .assumingMemoryBound(to: UInt64.self)
    UnsafeMutableRawPointer(moved).copyMemory(from: image, byteCount: places.imageWords * 8)
    var end = start
    for text in texts where Int(text.slot) != slot {
      let bytes = RowSnapshot.tail(words, word: Int(text.home))
      moved[Int(text.home)] = UInt64(end) | UInt64(bytes.count) << 32
      if bytes.count > 0 {
        (UnsafeMutableRawPointer(moved) + end).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
      }
      end += bytes.count
    }
    if !isInPlace { image.deallocate() }
    head.pointee.image = moved
    head.pointee.end = Int32(end)
    head.pointee.capacity = Int32(capacity)
  }

  func setObject(_ object: AnyObject, _ place: PropertyPlace) {
    let pointer = Unmanaged.passRetained(object).toOpaque()
    open(place)[Int(place.home)] = UInt64(UInt(bitPattern: pointer))
    masks[Int(place.slot >> 6) * 3 + 2] |= 1 << UInt64(place.slot & 63)
  }

  func setNull(_ place: PropertyPlace) {
    // Rows have zeros where there is no value, so that equal rows have equal bytes.
    let words = open(place) + Int(place.home)
    for word in 0..<max(place.kind.words(isPolymorphic: place.isPolymorphic), 1) { words[word] = 0 }
    image[Int(place.slot >> 6)] |= 1 << UInt64(place.slot & 63)
  }

  @inline(never)
  private func releaseObject(_ slot: Int, at home: Int) {
    let object = Unmanaged<AnyObject>.fromOpaque(pointer(image[home]))
    image[home] = 0
    masks[(slot >> 6) * 3 + 2] &= ~(1 << UInt64(slot & 63))
    // Last, since a deinit may run.
    object.release()
  }

  @inline(__always)
  func markChanged(_ slot: Int) { masks[(slot >> 6) * 3 + 1] |= 1 << UInt64(slot & 63) }

  func drop(_ slot: Int) {
    setNull(places.slots[slot])
    for mask in 0..<2 { masks[(slot >> 6) * 3 + mask] &= ~(1 << UInt64(slot & 63)) }
  }

  /// Goes back to the attributes' default values, as `makeDefaults` has them.
  func returnToDefaults() {
    releaseObjects()
    let (defaults, start) = (places.defaults, ChangedValues.tailOffset(places))
    let end = Int(defaults.head.pointee.end)
    UnsafeMutableRawPointer(masks).copyMemory(from: defaults.masks, byteCount: places.nullWords * 24)
    UnsafeMutableRawPointer(image).copyMemory(from: defaults.image, byteCount: places.imageWords * 8)
    (UnsafeMutableRawPointer(image) + start)
      .copyMemory(from: UnsafeRawPointer(defaults.image) + start, byteCount: end - start)
    head.pointee.end = Int32(end)
    if holdsObjects { forEachObject { _ = Unmanaged<AnyObject>.fromOpaque($0).retain() } }
  }

  func clearChanged() { for word in 0..<places.nullWords { masks[word * 3 + 1] = 0 } }

  // The row.

  /// Calls `body` with each text that a new object's row has: slot, word and bytes.
  @inline(__always)
  func forEachText(_ places: PlaceTable, _ body: (Int, Int, UnsafeRawBufferPointer) -> Void) {
    for slot in places.texts where !isNull(Int(slot)) {
      let word = Int(places.slots[Int(slot)].home)
      body(Int(slot), word, RowSnapshot.tail(words, word: word))
    }
  }

  /// Whether these values can be the row of a new object: all that isn't words is a destination.
  var isRow: Bool {
    if places.traits.contains(.keptValues) { return false }
    for word in 0..<places.nullWords where masks[word * 3 + 2] & ~places.linkMask[word] != 0 { return false }
    return true
  }

  /// Makes the values the row of a new object where they are, and returns it; nil if that would waste memory, or if the
  /// row can't have one of the destinations. From then on they may be read, but not set; a copy may be.
  ///
  /// - Parameter destination: the key and entity that the row has of a destination; nil if it can't have any.
  func makeRow(
    key: Int64, version: Int64, _ destination: (AnyObject, PropertyPlace) throws -> RowReference?
  ) rethrows -> RowSnapshot? {
    let (places, end) = (places, Int(head.pointee.end))
    guard isInPlace, (Int(head.pointee.capacity) - end) * 2 <= end else { return nil }
    for (index, slot) in places.destinations.enumerated() where holdsObject(Int(slot)) {
      let place = places.slots[Int(slot)]
      let held = Unmanaged<AnyObject>.fromOpaque(pointer(image[Int(place.word)]))
      guard let reference = try held._withUnsafeGuaranteedRef({ try destination($0, place) }) else { return nil }
      links[index] = UInt64(bitPattern: reference.key)
      if place.isPolymorphic { image[Int(place.word) + 1] = UInt64(reference.entity) }
    }
    exchangeLinks()
    head.pointee.capacity = -1
    let row = block.takeUnretainedValue()
    row.finish(key: key, version: version, byteCount: end)
    return row
  }

  /// Whether the values are a row.
  var isRowMade: Bool { head.pointee.capacity < 0 }

  private func exchangeLinks() {
    for (index, slot) in places.destinations.enumerated() where holdsObject(Int(slot)) {
      swap(&image[Int(places.slots[Int(slot)].word)], &links[index])
    }
  }

  private func unmakeRow() {
    exchangeLinks()
    for slot in places.destinations where holdsObject(Int(slot)) {
      let place = places.slots[Int(slot)]
      if place.isPolymorphic { image[Int(place.word) + 1] = 0 }
    }
  }

  /// A row of its own for a new object.
  ///
  /// - Parameter destination: as for `makeRow`.
  func copiedRow(
    key: Int64, version: Int64, _ destination: (AnyObject, PropertyPlace) throws -> RowReference?
  ) rethrows -> RowSnapshot {
    let (places, image) = (places, image)
    let fixed = places.fixedWords * 8
    var count = fixed
    for slot in places.texts { count += Int(image[Int(places.slots[Int(slot)].home)] >> 32) }
    let row = RowSnapshot.make(key: key, version: version, entity: places.entity, byteCount: count)
    try row.withUnsafeMutablePointerToElements { words in
      UnsafeMutableRawPointer(words).copyMemory(from: image, byteCount: fixed)
      var end = fixed
      forEachText(places) { _, word, bytes in
        words[word] = UInt64(end) | UInt64(bytes.count) << 32
        (UnsafeMutableRawPointer(words) + end)
          .copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
        end += bytes.count
      }
      for slot in places.destinations where holdsObject(Int(slot)) {
        let place = places.slots[Int(slot)]
        let held = Unmanaged<AnyObject>.fromOpaque(pointer(image[Int(place.home)]))
        let reference = try held._withUnsafeGuaranteedRef { try destination($0, place) }
        words[Int(place.word)] = UInt64(bitPattern: reference?.key ?? 0)
        if place.isPolymorphic { words[Int(place.word) + 1] = UInt64(reference?.entity ?? 0) }
        if reference == nil { words[Int(slot >> 6)] |= 1 << UInt64(slot & 63) }
      }
    }
    return row
  }
}

/// A value that has no words, as the object that ``ChangedValues`` keeps of it.
final class HeldValue {
  let value: Value

  init(_ value: Value) { self.value = value }
}
