import Foundation

/// The value of a property.
enum PredicateValue {
  case constant(PredicateConstant)
  /// A to-one relationship's destination. For nil: `constant(.null)`.
  case subject(any PredicateSubject)
  /// A to-many relationship's destinations.
  case subjects([any PredicateSubject])
  /// The values that a key path through a to-many relationship leads to.
  case values([PredicateValue])

  static let null = PredicateValue.constant(.null)
}

extension PredicateValue {
  /// A value given by a program: scalars, collections, dictionaries, subjects, and objects whose stored properties a
  /// mirror shows.
  init(any value: Any?) {
    guard let value else {
      self = .null
      return
    }
    // The usual types first: a cast that fails costs more than these comparisons together.
    if let constant = PredicateConstant(frequent: value) {
      self = .constant(constant)
      return
    }
    let type = type(of: value)
    if type == [String: Any].self {
      self = .subject(StringDictionarySubject(dictionary: value as! [String: Any]))
      return
    }
    if type == [[String: Any]].self {
      let members = value as! [[String: Any]]
      self = .values(members.map { .subject(StringDictionarySubject(dictionary: $0)) })
      return
    }
    if let subject = value as? any PredicateSubject {
      self = .subject(subject)
      return
    }
    let constant = PredicateConstant(any: value)
    switch constant {
    case .collection(let members):
      self.init(collection: value, members)
    case .other(let value): self = .subject(MirrorSubject(value))
    case .object(let value):
      self = value is any PredicateIdentity ? .constant(constant) : .subject(MirrorSubject(value))
    default: self = .constant(constant)
    }
  }

  /// Dictionaries have keys; collections of scalars stay constants.
  private init(collection value: Any, _ members: [PredicateConstant]) {
    if let dictionary = DictionarySubject(value) {
      self = .subject(dictionary)
      return
    }
    let isPlain = members.allSatisfy {
      switch $0 {
      case .object, .other, .collection: false
      default: true
      }
    }
    if isPlain {
      self = .constant(.collection(members))
    } else if let set = value as? NSSet {
      self = .values(set.map(PredicateValue.init(any:)))
    } else if let set = value as? NSOrderedSet {
      self = .values(set.map(PredicateValue.init(any:)))
    } else if let sequence = value as? any Collection {
      self.init(sequence)
    } else if let array = value as? NSArray {
      self = .values(array.map(PredicateValue.init(any:)))
    } else {
      self = .constant(.collection(members))
    }
  }

  private init(_ collection: some Collection) {
    self = .values(collection.map { PredicateValue(any: $0) })
  }

  /// The value as the program knows it.
  var anyValue: Any? {
    switch self {
    case .constant(let value): value.anyValue
    case .subject(let subject): subject.predicateObject
    case .subjects(let subjects): subjects.map(\.predicateObject)
    case .values(let values): values.map { $0.anyValue ?? NSNull() }
    }
  }

  /// The members of a collection; nil if the value isn't one.
  var members: [PredicateValue]? {
    switch self {
    case .subjects(let subjects): subjects.map(PredicateValue.subject)
    case .values(let values): values
    case .constant(.collection(let constants)): constants.map(PredicateValue.constant)
    default: nil
    }
  }

  /// The values of a dictionary, among which `IN` looks; nil if the value isn't one.
  var valuesOfDictionary: [PredicateValue]? {
    guard case .subject(let subject) = self else { return nil }
    return switch subject {
    case let named as StringDictionarySubject: named.dictionary.values.map { PredicateValue(any: $0) }
    case let other as DictionarySubject: other.dictionary.values.map { PredicateValue(any: $0) }
    default: nil
    }
  }

  var isNull: Bool { if case .constant(.nothing) = self { true } else { false } }

  /// The constant, for functions; null for other values.
  var constant: PredicateConstant {
    switch self {
    case .constant(let value): value
    case .values(let values): .collection(values.map(\.constant))
    case .subjects(let subjects): .collection(subjects.map { .other($0.predicateObject) })
    case .subject(let subject): .other(subject.predicateObject)
    }
  }
}
