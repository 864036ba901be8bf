import Foundation

/// A value in a predicate.
// @unchecked Sendable: `object` and `other` are opaque here; the module that put them in is responsible for them.
enum PredicateConstant: @unchecked Sendable {
  /// nil, or `NSNull` if it is an object. Nothing but a description tells the two apart.
  case nothing(isObject: Bool)
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case date(Date)
  case string(String)
  case data(Data)
  case uuid(UUID)
  case url(URL)
  case decimal(Decimal)
  /// An array, a set, or the values of a dictionary.
  case collection([PredicateConstant])
  /// A managed object, an object id, an entity: compared by `predicateIdentity` where it has one.
  case object(AnyObject)
  case other(Any)
}

/// An object that a predicate compares by what it stands for, not by its address: a managed object and its
/// id answer the same.
protocol PredicateIdentity: AnyObject {
  /// What it stands for; nil if nothing equals it.
  var predicateIdentity: AnyHashable? { get }
}

extension PredicateConstant {
  /// nil.
  static var null: PredicateConstant { .nothing(isObject: false) }

  /// Whether it is nil.
  var isNull: Bool { if case .nothing = self { true } else { false } }

  /// The number it stands for, as SQLite sees it: dates are seconds since 2001-01-01 00:00 UTC.
  var number: Double? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .int(let value): Double(value)
    case .double(let value): value
    case .date(let value): value.timeIntervalSinceReferenceDate
    case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
    case .nothing, .string, .data, .uuid, .url, .collection, .object, .other: nil
    }
  }

  /// What `object` constants are compared by.
  static func identity(of object: AnyObject) -> AnyHashable? {
    if let identified = object as? any PredicateIdentity { return identified.predicateIdentity }
    return object as? AnyHashable ?? AnyHashable(ObjectIdentifier(object))
  }
}

extension PredicateConstant: Hashable {
  static func == (left: PredicateConstant, right: PredicateConstant) -> Bool {
    switch left {
    case .nothing: right.isNull
    case .bool(let a): if case .bool(let b) = right { a == b } else { false }
    case .int(let a): if case .int(let b) = right { a == b } else { false }
    case .double(let a): if case .double(let b) = right { a == b } else { false }
    case .date(let a): if case .date(let b) = right { a == b } else { false }
    case .string(let a): if case .string(let b) = right { binaryEqual(a, b) } else { false }
    case .data(let a): if case .data(let b) = right { a == b } else { false }
    case .uuid(let a): if case .uuid(let b) = right { a == b } else { false }
    case .url(let a): if case .url(let b) = right { a == b } else { false }
    case .decimal(let a): if case .decimal(let b) = right { a == b } else { false }
    case .collection(let a): if case .collection(let b) = right { a == b } else { false }
    case .object(let a):
      if case .object(let b) = right { a === b || Self.identity(of: a) == Self.identity(of: b) } else { false }
    case .other(let a):
      if case .other(let b) = right {
        if let a = a as? AnyClass {
          a == b as? AnyClass
        } else {
          (a as? AnyHashable).map { $0 == b as? AnyHashable } ?? false
        }
      } else {
        false
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .nothing: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .url(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .collection(let value): hasher.combine(value)
    case .object(let value): hasher.combine(Self.identity(of: value))
    case .other(let value): hasher.combine(value as? AnyHashable)
    }
  }
}
