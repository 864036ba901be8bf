import Foundation

/// Archives values; the counterpart of `UnarchivedObject`.
enum ArchivedObject {
  /// The value's archive; nil if the archiver can't take the value.
  static func data(_ value: Any, isSecure: Bool) -> Data? {
    guard ArchivedSets.canBeArchived(value) else { return nil }
    return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: isSecure)
  }
}

/// The sets in a value that is to be archived.
///
/// Foundation's archiver compares each object with those that it has archived before. Sets of one size it compares
/// member by member, and that ends the program if one of them has an array or a dictionary in it.
private struct ArchivedSets {
  /// For each size of a set, how many there are, and whether one of them has a list in it.
  private var sizes: [Int: (count: Int, hasLists: Bool)] = [:]
  /// The containers that were looked into. They are kept, because the next one could get the address of a freed one.
  private var seen: [ObjectIdentifier: AnyObject] = [:]

  /// Whether the archiver can take a value.
  static func canBeArchived(_ value: Any) -> Bool {
    var sets = ArchivedSets()
    _ = sets.walk(value)
    return !sets.sizes.values.contains { $0.count > 1 && $0.hasLists }
  }

  /// Returns whether the value is a list, or has one in it.
  private mutating func walk(_ value: Any) -> Bool {
    if let set = value as? NSSet {
      var hasLists = false
      if seen.updateValue(set, forKey: ObjectIdentifier(set)) == nil {
        for member in set.allObjects where walk(member) { hasLists = true }
      }
      let known = sizes[set.count] ?? (0, false)
      sizes[set.count] = (known.count + 1, known.hasLists || hasLists)
      return hasLists
    }
    if let array = value as? NSArray {
      if seen.updateValue(array, forKey: ObjectIdentifier(array)) == nil { for element in array { _ = walk(element) } }
      return true
    }
    if let dictionary = value as? NSDictionary {
      if seen.updateValue(dictionary, forKey: ObjectIdentifier(dictionary)) == nil {
        for part in dictionary.allKeys + dictionary.allValues { _ = walk(part) }
      }
      return true
    }
    return false
  }
}
