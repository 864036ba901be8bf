import Foundation

/// Decides what an inferred migration does with one property.
extension NSPropertyDescription {
  /// Transient properties and fetched ones have no values in a store.
  final var takesPartInMigration: Bool {
    !storedIsTransient && (self is NSAttributeDescription || self is NSRelationshipDescription)
  }

  /// Why this property of the destination can't be inferred; nil if it can.
  ///
  /// - Parameter former: the property in the source; nil if it is new.
  final func reasonAgainst(_ former: NSPropertyDescription?) -> InferenceRefusal? {
    if let attribute = self as? NSAttributeDescription {
      return attribute.reasonAgainst(attribute: former as? NSAttributeDescription)
    }
    guard let relationship = self as? NSRelationshipDescription, let former = former as? NSRelationshipDescription,
      former.isToMany, !relationship.isToMany
    else { return nil }
    return InferenceRefusal(
      reason: "A to-many relationship can't become a to-one relationship",
      remedy:
        "Choose the object to keep in a mapping model or a custom migration stage. Or give the relationship a new "
        + "name without a renaming identifier: then it starts empty")
  }

  /// Whether values are kept. If not, the former property is dropped and this one is new.
  final func keepsValue(of former: NSPropertyDescription, _ match: EntityMatch) -> Bool {
    if let derived = self as? NSDerivedAttributeDescription { return derived.hasDerivation(of: former) }
    guard let relationship = self as? NSRelationshipDescription, let former = former as? NSRelationshipDescription,
      let destination = relationship.destinationEntity, let formerDestination = former.destinationEntity
    else { return true }
    // Members of an unrelated entity can't be members of this relationship, so it starts empty, as a new one. If one of
    // the two entities inherits from the other, the members that fit are kept.
    return match.destinationsOfFamily(of: formerDestination).contains {
      $0.isKindOf(entity: destination) || destination.isKindOf(entity: $0)
    }
  }
}

/// Why a change of a property needs a mapping model.
struct InferenceRefusal {
  /// In a sentence without a full stop, as `userInfo` has it.
  let reason: String
  /// The facts and the remedy, without a full stop.
  let remedy: String
}

extension NSAttributeDescription {
  fileprivate func reasonAgainst(attribute former: NSAttributeDescription?) -> InferenceRefusal? {
    // The store computes the value.
    if self is NSDerivedAttributeDescription { return nil }
    if let former, !former.isConvertible(to: self) {
      return InferenceRefusal(
        reason: "Source and destination attribute types are incompatible",
        remedy:
          "It was \(former.attributeType.modelName) and is \(attributeType.modelName). Only numbers are converted "
          + "automatically, and only to a type that holds every old value. Convert the values in a mapping model or a "
          + "custom migration stage. Or give the attribute a new name without a renaming identifier: then it starts empty"
      )
    }
    return nil
  }

  /// Whether several attributes that claim one former attribute by their renaming identifier each get its values. A
  /// value in a file of its own has one owner.
  var mayShareFormerValues: Bool {
    !(self is NSDerivedAttributeDescription) && !(self is NSCompositeAttributeDescription)
      && !allowsExternalBinaryDataStorage
  }

  /// Whether an object that had no value of the former attribute has none of this one either, but needs one. Only the
  /// objects of a store can tell whether a migration may go ahead.
  func needsValue(ofFormer former: NSAttributeDescription?) -> Bool {
    if isOptional || hasDefaultValue || self is NSDerivedAttributeDescription { return false }
    return former?.isOptional ?? true
  }

  /// Whether a new object has a value. A composite attribute has one if an element has, and no element lacks one that
  /// it needs.
  private var hasDefaultValue: Bool {
    guard defaultValue == nil, let group = self as? NSCompositeAttributeDescription else { return defaultValue != nil }
    return group.elements.contains(where: \.hasDefaultValue)
      && group.elements.allSatisfy { $0.isOptional || $0.hasDefaultValue }
  }

  /// Whether values of another attribute can become values of this one without a mapping model.
  private func isConvertible(to other: NSAttributeDescription) -> Bool {
    attributeType == other.attributeType || attributeType.widens(to: other.attributeType)
  }
}

extension NSRelationshipDescription {
  /// Whether an object that had no member of the former relationship has none of this one either, but needs one.
  ///
  /// - Parameter former: the relationship whose members this one keeps; nil if it starts empty.
  func needsMember(ofFormer former: NSRelationshipDescription?) -> Bool {
    if isOptional || isToMany { return false }
    return former?.isOptional ?? true
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
