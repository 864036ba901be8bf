import Foundation

/// Something that a predicate can be evaluated on: a managed object, a row of a store, a dictionary.
protocol PredicateSubject {
  /// The value of a property. Throws `Failure.unknownKeyPath` for a key that it does not have.
  ///
  /// `key.name` is the property's name. The subject may keep in `key` where it found it; see `PredicateKey`.
  func predicateValue(for key: PredicateKey) throws -> PredicateValue

  /// The identity by which a predicate compares the subject with an object; nil if it has none.
  var predicateIdentity: AnyHashable? { get }

  /// The place where a key path first goes through a to-many relationship, if it does. Needed if a to-one relationship
  /// before that is nil: the path then leads to no members, not to one nil.
  func placeOfMany(on path: [PredicateKey]) -> Int?

  /// The subject as the program knows it, for block predicates.
  var predicateObject: Any { get }
}

extension PredicateSubject {
  var predicateObject: Any { self }
  func placeOfMany(on path: [PredicateKey]) -> Int? { nil }
}

/// A key of a key path, one for each place in a compiled predicate.
///
/// A subject whose values are in slots may keep the slot here, so that there is one lookup by name for each predicate
/// and layout, and not for each object.
// Used by one evaluation at a time, as the evaluator that owns it.
final class PredicateKey {
  let name: String
  /// The object for which `slot` is valid, such as the entity's layout. It is compared by identity only.
  var cacheOwner: AnyObject?
  var slot = 0

  init(_ name: String) { self.name = name }
}

/// The usual dictionary: every key exists, nil unless the dictionary has it.
struct StringDictionarySubject: PredicateSubject {
  let dictionary: [String: Any]

  func predicateValue(for key: PredicateKey) throws -> PredicateValue {
    guard let value = dictionary[key.name] else { return key.name == "self" ? .subject(self) : .null }
    return PredicateValue(any: value)
  }

  var predicateIdentity: AnyHashable? { (dictionary as NSDictionary) as AnyHashable }
  var predicateObject: Any { dictionary }
}

/// Any other dictionary, with the same rule.
struct DictionarySubject: PredicateSubject {
  let dictionary: [AnyHashable: Any]

  init?(_ value: Any) {
    if let dictionary = value as? [AnyHashable: Any] {
      self.dictionary = dictionary
    } else if let dictionary = value as? NSDictionary {
      var members: [AnyHashable: Any] = [:]
      for (key, value) in dictionary {
        guard let key = key as? AnyHashable else { continue }
        members[key] = value
      }
      self.dictionary = members
    } else {
      return nil
    }
  }

  func predicateValue(for key: PredicateKey) throws -> PredicateValue {
    guard let value = dictionary[key.name] else { return key.name == "self" ? .subject(self) : .null }
    return PredicateValue(any: value)
  }

  var predicateIdentity: AnyHashable? { (dictionary as NSDictionary) as AnyHashable }
  var predicateObject: Any { dictionary }
}

/// Any other value: its stored properties are its keys.
struct MirrorSubject: PredicateSubject {
  let value: Any

  init(_ value: Any) { self.value = value }

  func predicateValue(for key: PredicateKey) throws -> PredicateValue {
    if let description = value as? any KeyedDescription, let found = description.described(key.name) {
      return PredicateValue(any: found)
    }
    var mirror: Mirror? = Mirror(reflecting: value)
    while let level = mirror {
      for child in level.children where child.label == key.name { return PredicateValue(any: child.value) }
      mirror = level.superclassMirror
    }
    if key.name == "self" { return .subject(self) }
    throw Failure.unknownKeyPath(keyPath: key.name, entity: "\(type(of: value))", missing: key.name)
  }

  var predicateIdentity: AnyHashable? {
    if let hashable = value as? AnyHashable { return hashable }
    return type(of: value) is AnyClass ? AnyHashable(ObjectIdentifier(value as AnyObject)) : nil
  }
  var predicateObject: Any { value }
}
