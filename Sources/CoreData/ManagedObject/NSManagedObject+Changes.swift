/// Changes since the last fetch or save.
extension NSManagedObject {
  /// The values of those properties that are persistent.
  final func currentValues(of properties: [LayoutProperty]) -> [String: Any] {
    var values: [String: Any] = [:]
    for property in properties where !property.isTransient {
      let named = property.composite ?? property
      values[named.name] = boxedValue(named) ?? NSNull()
    }
    return values
  }

  /// ``committedValues(forKeys:)`` of an object that is no fault.
  final func persistedValues(forKeys keys: [String]?) -> [String: Any] {
    var values: [String: Any] = [:]
    for name in keys ?? layout.properties.filter({ $0.composite == nil }).map(\.name) {
      guard let property = layout.property(named: name) else { misuse(.unknownKey(name, self)) }
      if property.kind == .fetched || property.isTransient || state.contains(.inserted) { continue }
      values[name] = committedValue(property) ?? NSNull()
    }
    return values
  }

  /// ``hasPersistentChangedValues``.
  final var isPersistentlyChanged: Bool {
    if state.contains(.inserted) || state.contains(.deleted) { return true }
    return changedProperties().contains(where: isPersistentlyChanged)
  }

  /// What ``changedValues()`` tells: of an object that was saved before, only what differs from then.
  final func differingProperties() -> [LayoutProperty] {
    let changed = changedProperties()
    return state.contains(.inserted) ? changed : changed.filter(isPersistentlyChanged)
  }

  /// Whether one of the properties that were set differs from what was saved. A to-many relationship counts its changes
  /// itself.
  private func isPersistentlyChanged(_ property: LayoutProperty) -> Bool {
    if property.isTransient { return false }
    return property.kind == .toMany || !isEqualToCommitted(property)
  }

  private func changedProperties() -> [LayoutProperty] {
    var properties: [LayoutProperty] = []
    let changed = changedSlots
    let isNew = state.contains(.inserted)
    for property in layout.properties {
      if property.slot >= 0 {
        if changed.contains(property.slot) || isNew && !hasDefault(property) { properties.append(property) }
      } else if property.kind == .toMany, knownState(of: property)?.isChanged == true {
        properties.append(property)
      }
    }
    return properties
  }

  /// Whether a new object still has its default value.
  private func hasDefault(_ property: LayoutProperty) -> Bool {
    guard let changes, changes.holds(property.slot) else { return true }
    let value = layout.defaults.first { $0.slot == property.slot }?.value ?? .null
    return value.isSame(as: changes[property.slot])
  }

  final var changedSlots: SlotMask {
    changes?.changed ?? SlotMask()
  }

  private func committedValue(_ property: LayoutProperty) -> Any? {
    if property.kind == .toMany {
      let state = toManyState(property)
      _ = hasCommittedMembers(property, state)
      let objects = (state.base ?? []).map { owner.object(for: $0, store: store) }
      return property.isOrdered ? NSOrderedSet(array: Array(objects)) : NSSet(array: Array(objects))
    }
    if property.kind == .composite { return property.composed(committedValue) }
    guard let row else { return state.contains(.inserted) ? nil : boxedValue(property) }
    if property.kind == .toOne {
      guard let destination = row.destination(property), owner.hasContext else { return nil }
      return owner.object(for: destination, store: store)
    }
    let value = row.value(property)
    if property.kind == .transformable, case .data(let data) = value {
      return try? property.attribute.value(ofTransformable: data)
    }
    return value.boxed(for: property)
  }

  private func isEqualToCommitted(_ property: LayoutProperty) -> Bool {
    let (now, then) = (boxedValue(property), committedValue(property))
    if property.kind == .transformable, [now, then].contains(where: { $0.map(Value.isComparable) == false }) {
      return false
    }
    // A value of the row that can't be read is nil here, and gone once nil is written.
    if now == nil, then == nil { return row?.hasValue(property) != true }
    if let now = now as? String, let then = then as? String { return binaryEqual(now, then) }
    return now as? AnyHashable == then as? AnyHashable
  }
}
