extension NSManagedObject {
  /// ``value(forKey:)`` for keys that come from a user: throws for a key that the entity lacks, and for a value in a
  /// file of its own that can't be read, for which `value(forKey:)` returns nil.
  public final func value(checkedForKey key: String) throws -> Any? {
    guard let property = layout.property(named: key) else { throw unknownKey(key).nsError }
    if property.kind == .binary, let value = try valueInFile(of: property) { return value }
    return value(forKey: key)
  }

  /// ``setValue(_:forKey:)`` for keys and values that come from a user: throws for an unknown key, a value of
  /// the wrong type, `NSNull` among them, a number that does not fit an integer attribute, or an object of another
  /// context or entity, and leaves the object as it was.
  public final func setValue(_ value: Any?, checkedForKey key: String) throws {
    guard let property = layout.property(named: key) else {
      throw unknownKey(key).nsError
    }
    if property.kind == .fetched { throw Failure.readOnlyProperty(entity: layout.name, property: key).nsError }
    let given: Any? = unwrapped(value) ?? (isNull(value) && !property.takesNull ? NSNull() : nil)
    if let value = given, !accepts(value, property) {
      throw Failure.valueOfWrongClass(
        .init(object: self, entity: layout.name, property: key, value: value), expected: property.wantedType
      ).nsError
    }
    setValue(value, forKey: key)
  }

  /// The saved value of a property if it is in a file of its own; nil for any other value. Throws if it can't be read.
  /// It is read once: a second reading, by `value(forKey:)`, could fail, and the value would be nil.
  private final func valueInFile(of property: LayoutProperty) throws -> Data? {
    fireIfNeeded(call: "reading \"\(property.name)\"")
    guard changes?.holds(property.slot) != true, let row, property.word >= 0, !row.isNull(slot: property.slot),
      row.isReference(word: property.word)
    else { return nil }
    return try publicErrors { try row.data(property) }
  }

  /// The error for a key that the entity lacks.
  final func unknownKey(_ key: String) -> Failure {
    .unknownKeyPath(keyPath: key, entity: layout.name, missing: key, names: layout.propertyNames)
  }

  /// Whether a value has the type that a property takes.
  final func accepts(_ value: Any, _ property: LayoutProperty) -> Bool {
    func isMember(_ element: Any) -> Bool {
      guard let object = element as? NSManagedObject else { return false }
      return object.owner === owner && layout.model.layouts[property.destination].subtree.contains(object.layout.index)
    }
    switch property.kind.role {
    case .toOne: return isMember(value)
    case .toMany:
      switch value {
      case let set as NSSet: return set.allObjects.allSatisfy(isMember)
      case let set as NSOrderedSet: return set.array.allSatisfy(isMember)
      case let array as [Any]: return array.allSatisfy(isMember)
      case let set as Set<NSManagedObject>: return set.allSatisfy(isMember)
      default: return false
      }
    case .fetched: return false
    case .composite:
      return property.elementValues(of: value)?.allSatisfy { element, value in
        unwrapped(value).map { accepts($0, element) } ?? true
      } ?? false
    case .attribute: return Value(value, for: property) != nil
    }
  }

  /// The properties of every managed object by their keys in Objective-C: the name, and that of the getter.
  private static let ownProperties: [String: (NSManagedObject) -> Any?] = {
    var properties: [String: (NSManagedObject) -> Any?] = [
      "entity": { $0.layout.entity }, "managedObjectContext": { $0.managedObjectContext },
      "hasChanges": { $0.hasChanges }, "hasPersistentChangedValues": { $0.hasPersistentChangedValues },
      "faultingState": { $0.faultingState },
    ]
    let flags: [(String, (NSManagedObject) -> Bool)] = [
      ("Inserted", \.isInserted), ("Updated", \.isUpdated), ("Deleted", \.isDeleted), ("Fault", \.isFault),
    ]
    for (name, flag) in flags {
      properties["is\(name)"] = { flag($0) }
      properties[name.lowercased()] = { flag($0) }
    }
    return properties
  }()

  /// The value of a Swift property of the subclass, which Apple's key-value coding would find through Objective-C: one
  /// with a getter, if the class was compiled with the plugin, or a stored one. nil if there is none of that name.
  final func ownValue(forKey key: String) -> Any?? {
    if key == "objectID" { return objectID }
    if key == "self" { return self }
    if let own = ownAccessors[key] { return .some(own.value(of: self, forKey: key).map(wholeNumber(orValue:))) }
    var mirror: Mirror? = Mirror(reflecting: self)
    while let level = mirror, level.subjectType != NSManagedObject.self {
      if let child = level.children.first(where: { $0.label == key }) {
        return .some(unwrapped(child.value).map(wholeNumber(orValue:)))
      }
      mirror = level.superclassMirror
    }
    guard let own = NSManagedObject.ownProperties[key] else { return nil }
    return .some(own(self))
  }

  final func setPrimitive(_ value: Any?, _ property: LayoutProperty) {
    readForChange(of: property)
    if property.kind == .toMany { return setPrimitiveMembers(value, property) }
    if property.kind == .composite {
      for (element, value) in elementValues(value, property) { setPrimitive(value, element) }
      return
    }
    guard property.slot >= 0 else { misuse(.readOnly(property.name, self)) }
    if changes == nil { changes = ChangedValues.make(layout) }
    if property.kind == .toOne {
      let destination = given(value, for: property, of: layout) as? NSManagedObject
      changes![property.slot] = destination.map { .object($0) } ?? .null
    } else {
      changes![property.slot] = Value(checking: value, for: property, of: layout)
      // Objects are held as well because they are costly to make: a save writes only those that count as changed.
      if property.kind == .transformable { changes!.markChanged(property.slot) }
    }
  }

  /// Adds or removes an object in the members as they are held.
  final func setPrimitiveMember(_ member: NSManagedObject, _ property: LayoutProperty, isComing: Bool) {
    let isMember = members(property).contains { $0 === member }
    if isMember == isComing { return }
    let state = toManyState(property)
    if isComing { state.add(member) } else { state.remove(member) }
  }

  /// The members as they are held. Changing them does not change the other side of the relationship.
  private final func setPrimitiveMembers(_ value: Any?, _ property: LayoutProperty) {
    let wanted = checkedMembers(value, property)
    let before = members(property)
    let (had, has) = (Set(before.map(ObjectIdentifier.init)), Set(wanted.map(ObjectIdentifier.init)))
    let state = toManyState(property)
    for member in before where !has.contains(ObjectIdentifier(member)) { state.remove(member) }
    for member in wanted where !had.contains(ObjectIdentifier(member)) { state.add(member) }
    if property.isOrdered { state.reorder(wanted) }
  }
}

/// Of an enumeration over whole numbers the number, which is what Objective-C sees of it.
private func wholeNumber(orValue value: Any) -> Any {
  guard let number = (value as? any RawRepresentable)?.rawValue, number is any BinaryInteger else { return value }
  return number
}
