import Foundation

/// Two descriptions are equal if they define the same, whatever model they come from. Descriptions that they refer to
/// are compared by name, except an entity's own properties. So comparing ends, although models are full of circles.
///
/// The framework itself compares descriptions by identity, so this is not on the path of a property access.
enum ModelEquality {
  /// Values of a `userInfo`, a default, a list of names.
  static func same(_ left: Any?, _ right: Any?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
    if let left = left as? NSObject { return left.isEqual(right) }
    return (left as AnyObject) === (right as AnyObject)
  }

  static func same(_ left: [AnyHashable: Any]?, _ right: [AnyHashable: Any]?) -> Bool {
    guard let left, let right else { return (left ?? [:]).isEmpty && (right ?? [:]).isEmpty }
    return left.count == right.count
      && left.allSatisfy { key, value in
        right[key].map { same(value, $0) } ?? false
      }
  }

  /// Compares predicates and expressions by their content.
  static func sameText(_ left: NSObject?, _ right: NSObject?) -> Bool {
    if left === right { return true }
    guard let left, let right else { return false }
    return left.isEqual(right) || left.description == right.description
  }
}

extension NSPropertyDescription {
  /// Compares what every property has. A property without an entity never equals one that has an entity.
  final func hasSameOutline(as other: NSPropertyDescription) -> Bool {
    storedName == other.storedName && owningEntity?.storedName == other.owningEntity?.storedName
      && storedIsOptional == other.storedIsOptional && storedIsTransient == other.storedIsTransient
      && (storedVersionHashModifier ?? "") == (other.storedVersionHashModifier ?? "")
      && (storedRenamingIdentifier ?? storedName) == (other.storedRenamingIdentifier ?? other.storedName)
      && storedIsIndexed == other.storedIsIndexed
      && storedIsIndexedBySpotlight == other.storedIsIndexedBySpotlight
      && storedIsStoredInExternalRecord == other.storedIsStoredInExternalRecord
      && ModelEquality.same(storedUserInfo, other.storedUserInfo)
      && storedValidationPredicates.elementsEqual(other.storedValidationPredicates, by: ModelEquality.sameText)
      && storedValidationWarnings.elementsEqual(other.storedValidationWarnings) { "\($0)" == "\($1)" }
  }
}

extension NSEntityDescription {
  /// Whether two entities define the same, including what they inherit.
  final func isEqualEntity(to other: NSEntityDescription) -> Bool {
    let (mine, theirs) = (ancestors, other.ancestors)
    return mine.count == theirs.count && hasSameOutline(as: other)
      && zip(mine, theirs).allSatisfy { $0 === $1 || $0.hasSameOutline(as: $1) }
      && Set(storedSubentities.compactMap(\.storedName)) == Set(other.storedSubentities.compactMap(\.storedName))
  }

  /// Compares the entities' own definitions. The order of properties does not matter.
  private func hasSameOutline(as other: NSEntityDescription) -> Bool {
    guard storedName == other.storedName,
      storedManagedObjectClassName == other.storedManagedObjectClassName,
      storedIsAbstract == other.storedIsAbstract,
      (storedVersionHashModifier ?? "") == (other.storedVersionHashModifier ?? ""),
      (storedRenamingIdentifier ?? storedName) == (other.storedRenamingIdentifier ?? other.storedName),
      ownProperties.count == other.ownProperties.count, constraintNames == other.constraintNames,
      names(storedCompoundIndexes) == names(other.storedCompoundIndexes),
      ModelEquality.same(storedUserInfo, other.storedUserInfo),
      storedIndexes.count == other.storedIndexes.count
    else { return false }
    let indexes = Dictionary(other.storedIndexes.map { ($0.storedName, $0) }) { first, _ in first }
    let theirs = FrozenEntity.byName(other.ownProperties)
    return ownProperties.allSatisfy { $0.isEqual(theirs[$0.storedName]) }
      && storedIndexes.allSatisfy { $0.isEqual(indexes[$0.storedName]) }
  }

  private func names(_ groups: [[Any]]) -> [[String]] {
    groups.map { $0.map { ($0 as? NSPropertyDescription)?.storedName ?? "\($0)" } }
  }
}

extension NSManagedObjectModel {
  /// Whether two models have the same entities, configurations, templates, identifiers and localised names.
  final func isEqualModel(to other: NSManagedObjectModel) -> Bool {
    guard storedEntities.count == other.storedEntities.count,
      storedVersionIdentifiers == other.storedVersionIdentifiers,
      (storedLocalizationDictionary ?? [:]) == (other.storedLocalizationDictionary ?? [:]),
      configurationNames == other.configurationNames,
      storedTemplates.mapValues(\.definition) == other.storedTemplates.mapValues(\.definition)
    else { return false }
    let theirs = other.entitiesByName
    return storedEntities.allSatisfy { entity in entity.storedName.map { entity.isEqual(theirs[$0]) } ?? false }
  }

  private var configurationNames: [String: Set<String?>] {
    storedConfigurations.mapValues { Set($0.map(\.storedName)) }
  }
}
