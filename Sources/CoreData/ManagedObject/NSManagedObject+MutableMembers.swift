extension NSManagedObject {
  /// ``mutableSetValue(forKey:)``.
  final func mutableMembers(forKey key: String) -> NSMutableSet {
    guard let property = layout.property(named: key), property.kind == .toMany else {
      misuse(.wrongType(key, object: self, wanted: "a to-many relationship"))
    }
    return MutableMemberSet(self, property)
  }

  /// ``mutableSetValue(forKey:)`` of the object to which the path leads; the last key is the relationship's.
  public final func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
    let (object, key) = holder(of: keyPath)
    return object.mutableSetValue(forKey: key)
  }

  /// ``mutableOrderedSetValue(forKey:)`` of the object to which the path leads; the last key is the relationship's.
  public final func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
    let (object, key) = holder(of: keyPath)
    return object.mutableOrderedSetValue(forKey: key)
  }

  private func holder(of keyPath: String) -> (NSManagedObject, key: String) {
    guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
    let path = String(keyPath[..<dot])
    guard let object = value(forKeyPath: path) as? NSManagedObject else {
      misuse(.wrongType(path, object: self, wanted: "a to-one relationship with an object"))
    }
    return (object, String(keyPath[keyPath.index(after: dot)...]))
  }

  /// ``mutableOrderedSetValue(forKey:)``.
  final func mutableOrderedMembers(forKey key: String) -> NSMutableOrderedSet {
    guard let property = layout.property(named: key), property.kind == .toMany else {
      misuse(.wrongType(key, object: self, wanted: "an ordered to-many relationship"))
    }
    return MutableMemberOrderedSet(self, property)
  }
}
