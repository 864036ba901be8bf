internal import DataModelFiles

/// Primitive accessors: the implementation of `@NSManaged var primitiveName` and of that key.
extension EntityLayout {
  /// The property that a key such as `primitiveName` means; nil if there is none. A property that really has that name
  /// takes precedence, and is not looked up here. A key may also have the property's name as it stands, as
  /// `primitiveURL` does for `URL`.
  final func primitiveProperty(named key: String) -> LayoutProperty? {
    guard key.hasPrefix("primitive") else { return nil }
    return AccessorName.properties(key.dropFirst("primitive".count)).lazy.compactMap(property(named:)).first
  }
}

extension NSManagedObject {
  /// The value of a key that is not one of the entity's properties.
  @inline(never)
  final func valueOfNoProperty(_ key: String) -> Any? {
    if let property = layout.primitiveProperty(named: key) { return boxedValue(property) }
    // An accessor comes before an override of `value(forUndefinedKey:)`.
    return ownValue(forKey: key) ?? value(forUndefinedKey: key)
  }

  /// The key behind `@NSManaged var primitiveName`: the entity's property of that name if it has one, otherwise the
  /// property `name`. Generated accessors call it.
  public final func primitiveKey(_ key: ManagedKey, of property: ManagedKey) -> ManagedKey {
    if places[key] != nil { return key }
    if places[property] != nil { return property }
    guard let property = layout.primitiveProperty(named: key.name) else { misuseUnknownKey(key) }
    return ManagedKey(name: property.name)
  }

  /// Sets the held value: no change is recorded and no inverse maintained. `write` sets the property of the given key
  /// as a change. Generated accessors call it.
  public final func setPrimitiveManagedValue<T>(
    _ value: T, _ key: ManagedKey, of property: ManagedKey, _ write: (T, ManagedKey) -> Void
  ) {
    let held = primitiveKey(key, of: property)
    if held == key { return write(value, key) }
    beginChange(call: "setting \"\(key.name)\"")
    guard let property = layout.property(held) else { misuseUnknownKey(key) }
    switch property.kind.role {
    case .toOne, .toMany, .fetched, .composite: setPrimitive(value, property)
    case .attribute:
      // The object may be awaking, and then goes on to set quietly.
      let isQuiet = state.contains(.setsQuietly)
      beganSettingQuietly()
      write(value, held)
      if !isQuiet { endedSettingQuietly() }
    }
  }

  /// The members that a to-many relationship holds, as a set that changes only them: the inverse does not change.
  /// Generated accessors of properties that are declared as an `NSMutableSet` call it.
  public final func primitiveMembers(_ key: ManagedKey) -> NSMutableSet {
    fireIfNeeded(call: "reading \"\(key.name)\"")
    guard let property = layout.property(key), property.kind == .toMany else {
      misuse(.wrongType(key.name, object: self, wanted: "a to-many relationship"))
    }
    return PrimitiveMemberSet(self, property)
  }

  /// The members that an ordered relationship holds, as an `NSMutableOrderedSet` that changes only them.
  public final func primitiveOrderedMembers(_ key: ManagedKey) -> NSMutableOrderedSet {
    fireIfNeeded(call: "reading \"\(key.name)\"")
    guard let property = layout.property(key), property.kind == .toMany else {
      misuse(.wrongType(key.name, object: self, wanted: "an ordered to-many relationship"))
    }
    return MutableMemberOrderedSet(self, property, isPrimitive: true)
  }
}

/// The live members that an unordered relationship holds.
private final class PrimitiveMemberSet: MutableMemberSet {
  override func change(_ member: NSManagedObject, isComing: Bool) {
    object.setPrimitiveMember(member, property, isComing: isComing)
  }
}
