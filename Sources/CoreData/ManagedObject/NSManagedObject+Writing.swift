/// Typed writes, for generated accessors and the stack itself.
extension NSManagedObject {
  /// Tells the context before a change. From then on the context keeps the object alive until the save.
  final func noteChange() {
    let noted: ObjectState = [.inserted, .updated]
    if !state.isDisjoint(with: noted), state.contains(.eventListed) { return }
    if state.contains(.setsQuietly) { return }
    owner.noteChange(of: self)
  }

  // Inlined by force, as the count of `insert` asks for; see CONTRIBUTING.md.
  @inline(__always)
  private func changesForWriting() -> ChangedValues {
    if let changes { return changes }
    return makeChanges()
  }

  @inline(never)
  private func makeChanges() -> ChangedValues {
    let made = ChangedValues.make(places)
    changes = made
    return made
  }

  final func write(_ value: Value, slot: Int) {
    let announced = state.contains(.observed) ? announceChange(of: layout.slots[slot]) : nil
    noteChange()
    let changes = changesForWriting()
    changes[slot] = value
    if !state.contains(.setsQuietly) { changes.markChanged(slot) }
    announced?.end()
  }

  /// Writes a value whose form is known: `set` sets it without making a `Value`, unless the object is observed.
  @inline(__always)
  private func write<T>(
    _ value: T?, at place: PropertyPlace, as form: (T) -> Value, _ set: (ChangedValues, T) -> Void
  ) {
    let slot = Int(place.slot)
    guard let value, !state.contains(.observed) else { return write(value.map(form) ?? .null, slot: slot) }
    noteChange()
    let changes = changesForWriting()
    set(changes, value)
    if !state.contains(.setsQuietly) { changes.markChanged(slot) }
  }

  final func write(destination: NSManagedObject?, slot: Int) {
    let place = places.slots[slot]
    write(destination, at: place, as: Value.object) { $0.setObject($1, place) }
  }

  /// Sets an attribute whose type fits; a to-one goes through `setToOne`.
  @usableFromInline
  final func storeInteger(_ value: Int64?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    let place = place(key)
    switch place.form {
    case .integer:
      let isBoolean = place.kind == .boolean
      if place.kind != .int64, let value, !isBoolean, !place.kind.range.contains(value) {
        misuse(.outOfRange(value, key: key.name, object: self))
      }
      let number = isBoolean && value != nil && value != 0 ? 1 : value
      write(number, at: place, as: Value.int) { $0.setInt($1, place) }
    case .real where place.kind == .double || place.kind == .float:
      write(value.map(Double.init), at: place, as: Value.double) { $0.setDouble($1, place) }
    case .real, .text, .uuid, .decimal, .bytes, .destination, .none:
      storeAny(value.map { NSNumber(value: $0) }, key)
    }
  }

  @usableFromInline
  final func storeDouble(_ value: Double?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    let place = place(key)
    switch place.form {
    case .real:
      let number = place.kind == .float ? value.map { Double(Float($0)) } : value
      write(number, at: place, as: { Value(real: $0, of: place.kind) }) { $0.setDouble($1, place) }
    case .integer, .text, .uuid, .decimal, .bytes, .destination, .none:
      storeAny(value.map { NSNumber(value: $0) }, key)
    }
  }

  @usableFromInline
  final func storeString(_ value: String?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    let place = place(key)
    if place.kind == .string {
      write(value, at: place, as: Value.string) { $0.setText($1, place) }
    } else {
      storeAny(value, key)
    }
  }

  @usableFromInline
  final func storeDate(_ value: Date?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    let place = place(key)
    if place.kind == .date {
      write(value, at: place, as: Value.date) { $0.setDouble($1.timeIntervalSinceReferenceDate, place) }
    } else {
      storeAny(value, key)
    }
  }

  @usableFromInline
  final func storeObject(_ value: NSManagedObject?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    guard let property = places.property(key) else { misuse(.unknownKey(key.name, self)) }
    property._withUnsafeGuaranteedRef { property in
      guard property.kind == .toOne else {
        misuse(.wrongType(key.name, object: self, wanted: "a to-one relationship"))
      }
      setToOne(value, property)
    }
  }

  /// Sets any property from a value of key-value coding. The slow path of all typed writes.
  @usableFromInline
  final func storeAny(_ value: Any?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    guard let property = layout.property(key) else { misuse(.unknownKey(key.name, self)) }
    setBoxed(value, property)
  }

  final func setBoxed(_ value: Any?, _ property: LayoutProperty) {
    switch property.kind.role {
    case .toOne: setToOne(checkedObject(value, property), property)
    case .toMany: setMembers(checkedMembers(value, property), property)
    case .fetched: misuse(.readOnly(property.name, self))
    case .composite:
      let announced = announceChange(of: property)
      for (element, value) in elementValues(value, property) { setBoxed(value, element) }
      announced?.end()
    case .attribute: write(Value(checking: value, for: property, of: layout), slot: property.slot)
    }
  }

  private func checkedObject(_ value: Any?, _ property: LayoutProperty) -> NSManagedObject? {
    guard let value = given(value, for: property, of: layout) else { return nil }
    guard let object = value as? NSManagedObject else {
      misuse(.unacceptable(value, property, of: layout))
    }
    return object
  }

  /// The value that each element of a composite attribute gets from a dictionary; nil for elements that it lacks.
  final func elementValues(_ value: Any?, _ property: LayoutProperty) -> [(LayoutProperty, Any?)] {
    guard let value = given(value, for: property, of: layout) else { return property.leaves.map { ($0, nil) } }
    guard let values = property.elementValues(of: value) else { misuse(.unacceptable(value, property, of: layout)) }
    return values
  }

  final func checkedMembers(_ value: Any?, _ property: LayoutProperty) -> ContiguousArray<NSManagedObject> {
    let elements: [Any]
    switch given(value, for: property, of: layout) {
    case nil: elements = []
    case let set as NSSet: elements = set.allObjects
    case let set as NSOrderedSet: elements = set.array
    case let array as [Any]: elements = array
    case let set as Set<NSManagedObject>: elements = Array(set)
    case let other?: misuse(.unacceptable(other, property, of: layout))
    }
    return ContiguousArray(
      elements.map { element in
        guard let object = element as? NSManagedObject else {
          misuse(.unacceptable(element, property, of: layout))
        }
        return object
      })
  }
}
