extension NSManagedObject {
  /// ``value(forKey:)`` for keys that come from a user: throws for a key that the entity lacks.
  public final func value(checkedForKey key: String) throws -> Any? {
    guard layout.property(named: key) != nil else { throw Failure.unknownKeyPath(keyPath: key, entity: layout.name, missing: key).nsError }
    return value(forKey: key)
  }

  /// ``setValue(_:forKey:)`` for keys and values that come from a user: throws for an unknown key, a value of
  /// the wrong type, or an object of another context or entity, and leaves the object as it was.
  public final func setValue(_ value: Any?, checkedForKey key: String) throws {
    guard let property = layout.property(named: key) else {
      throw Failure.unknownKeyPath(keyPath: key, entity: layout.name, missing: key).nsError
    }
    if let value = unwrapped(value), !accepts(value, property) {
      throw Failure.valueOfWrongClass(
        .init(object: self, entity: layout.name, property: key, value: value), expected: property.wantedType).nsError
    }
    setValue(value, forKey: key)
  }

  private final func accepts(_ value: Any, _ property: LayoutProperty) -> Bool {
    func isMember(_ element: Any) -> Bool {
      guard let object = element as? NSManagedObject else { return false }
      return object.owner === owner && layout.model.layouts[property.destination].subtree.contains(object.layout.index)
    }
    switch property.kind {
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
    default: return Value(value, for: property) != nil
    }
  }

  /// A value over a path of keys, `author.name`; over a to-many relationship, the set of the members' values.
  /// Collection operators: `@count`, `@sum`, `@avg`, `@min`, `@max`, `@distinctUnionOfObjects`, `@unionOfObjects`.
  public final func value(forKeyPath keyPath: String) -> Any? {
    KeyPathValues.value(of: self, keyPath.split(separator: ".").map(String.init))
  }

  /// Sets the last key of the path on the object that the others lead to; nothing when one of them is nil.
  public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
    var keys = keyPath.split(separator: ".").map(String.init)
    let last = keys.removeLast()
    let target = keys.isEmpty ? self : KeyPathValues.value(of: self, keys) as? NSManagedObject
    target?.setValue(value, forKey: last)
  }

  /// The values of several keys; nil ones as `NSNull`.
  public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(uniqueKeysWithValues: keys.map { ($0, value(forKey: $0) ?? NSNull()) })
  }

  /// Sets several keys; `NSNull` is nil.
  public final func setValuesForKeys(_ values: [String: Any]) {
    for (key, value) in values { setValue(value is NSNull ? nil : value, forKey: key) }
  }

  /// A stored Swift property of the subclass, which Apple's key-value coding would find through Objective-C.
  final func ownValue(forKey key: String) -> Any? {
    if key == "objectID" { return objectID }
    if key == "self" { return self }
    var mirror: Mirror? = Mirror(reflecting: self)
    while let level = mirror {
      if let child = level.children.first(where: { $0.label == key }) { return child.value }
      mirror = level.superclassMirror
    }
    return nil
  }

  final func setPrimitive(_ value: Any?, _ property: LayoutProperty) {
    if state.contains(.fault) { fire(for: property) }
    guard property.slot >= 0 else {
      setBoxed(value, property)
      return
    }
    if changes == nil { changes = ChangedValues.make(layout) }
    if property.kind == .toOne {
      changes![property.slot] = (unwrapped(value) as? NSManagedObject).map { .object($0) } ?? .null
    } else {
      changes![property.slot] = Value(checking: value, for: property, of: layout)
    }
  }
}

/// Values over key paths, on objects and on collections.
enum KeyPathValues {
  static func value(of subject: Any?, _ keys: [String]) -> Any? {
    guard let subject, let key = keys.first else { return subject }
    let rest = Array(keys.dropFirst())
    if let object = subject as? NSManagedObject { return value(of: object.value(forKey: key), rest) }
    if let dictionary = subject as? [String: Any] { return value(of: dictionary[key], rest) }
    let members: [Any]
    switch subject {
    case let set as NSSet: members = set.allObjects
    case let set as NSOrderedSet: members = set.array
    case let array as [Any]: members = array
    default: return nil
    }
    if key.hasPrefix("@") { return collect(key, members, rest) }
    let values = members.compactMap { value(of: $0, keys) }
    return subject is NSSet ? NSSet(array: values) : values
  }

  private static func collect(_ collector: String, _ members: [Any], _ rest: [String]) -> Any? {
    if collector == "@count" { return NSNumber(value: members.count) }
    let values = rest.isEmpty ? members : members.compactMap { value(of: $0, rest) }
    let numbers = values.compactMap { NSNumber(anyNumber: $0)?.doubleValue }
    switch collector {
    case "@sum": return NSNumber(value: numbers.reduce(0, +))
    case "@avg": return numbers.isEmpty ? nil : NSNumber(value: numbers.reduce(0, +) / Double(numbers.count))
    case "@min": return extreme(values) { $0 < $1 }
    case "@max": return extreme(values) { $0 > $1 }
    case "@unionOfObjects": return values
    case "@distinctUnionOfObjects":
      var seen: Set<AnyHashable> = []
      return values.filter { ($0 as? AnyHashable).map { seen.insert($0).inserted } ?? true }
    default: fatalError("The collection operator \(collector) is not implemented.")
    }
  }

  private static func extreme(_ values: [Any], _ isBetter: (Double, Double) -> Bool) -> Any? {
    func measure(_ value: Any) -> Double? {
      (value as? Date)?.timeIntervalSinceReferenceDate ?? NSNumber(anyNumber: value)?.doubleValue
    }
    if let strings = values as? [String] {
      return strings.sorted { isBetter($0 < $1 ? 0 : 1, $0 < $1 ? 1 : 0) }.first
    }
    return values.filter { measure($0) != nil }.reduce(nil as Any?) { best, value in
      guard let best else { return value }
      return isBetter(measure(value)!, measure(best)!) ? value : best
    }
  }
}
