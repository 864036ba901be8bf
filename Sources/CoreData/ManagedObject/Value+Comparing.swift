/// Comparing objects that came out of archives.
extension Value {
  /// Whether Foundation calls two objects equal; false for objects that it can't compare.
  static func areEqual(_ a: AnyObject, _ b: AnyObject) -> Bool {
    guard let object = a as? NSObject, isComparable(a), isComparable(b) else { return false }
    return object.isEqual(b)
  }

  /// Whether Foundation can compare a value. It ends the program where a set has an array or a dictionary in it, or a
  /// dictionary has one for a key, as archives in files may say.
  static func isComparable(_ value: Any) -> Bool {
    if let set = value as? NSSet { return set.allObjects.allSatisfy { !isList($0) && isComparable($0) } }
    if let dictionary = value as? NSDictionary {
      return !dictionary.allKeys.contains(where: isList) && dictionary.allValues.allSatisfy(isComparable)
    }
    if let array = value as? NSArray { return array.allSatisfy(isComparable) }
    return true
  }

  private static func isList(_ value: Any) -> Bool {
    value is NSArray || value is NSDictionary || value is [Any] || value is [AnyHashable: Any]
  }
}
