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

  /// Sets the last key of the path in the dictionary, or on the object, that the others lead to. Does nothing if one of
  /// them is nil.
  ///
  /// Foundation hands out copies of dictionaries that are in others. So each one on the way is replaced by a changed
  /// copy.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    let keys = keyPath.split(separator: ".").map(String.init)
    set(value, keys[...])
  }

  private func set(_ value: Any?, _ keys: ArraySlice<String>) {
    guard let key = keys.first else { return }
    let rest = keys.dropFirst()
    if rest.isEmpty { return setValue(value, forKey: key) }
    switch object(forKey: key as NSString) {
    case let object as NSManagedObject: object.setValue(value, forKeyPath: rest.joined(separator: "."))
    case let dictionary as [AnyHashable: Any]:
      let changed = NSMutableDictionary(dictionary: dictionary)
      changed.set(value, rest)
      setValue(changed, forKey: key)
    default: break
    }
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
