/// Typed writes, for generated accessors and the stack itself.
extension NSManagedObject {
  /// Tells the context before a change. From then on the context keeps the object alive until the save.
  final func noteChange() {
    let noted: ObjectState = [.inserted, .updated]
    if !state.isDisjoint(with: noted), state.contains(.eventListed) { return }
    if state.contains(.awaking) { return }
    owner.noteChange(of: self)
  }

  // Inlined by force, as the count of `insert` asks for; see CONTRIBUTING.md.
  @inline(__always)
  private func changesForWriting() -> ChangedValues {
    if let changes { return changes }
    let made = ChangedValues.make(places)
    changes = made
    return made
  }

  @inline(__always)
  final func write(_ value: Value, slot: Int) {
    if state.contains(.observed) { return writeObserved(value, slot: slot) }
    writeUntold(value, slot: slot)
  }

  @inline(never)
  private func writeObserved(_ value: Value, slot: Int) {
    let announced = announceChange(of: layout.slots[slot])
    writeUntold(value, slot: slot)
    announced?.end()
  }

  @inline(__always)
  private func writeUntold(_ value: Value, slot: Int) {
    noteChange()
    let changes = changesForWriting()
    changes[slot] = value
    if !state.contains(.awaking) { changes.markChanged(slot) }
  }

  /// Sets an attribute whose type fits; a to-one goes through `setToOne`.
  @usableFromInline
  final func storeInteger(_ value: Int64?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    let place = place(key)
    switch place.form {
    case .integer:
      if place.kind == .int64 { return write(value.map { .int($0) } ?? .null, slot: Int(place.slot)) }
      let isBoolean = place.kind == .boolean
      if let value, !isBoolean, !place.kind.range.contains(value) {
        misuse(.outOfRange(value, key: key.name, object: self))
      }
      write(value.map { .int(isBoolean && $0 != 0 ? 1 : $0) } ?? .null, slot: Int(place.slot))
    case .real where place.kind == .double || place.kind == .float:
      write(value.map { .double(Double($0)) } ?? .null, slot: Int(place.slot))
    case .real, .text, .uuid, .decimal, .bytes, .destination, .none:
      storeAny(value.map { NSNumber(value: $0) }, key)
    }
  }

  @usableFromInline
  final func storeDouble(_ value: Double?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    let place = place(key)
    switch place.form {
    case .real where place.kind == .float:
      write(value.map { .double(Double(Float($0))) } ?? .null, slot: Int(place.slot))
    case .real: write(value.map { Value(real: $0, of: place.kind) } ?? .null, slot: Int(place.slot))
    case .integer, .text, .uuid, .decimal, .bytes, .destination, .none:
      storeAny(value.map { NSNumber(value: $0) }, key)
    }
  }

  @usableFromInline
  final func storeString(_ value: String?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    let place = place(key)
    if place.kind == .string {
      write(value.map { .string($0) } ?? .null, slot: Int(place.slot))
    } else {
      storeAny(value, key)
    }
  }

  @usableFromInline
  final func storeDate(_ value: Date?, _ key: ManagedKey) {
    beginChange(call: "setting \"\(key.name)\"")
    let place = place(key)
    if place.kind == .date {
      write(value.map { .date($0) } ?? .null, slot: Int(place.slot))
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
