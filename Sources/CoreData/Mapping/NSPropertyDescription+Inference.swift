import Foundation

/// What an inferred migration does with one property.
extension NSPropertyDescription {
  /// Transient properties and fetched ones have no values in a store.
  final var takesPartInMigration: Bool {
    !storedIsTransient && (self is NSAttributeDescription || self is NSRelationshipDescription)
  }

  /// Why this property of the destination can't be inferred, in a sentence without a full stop; nil if it can.
  ///
  /// - Parameters:
  ///   - former: what it was; nil where it is new.
  ///   - hasObjects: whether there can be objects that will have the property.
  final func reasonAgainst(_ former: NSPropertyDescription?, hasObjects: Bool, _ match: EntityMatch) -> String? {
    if let attribute = self as? NSAttributeDescription {
      return attribute.reasonAgainst(attribute: former as? NSAttributeDescription, hasObjects)
    }
    guard let relationship = self as? NSRelationshipDescription, let former = former as? NSRelationshipDescription
    else { return nil }
    return relationship.reasonAgainst(relationship: former, match)
  }

  /// Whether values stay; otherwise the former property goes and this one is new.
  final func keepsValue(of former: NSPropertyDescription, _ match: EntityMatch) -> Bool {
    if let derived = self as? NSDerivedAttributeDescription { return derived.hasDerivation(of: former) }
    guard let relationship = former as? NSRelationshipDescription,
      let destination = relationship.destinationEntity
    else { return true }
    return !match.destinationsOfFamily(of: destination).isEmpty
  }
}

extension NSAttributeDescription {
  fileprivate func reasonAgainst(attribute former: NSAttributeDescription?, _ hasObjects: Bool) -> String? {
    // The store computes it.
    if self is NSDerivedAttributeDescription { return nil }
    if let former, !former.hasType(of: self) { return "Source and destination attribute types are incompatible" }
    let wasMandatory = former.map { !$0.isOptional } ?? false
    if !isOptional, !wasMandatory, defaultValue == nil, hasObjects {
      return Failure.missingMandatoryValues
    }
    return nil
  }

  private func hasType(of other: NSAttributeDescription) -> Bool {
    guard attributeType == other.attributeType else { return false }
    guard let group = self as? NSCompositeAttributeDescription,
      let otherGroup = other as? NSCompositeAttributeDescription
    else { return true }
    let elements = Dictionary(group.elements.map { ($0.storedName, $0) }) { first, _ in first }
    return otherGroup.elements.allSatisfy { elements[$0.storedName]?.hasType(of: $0) ?? true }
  }
}

extension NSDerivedAttributeDescription {
  fileprivate func hasDerivation(of former: NSPropertyDescription) -> Bool {
    guard let former = former as? NSDerivedAttributeDescription, attributeType == former.attributeType else {
      return false
    }
    if let format = storedDerivationFormat, let formerFormat = former.storedDerivationFormat {
      return format == formerFormat
    }
    return derivationExpression?.description == former.derivationExpression?.description
  }
}

extension NSRelationshipDescription {
  fileprivate func reasonAgainst(
    relationship former: NSRelationshipDescription, _ match: EntityMatch
  ) -> String? {
    if former.isToMany, !isToMany { return "A to-many relationship can't become a to-one relationship" }
    guard let formerDestination = former.destinationEntity, let destination = destinationEntity else { return nil }
    // Where nothing is left of the former destination, the relationship has no members to be of a wrong entity.
    let members = match.destinationsOfFamily(of: formerDestination)
    let fits = members.isEmpty
      || members.contains { $0.isKindOf(entity: destination) || destination.isKindOf(entity: $0) }
    if fits { return nil }
    return "The destination was \(formerDestination.storedName ?? ""), which has not become "
      + "\(destination.storedName ?? "")"
  }
}
