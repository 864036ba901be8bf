/// Typed reads, for generated accessors and the stack itself. No boxing, no dictionary.
extension NSManagedObject {
  /// The first step of every read: the queue guard, then the fault. Failures are reported by another function, so that
  /// a successful read saves no registers for them.
  final func fireIfNeeded(call: @autoclosure () -> String) {
    if ConcurrencyGuard.isOn { checkQueue(call) }
    if state.contains(.fault) { fire() }
  }

  @inline(never)
  private final func checkQueue(_ call: () -> String) {
    if !owner.isOnQueue { owner.reportWrongQueue(self, call: call()) }
  }

  @inline(never)
  final func misuseUnknownKey(_ key: ManagedKey) -> Never { misuse(.unknownKey(key.name, self)) }

  @inline(never)
  private final func misuseType(_ key: ManagedKey, _ wanted: StaticString) -> Never {
    misuse(.wrongType(key.name, object: self, wanted: wanted.description))
  }

  /// Reads the values, from the row that a fetch left here or through the context.
  @inline(never)
  final func fire(for property: LayoutProperty? = nil) {
    if row == nil {
      // A new object that was refreshed gets its default values.
      if state.contains(.inserted) { return gotValues() }
      switch owner.fulfil(self) {
      case .found(let found): row = found
      case .gone: break
      // It stays a fault, and reads as empty.
      case .unread: return
      }
    }
    guard row != nil else {
      lostRow()
      owner.handleInaccessible(self, property: property)
      return
    }
    gotValues()
    if layout.hasTransientDefaults { takeTransientDefaults() }
    beganSettingQuietly()
    awakeFromFetch()
    endedSettingQuietly()
    if state.contains(.observed) { tellOfReading() }
  }

  /// The first step of every change that a program makes: the queue guard, then the fault.
  final func beginChange(call: @autoclosure () -> String) {
    if ConcurrencyGuard.isOn { checkQueue(call) }
    readForChange()
  }

  /// Reads a fault's values before a change, which needs the row.
  @inline(__always)
  final func readForChange(of property: LayoutProperty? = nil) {
    if state.contains(.fault) { fireForChange(of: property) }
  }

  @inline(never)
  private final func fireForChange(of property: LayoutProperty?) {
    fire(for: property)
    if state.contains(.fault) { refuseUnreadChange() }
  }

  /// Ends the program, because a change needs what could not be read and so could not be saved.
  final func refuseUnreadChange(_ property: LayoutProperty? = nil) {
    if !owner.letsUnreadChange { misuse(.neededButUnread(self, property)) }
  }

  /// Gives transient attributes without a value the default values of a new object. This does not count as a change.
  @inline(never)
  final func takeTransientDefaults() {
    let layout = layout
    if changes == nil { changes = ChangedValues.make(layout) }
    for (slot, value) in layout.defaults where layout.slots[slot].isTransient && changes?.holds(slot) == false {
      changes?[slot] = value
    }
  }

  /// The place of a property with a slot: an attribute that isn't composite, or a to-one relationship.
  final func place(_ key: ManagedKey) -> PropertyPlace {
    guard let place = places[key] else { misuseUnknownKey(key) }
    guard place.slot >= 0 else { misuseType(key, "a single value") }
    return place
  }

  /// The committed row's words for a slot that was not set since; nil if the row has no value for it. Valid until the
  /// row is set. The object must not be a fault.
  final func committedWords(_ place: PropertyPlace) -> UnsafePointer<UInt64>? {
    guard let words = rowWords, place.word >= 0 else { return nil }
    let slot = Int(place.slot)
    return words[slot >> 6] & (1 << UInt64(slot & 63)) == 0 ? words : nil
  }

