// Key-value coding of Foundation's collections, which Foundation on Linux lacks for all but dictionaries: each member
// is asked for its value. `@count` and the other collection operators work as in `NSManagedObject.value(forKeyPath:)`.

extension NSDictionary {
  /// The value along a path of keys, the first of which is the dictionary's, or the result of a collection operator.
  public func value(forKeyPath keyPath: String) -> Any? { KeyPathValues.value(of: self, path: keyPath) }
}

extension NSMutableDictionary {
  /// Sets the value of a key; nil removes it.
  public func setValue(_ value: Any?, forKey key: String) {
    if let value { setObject(value, forKey: key as NSString) } else { removeObject(forKey: key as NSString) }
  }
}

extension NSSet {
  /// The set of the members' values; members without a value are left out.
  public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

  /// The set of the members' values along a path, or the result of a collection operator in it, such as `@count`. An
  /// unknown operator ends the program.
  public func value(forKeyPath keyPath: String) -> Any? { KeyPathValues.value(of: self, path: keyPath) }

  /// Sets a value on every member that is a managed object.
  public func setValue(_ value: Any?, forKey key: String) { KeyPathValues.set(value, key, on: allObjects) }
}

extension NSOrderedSet {
  /// The ordered set of the members' values; members without a value are left out.
  public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

  /// The ordered set of the members' values along a path, or the result of a collection operator.
  public func value(forKeyPath keyPath: String) -> Any? { KeyPathValues.value(of: self, path: keyPath) }

  /// Sets a value on every member that is a managed object.
  public func setValue(_ value: Any?, forKey key: String) { KeyPathValues.set(value, key, on: array) }
}

extension NSArray {
  /// The members' values in their order; `NSNull` for members without one.
  public func value(forKey key: String) -> Any? {
    if key.hasPrefix("@") { return value(forKeyPath: key) }
    return map { KeyPathValues.value(of: $0, path: key) ?? NSNull() }
  }

  /// The members' values along a path, in their order and without nil, or the result of a collection operator.
  public func value(forKeyPath keyPath: String) -> Any? {
    KeyPathValues.value(of: Array(self) as [Any], path: keyPath)
  }

  /// Sets a value on every member that is a managed object.
  public func setValue(_ value: Any?, forKey key: String) { KeyPathValues.set(value, key, on: Array(self)) }
}

extension KeyPathValues {
  fileprivate static func value(of subject: Any, path: String) -> Any? {
    value(of: subject, path.split(separator: ".").map(String.init))
  }

  fileprivate static func set(_ value: Any?, _ key: String, on members: [Any]) {
    for case let member as NSManagedObject in members { member.setValue(value, forKey: key) }
  }
}
