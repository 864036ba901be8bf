/// The model's own rules, checked before a save.
extension NSManagedObject {
  /// Checks every property; several failures come as one error with all of them.
  final func validateProperties() throws {
    if ClassTraits.of(self).contains(.validatesValues) { return try validateEachValue() }
    let places = places
    if !places.traits.contains(.validation) { return }
    if state.contains(.fault) { fire() }
    // It is a fault still if its row can't be read and the handler kept it. Then only members can have changed.
    let isFault = state.contains(.fault)
    // Nearly always no value is missing, and then only rules about values are left.
    let isComplete = isFault || places.mandatory.allSatisfy { hasValue(slot: Int($0)) }
    if isComplete && !places.traits.contains(.rules) { return }
    let layout = layout
    var failures: [Failure] = []
    for property in isComplete ? layout.ruled : layout.validated where !isFault || property.kind == .toMany {
      if property.kind == .toMany { try readMembers(property) }
      failures += problems(property)
    }
    if failures.isEmpty { return }
    try NSManagedObject.throwAll(failures.map(\.nsError))
  }

  /// Calls `validateValue(_:forKey:)` for every property, which the class overrides, or which finds a method of its
  /// own. If that replaces the value, the new value is set.
  private final func validateEachValue() throws {
    if state.contains(.fault) { fire() }
    var errors: [any Error] = []
    let asksOfEach = ValueValidation.isOverridden(by: type(of: self))
    for property in layout.properties where property.kind != .fetched {
      if property.isTransient && property.isOptional { continue }
      if property.kind == .toMany {
        let isAsked = asksOfEach || ownAccessors.hasValidator(at: property.index)
        // Otherwise only the model has a say, often none, and then all members would be read for nothing.
        if !isAsked && !property.needsValidation { continue }
        try readMembers(property)
        if !isAsked {
          errors += problems(property).map(\.nsError)
          continue
        }
      }
      // A class's own method is called for the composite attribute as a whole.
      if property.composite != nil {
        errors += problems(property).map(\.nsError)
        continue
      }
      let value = boxedValue(property) as AnyObject?
      if value == nil, hasUnreadable(property) { continue }
      var checked = value
      do { try validateValue(&checked, forKey: property.name) } catch { errors.append(error) }
      if checked !== value { setValue(checked, forKey: property.name) }
    }
    try NSManagedObject.throwAll(errors)
  }

  /// Whether a slot has a value, without reading the value.
  private final func hasValue(slot: Int) -> Bool {
    if let changes, changes.holds(slot) {
      // nil is also held for a transformable whose data could not be read.
      return !changes.isNull(slot) || places.slots[slot].kind == .transformable && hasUnreadable(layout.slots[slot])
    }
    guard let rowWords else { return false }
    return rowWords[slot >> 6] & (1 << UInt64(slot & 63)) == 0
  }

  /// A single error is thrown as it is, even a Swift error of the program's. Several are thrown as one error that holds
  /// them all, flattened.
  static func throwAll(_ thrown: [any Error]) throws {
    if thrown.isEmpty { return }
    let errors = thrown.map { $0 as NSError }
    if thrown.count == 1, !isGroup(errors[0]) { throw thrown[0] }
    let flat = errors.flatMap(flattened)
    // A group made by the program may be flat already. Then it is thrown as it is, with its whole `userInfo`.
    if thrown.count == 1, flat == errors[0].userInfo[NSDetailedErrorsKey] as? [NSError] { throw thrown[0] }
    throw Failure.multipleValidationErrors(flat).nsError
  }

  private static func isGroup(_ error: NSError) -> Bool {
    error.domain == NSCocoaErrorDomain && error.code == NSValidationMultipleErrorsError
  }

