/// The model's own rules, checked before a save.
extension NSManagedObject {
  /// Checks every property; several failures come as one error with all of them.
  final func validateProperties() throws {
    if layout.validated.isEmpty { return }
    if state.contains(.fault) { fire() }
    var failures: [Failure] = []
    // A fault among the changed objects had members come and go, and no more: its row is not read for its sake.
    let isFault = state.contains(.fault)
    for property in layout.validated where !isFault || property.kind == .toMany {
      if property.isMerelyMandatory, hasValue(property) { continue }
      failures += problems(property)
    }
    if failures.isEmpty { return }
    try NSManagedObject.throwAll(failures.map(\.nsError))
  }

  /// Whether a slot holds anything, without looking at what.
  private final func hasValue(_ property: LayoutProperty) -> Bool {
    if let changes, changes.holds(property.slot) { return !changes.isNull(property.slot) }
    guard let row, property.word >= 0 else { return false }
    return !row.isNull(slot: property.slot)
  }

  /// One error is thrown as it is; several as one that holds them all, flattened.
  static func throwAll(_ errors: [NSError]) throws {
    if errors.isEmpty { return }
    if errors.count == 1 { throw errors[0] }
    let flat = errors.flatMap { error in
      error.code == NSValidationMultipleErrorsError
        ? error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error] : [error]
    }
    throw Failure.multipleValidationErrors(flat).nsError
  }

  private final func subject(_ property: LayoutProperty, _ value: Any?) -> Failure.Subject {
    Failure.Subject(object: self, entity: layout.name, property: property.name, value: value)
  }

  private final func problems(_ property: LayoutProperty) -> [Failure] {
    if property.kind == .toMany { return countProblems(property) }
    if property.kind == .toOne {
      if property.isOptional { return [] }
      let destination = toOne(property)
      let isThere = destination.map { !$0.state.contains(.deleted) } ?? false
      return isThere ? [] : [.missingMandatoryValue(subject(property, nil))]
    }
    let value = currentValue(property)
    if value.isNull { return property.isOptional ? [] : [.missingMandatoryValue(subject(property, nil))] }
    return ruleProblems(value, property)
  }

  /// The limits and predicates of an attribute, in that order.
  private final func ruleProblems(_ value: Value, _ property: LayoutProperty) -> [Failure] {
    if property.limits == nil && property.predicates.isEmpty { return [] }
    let value = value.boxed(for: property)
    let broken = property.limits?.violations(of: value) ?? []
    let unmet = property.predicates.filter { !$0.predicate.evaluate(with: value) }
    return broken.map { .valueOutOfLimits(subject(property, value), code: $0.code, limit: $0.limit) }
      + unmet.map { .predicateFailed(subject(property, value), predicate: $0.predicate, warning: $0.warning) }
  }

  /// Checks a value that is about to be set.
  final func validate(_ value: Any?, forKey key: String) throws {
    guard let property = layout.property(named: key) else { misuse(.unknownKey(key, self)) }
    guard let value = unwrapped(value) else {
      if !property.isOptional { throw Failure.missingMandatoryValue(subject(property, nil)).nsError }
      return
    }
    if property.isRelationship || property.kind == .fetched { return }
    guard let typed = Value(value, for: property) else {
      throw Failure.valueOfWrongClass(subject(property, value), expected: property.wantedType).nsError
    }
    try NSManagedObject.throwAll(ruleProblems(typed, property).map(\.nsError))
  }

  private final func countProblems(_ property: LayoutProperty) -> [Failure] {
    let relationship = property.relationship
    let minimum = max(relationship.minCount, property.isOptional ? 0 : 1)
    let maximum = relationship.maxCount
    if minimum == 0 && maximum == 0 { return [] }
    let count = members(property).count
    if count == 0 && property.isOptional { return [] }
    if count < minimum {
      return [.tooFewDestinations(subject(property, boxedValue(property)), count: count, minimum: minimum)]
    }
    if maximum > 0, count > maximum {
      return [.tooManyDestinations(subject(property, boxedValue(property)), count: count, maximum: maximum)]
    }
    return []
  }

  /// Deny: a relationship with this rule must lead to nothing that stays.
  final func validateDeletion() throws {
    var failures: [Failure] = []
    for property in layout.relationships where property.relationship.deleteRule == .denyDeleteRule {
      let destinations =
        property.kind == .toMany ? members(property) : ContiguousArray([toOne(property)].compactMap { $0 })
      let remaining = destinations.filter { !$0.state.contains(.deleted) }.count
      if remaining > 0 {
        failures.append(.deleteDenied(subject(property, boxedValue(property)), count: remaining))
      }
    }
    try NSManagedObject.throwAll(failures.map(\.nsError))
  }
}
