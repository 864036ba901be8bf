import Foundation

/// Predicates and sort descriptors read managed objects by slot.
extension NSManagedObject: PredicateSubject {
  func predicateValue(for key: PredicateKey) throws -> PredicateValue {
    fireIfNeeded(call: "reading \"\(key.name)\"")
    let property: LayoutProperty
    if key.cacheOwner === layout {
      property = layout.properties[key.slot]
    } else {
      guard let found = layout.property(named: key.name) else { return try ownPredicateValue(for: key.name) }
      key.cacheOwner = layout
      key.slot = found.index
      property = found
    }
    switch property.kind.role {
    case .toOne: return toOne(property).map { .subject($0) } ?? .null
    case .toMany: return .subjects(members(property).map { $0 })
    case .fetched: return PredicateValue(any: fetchedValue(property))
    case .composite:
      return CompositeSubject.value(of: property) { [self] in
        PredicateValue(currentValue($0), isBoolean: $0.kind == .boolean)
      }
    case .attribute:
      if property.isTransient, let own = ownAccessorValue(at: property.index) { return PredicateValue(any: own) }
      return PredicateValue(currentValue(property), isBoolean: property.kind == .boolean)
    }
  }

  /// A key that isn't a modelled property: the id, the entity, the object itself, what the class's own
  /// `value(forKey:)` answers, a stored property of the class.
  private func ownPredicateValue(for key: String) throws -> PredicateValue {
    switch key {
    case "objectID": return .constant(.object(objectID))
    case "entity": return .constant(.object(layout.entity))
    case "self": return .subject(self)
    default:
      if KeyedReading.isOverridden(by: type(of: self)) {
        let asked = AskedKey()
        let answer: Any? = AskedKey.$current.withValue(asked) { self.value(forKey: key) }
        if !asked.isUndefined { return PredicateValue(any: answer) }
      } else if let value = ownValue(forKey: key) {
        return PredicateValue(any: value)
      }
      throw unknownKey(key)
    }
  }

  var predicateObject: Any { self }

  func placeOfMany(on path: [PredicateKey]) -> Int? { layout.placeOfMany(on: path) }
}

extension NSManagedObject: PredicateIdentity {
  /// An object and its id are equal in predicates: they stand for the same row.
  var predicateIdentity: AnyHashable? { objectID }
}

extension NSManagedObjectID: PredicateIdentity, PlacedIdentity {
  var predicateIdentity: AnyHashable? { self }
  // The keys of new objects go down from -1.
  var place: UInt64 { key < 0 ? 1 << 63 + key.magnitude : UInt64(key) }
}

extension PredicateValue {
  init(_ value: Value, isBoolean: Bool) {
    switch value {
    case .null: self = .null
    case .int(let value): self = .constant(isBoolean ? .bool(value != 0) : .int(value))
    case .double(let value): self = .constant(.double(value))
    case .date(let value): self = .constant(.date(value))
    case .string(let value): self = .constant(.string(value))
    case .data(let value): self = .constant(.data(value))
    case .uuid(let value): self = .constant(.uuid(value))
    case .url(let value): self = .constant(.url(value))
    case .decimal(let value): self = .constant(.decimal(value.decimalValue))
    case .object(let value): self = PredicateValue(any: TransformableBox.open(value))
    }
  }
}