  private static func flattened(_ error: NSError) -> [NSError] {
    guard isGroup(error), let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] else {
      return [error]
    }
    return details.flatMap(flattened)
  }

  /// Whether a destination will exist after the save: it is not deleted, and not a new object that left.
  private final func stays(_ destination: NSManagedObject) -> Bool {
    destination.owner === owner && !destination.state.contains(.deleted)
  }

  private final func subject(_ property: LayoutProperty, _ value: Any?) -> Failure.Subject {
    Failure.Subject(object: self, entity: layout.name, property: property.name, value: value)
  }

  private final func problems(_ property: LayoutProperty) -> [Failure] {
    if property.kind == .toMany {
      if property.predicates.isEmpty { return countProblems(property, memberCount(property)) }
      return relationshipProblems(boxedValue(property), property)
    }
    if property.kind == .toOne {
      let destination = toOne(property)
      if !property.predicates.isEmpty { return relationshipProblems(destination, property) }
      return property.isOptional || destination.map(stays) == true
        ? [] : [.missingMandatoryValue(subject(property, nil))]
    }
    if property.kind == .composite {
      return property.isOptional || boxedValue(property) != nil ? [] : [.missingMandatoryValue(subject(property, nil))]
    }
    let value = currentValue(property)
    // A mandatory element has to have a value if other elements of its composite have one.
    if value.isNull, let composite = property.composite, boxedValue(composite) == nil { return [] }
    // What can't be read is there, and stays there.
    if value.isNull {
      return property.isOptional || hasUnreadable(property) ? [] : [.missingMandatoryValue(subject(property, nil))]
    }
    return ruleProblems(value, property)
  }

  /// The failures of a destination, or of a set of them.
  private final func relationshipProblems(_ value: Any?, _ property: LayoutProperty) -> [Failure] {
    var failures: [Failure] = []
    if property.kind == .toMany {
      failures = countProblems(property, (value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count ?? 0)
    } else if !property.isOptional, (value as? NSManagedObject).map(stays) != true {
      return [.missingMandatoryValue(subject(property, nil))]
    }
    return value == nil ? failures : failures + unmet(property, value)
  }

  /// The limits and predicates of an attribute, in that order.
  private final func ruleProblems(_ value: Value, _ property: LayoutProperty) -> [Failure] {
    if property.limits == nil && property.predicates.isEmpty { return [] }
    let value = value.boxed(for: property)
    let broken = property.limits?.violations(of: value) ?? []
    return broken.map {
      .valueOutOfLimits(
        subject(property, value), code: $0.code, limit: $0.limit, rule: property.limits?.rule($0.code))
    } + unmet(property, value)
  }

  private final func unmet(_ property: LayoutProperty, _ value: Any?) -> [Failure] {
    property.predicates.lazy.filter { !$0.predicate.evaluate(with: value) }.map {
      .predicateFailed(self.subject(property, value), predicate: $0.predicate, warning: $0.warning)
    }
  }

  /// ``validateValue(_:forKey:)`` of the object to which the path leads; the last key is the property's. Without such
  /// an object every value is valid.
  public final func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKeyPath keyPath: String
  ) throws {
    guard let dot = keyPath.lastIndex(of: ".") else { return try validateValue(value, forKey: keyPath) }
    guard let object = self.value(forKeyPath: String(keyPath[..<dot])) as? NSManagedObject else { return }
    try object.validateValue(value, forKey: String(keyPath[keyPath.index(after: dot)...]))
  }

  /// Checks a value that is about to be set.
  final func validate(_ value: Any?, forKey key: String) throws {
    guard let property = layout.property(named: key) else { misuse(.unknownKey(key, self)) }
    if property.kind == .fetched { return }
    let value = unwrapped(value)
    if let value, !accepts(value, property) {
      throw Failure.valueOfWrongClass(subject(property, value), expected: property.wantedType).nsError
    }
    if property.isRelationship {
      return try NSManagedObject.throwAll(relationshipProblems(value, property).map(\.nsError))
    }
    guard let value, property.kind != .composite, let typed = Value(value, for: property) else {
      if value != nil { return }
      if !property.isOptional { throw Failure.missingMandatoryValue(subject(property, nil)).nsError }
      return
    }
    try NSManagedObject.throwAll(ruleProblems(typed, property).map(\.nsError))
  }

  private final func countProblems(_ property: LayoutProperty, _ count: Int) -> [Failure] {
    let relationship = property.relationship
    // Even a mandatory relationship may be set to empty; `minCount` is what demands destinations at the save.
    let minimum = relationship.minCount
    let maximum = relationship.maxCount
    if minimum == 0 && maximum == 0 { return [] }
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
      if property.kind == .toMany { try readMembers(property) }
      let remaining = destinations(of: property).filter(stays).count
      if remaining > 0 {
        failures.append(.deleteDenied(subject(property, boxedValue(property)), count: remaining))
      }
    }
    try NSManagedObject.throwAll(failures.map(\.nsError))
  }
}