  // Inlined by force, as the counts of `insert` and `reread` ask for; see CONTRIBUTING.md.
  /// The words that have a slot's current value, to be read at the place's `home`; nil if the value is nil, or an
  /// object. Valid until a property is set. The object must not be a fault.
  @inline(__always)
  final func currentWords(_ place: PropertyPlace) -> UnsafePointer<UInt64>? {
    guard let changes, changes.holds(Int(place.slot)) else { return committedWords(place) }
    return changes.isNull(Int(place.slot)) || changes.holdsObject(Int(place.slot)) ? nil : changes.words
  }

  // The value of a slot that has no current words: nil, or what is kept of it as an object.

  @inline(never)
  private final func integerWithoutWords(_ slot: Int) -> Int64? {
    switch changes?[slot] ?? .null {
    case .int(let value): value
    case .double(let value): NSManagedObject.wholeNumber(value)
    default: nil
    }
  }

  @inline(never)
  private final func doubleWithoutWords(_ slot: Int) -> Double? {
    switch changes?[slot] ?? .null {
    case .double(let value): value
    case .int(let value): Double(value)
    case .date(let value): value.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  @inline(never)
  private final func stringWithoutWords(_ slot: Int) -> String? {
    switch changes?[slot] ?? .null {
    case .string(let text): text
    // A text where the model has an attribute of another type.
    case .object(let object): object as? String
    default: nil
    }
  }

  /// Integers of all widths and booleans.
  @usableFromInline
  final func storedOptionalInteger(_ key: ManagedKey) -> Int64? {
    fireIfNeeded(call: "reading \"\(key.name)\"")
    let place = place(key)
    guard let words = currentWords(place) else { return integerWithoutWords(Int(place.slot)) }
    switch place.form {
    case .integer: return Int64(bitPattern: words[Int(place.home)])
    case .real: return NSManagedObject.wholeNumber(Double(bitPattern: words[Int(place.home)]))
    case .text, .uuid, .decimal, .bytes, .destination, .none: misuseType(key, "an integer")
    }
  }

  /// Converts as C does on common processors; a number out of range becomes the nearest one.
  private static func wholeNumber(_ value: Double) -> Int64 {
    if value.isNaN { return 0 }
    return value >= 0x1p63 ? .max : (value <= -0x1p63 ? .min : Int64(value))
  }

  /// `Double`, `Float`, and a date as seconds since 2001.
  @usableFromInline
  final func storedOptionalDouble(_ key: ManagedKey) -> Double? {
    fireIfNeeded(call: "reading \"\(key.name)\"")
    let place = place(key)
    guard let words = currentWords(place) else { return doubleWithoutWords(Int(place.slot)) }
    switch place.form {
    case .real: return Double(bitPattern: words[Int(place.home)])
    case .integer: return Double(Int64(bitPattern: words[Int(place.home)]))
    case .text, .uuid, .decimal, .bytes, .destination, .none: misuseType(key, "a floating-point number")
    }
  }

  @usableFromInline
  final func storedString(_ key: ManagedKey) -> String? {
    fireIfNeeded(call: "reading \"\(key.name)\"")
    let place = place(key)
    guard let words = currentWords(place) else { return stringWithoutWords(Int(place.slot)) }
    if place.kind == .string { return RowSnapshot.string(words, word: Int(place.home)) }
    return otherString(key)
  }

  /// A text where the model has an attribute of another type.
  @inline(never)
  private final func otherString(_ key: ManagedKey) -> String? { storedAny(key) as? String }

  /// The value of any property, as key-value coding returns it. The slow path of all typed reads.
  @usableFromInline
  final func storedAny(_ key: ManagedKey) -> Any? {
    fireIfNeeded(call: "reading \"\(key.name)\"")
    guard let property = layout.property(key) else { misuseUnknownKey(key) }
    return boxedValue(property)
  }

  /// The destination of a to-one relationship.
  @usableFromInline
  final func storedObject(_ key: ManagedKey) -> NSManagedObject? {
    fireIfNeeded(call: "reading \"\(key.name)\"")
    guard let property = layout.property(key) else { misuseUnknownKey(key) }
    guard property.kind == .toOne else { misuseType(key, "a to-one relationship") }
    return toOne(property)
  }

  /// The current value of an attribute; a to-one's as `.object`. The object must not be a fault.
  final func currentValue(_ property: LayoutProperty) -> Value {
    if property.kind == .toOne { return toOne(property).map { .object($0) } ?? .null }
    if let changes, changes.holds(property.slot) { return changes[property.slot] }
    guard let row else { return .null }
    let value = row.value(property)
    guard property.kind == .transformable, case .data(let data) = value else { return value }
    return decodeTransformable(data, property)
  }

  /// The current destination of a to-one relationship. The object must not be a fault.
  final func toOne(_ property: LayoutProperty) -> NSManagedObject? {
    if let changes, changes.holds(property.slot) {
      return changes.object(property.slot).map { unsafeDowncast($0, to: NSManagedObject.self) }
    }
    guard let destination = row?.destination(property), owner.hasContext else { return nil }
    let object = owner.object(for: destination, store: store)
    // Without this nothing may keep the destination beyond this call, and it would be read again for the next object
    // that leads to it.
    if object.state.contains(.fault), object.row == nil { owner.noteTraversal(to: object) }
    return object
  }

  /// Keeps the destination of an unchanged to-one relationship alive, which otherwise lives only as long as it is used.
  final func keep(_ destination: NSManagedObject, _ property: LayoutProperty) {
    if changes == nil { changes = ChangedValues.make(layout) }
    if changes?.holds(property.slot) == false { changes?[property.slot] = .object(destination) }
  }

  /// What key-value coding returns for the property at an index of the layout. Numbers and texts are boxed
  /// directly, without the property's object and a `Value`, which cost more than the boxing.
  final func boxedValue(at index: Int) -> Any? {
    let place = places[index]
    let isInRow = place.form == .integer || place.form == .real || place.kind == .string
    if isInRow, changes?.holdsObject(Int(place.slot)) != true {
      guard let words = currentWords(place) else { return nil }
      let word = Int(place.home)
      switch place.form {
      case .integer: return place.kind.boxed(integer: Int64(bitPattern: words[word]))
      case .real: return place.kind.boxed(real: Double(bitPattern: words[word]))
      case .text: return RowSnapshot.string(words, word: word)
      case .uuid, .decimal, .bytes, .destination, .none: break
      }
    }
    return boxedValue(layout.properties[index])
  }

  /// What key-value coding returns: numbers as `NSNumber`, sets as `NSSet` or `NSOrderedSet`.
  final func boxedValue(_ property: LayoutProperty) -> Any? {
    switch property.kind.role {
    case .toMany: return handedOutSet(property)
    case .fetched: return fetchedValue(property)
    case .composite: return property.composed { currentValue($0).boxed(for: $0) }
    case .attribute, .toOne: return currentValue(property).boxed(for: property)
    }
  }

  /// Whether a value that reads as nil is one of the row that can't be read: its file is gone, or a transformer makes
  /// nothing of the data.
  final func hasUnreadable(_ property: LayoutProperty) -> Bool {
    !changedSlots.contains(property.slot) && row?.hasValue(property) == true
  }

  /// The decoded object is kept, because decoding is costly and a mutable object has to stay the same.
  private func decodeTransformable(_ data: Data, _ property: LayoutProperty) -> Value {
    let decoded: Any?
    do {
      decoded = try property.attribute.unarchivedValue(ofTransformable: data)
    } catch let refusal as UnarchivedObject.Refusal {
      UnreadableArchives.report(objectID, property: property, what: refusal.what)
      decoded = nil
    } catch {
      misuse(
        "\(layout.name).\(property.name) of \(objectID.description) cannot be decoded: \(error.localizedDescription)")
    }
    let value: Value = decoded.map { .object(TransformableBox.close($0)) } ?? .null
    if changes == nil { changes = ChangedValues.make(layout) }
    changes?[property.slot] = value
    return value
  }
}
