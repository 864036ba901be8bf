/// A composite attribute of an object, as a predicate reads it: its keys are its elements.
struct CompositeSubject: PredicateSubject {
  private let property: LayoutProperty
  private let value: (LayoutProperty) -> PredicateValue

  /// Null if no element has a value.
  static func value(
    of property: LayoutProperty, _ value: @escaping (LayoutProperty) -> PredicateValue
  ) -> PredicateValue {
    if property.leaves.allSatisfy({ value($0).isNull }) { return .null }
    return .subject(CompositeSubject(property: property, value: value))
  }

  func predicateValue(for key: PredicateKey) throws -> PredicateValue {
    guard let element = property.elements.first(where: { $0.ownName == key.name }) else {
      throw Failure.unknownKeyPath(
        keyPath: "\(property.name).\(key.name)", entity: "the composite attribute \(property.name)",
        missing: key.name, names: property.elements.map(\.ownName))
    }
    return element.kind == .composite ? CompositeSubject.value(of: element, value) : value(element)
  }

  var predicateIdentity: AnyHashable? { (predicateObject as? NSDictionary).map { AnyHashable($0) } }

  var predicateObject: Any { (property.composed { value($0).anyValue } ?? [:]) as NSDictionary }
}
