import Testing

@testable import CoreData

/// Every code of validation: what raises it, and what the error holds.
@Suite("Validation codes")
struct ValidationCodesTests {
  private static func limited(_ name: String, _ type: NSAttributeType, _ limits: AttributeLimits)
    -> NSAttributeDescription
  {
    let made = attribute(name, type)
    made.limits = limits
    return made
  }

  private static func ruled(_ name: String, _ rules: [(String, Bool)]) -> NSAttributeDescription {
    let made = attribute(name)
    made.setValidationPredicates(
      rules.map { rule in NSPredicate { value, _ in (value as? String) != rule.0 } },
      withValidationWarnings: rules.filter(\.1).map { "not \($0.0)" })
    return made
  }

  private static func date(_ seconds: TimeInterval) -> Date {
    Date(timeIntervalSinceReferenceDate: seconds)
  }

  static func things() -> NSManagedObjectModel {
    let one = AttributeLimits(minNumber: 1, maxNumber: 10)
    let transient = attribute("passing", optional: false, default: "x")
    transient.isTransient = true
    let thing = entity(
      "Thing",
      [
        attribute("must", optional: false, default: "x"),
        limited("int16", .integer16AttributeType, one),
        limited("int32", .integer32AttributeType, one),
        limited("int64", .integer64AttributeType, one),
        limited("double", .doubleAttributeType, one),
        limited("float", .floatAttributeType, one), limited("decimal", .decimalAttributeType, one),
        limited("day", .dateAttributeType, AttributeLimits(minDate: date(0), maxDate: date(100))),
        limited("text", .stringAttributeType, AttributeLimits(minLength: 2, maxLength: 4)),
        limited("code", .stringAttributeType, AttributeLimits(pattern: "[a-z]+|[0-9]{2}")),
        ruled("worded", [("bad", true)]), ruled("wordless", [("bad", false)]),
      ])
    let part = entity("Part", [attribute("name")])
    join(
      relate(thing, "owner", .one, to: part, optional: true),
      relate(part, "things", .many, to: thing))
    relate(thing, "few", .many, to: part, min: 2, max: 3)
    relate(thing, "row", .ordered, to: part, min: 2, max: 3)
    let kept = entity("Kept", [attribute("name")])
    join(
      relate(kept, "parts", .many, to: part, rule: .denyDeleteRule),
      relate(part, "kept", .one, to: kept))
    let needy = entity("Needy", [attribute("name")])
    relate(needy, "part", .one, to: part, optional: false)
    relate(needy, "parts", .ordered, to: part, optional: false)
    return model([thing, part, kept, needy, entity("Passing", [transient])])
  }

  private typealias Keys = Set<String>
  private static let plain: Keys = [
    NSLocalizedDescriptionKey, NSValidationObjectErrorKey, NSValidationKeyErrorKey,
  ]
  private static let valued = plain.union([NSValidationValueErrorKey])
  private static let ruledBy = valued.union([NSValidationPredicateErrorKey])

  /// One refused value: the save's error, and what it holds.
  private func refused(
    _ object: NSManagedObject, _ key: String, _ value: Any?, _ code: Int, _ keys: Keys,
    _ context: NSManagedObjectContext, location: SourceLocation = #_sourceLocation
  ) throws {
    let before = object[key]
    object[key] = value
    let error = try #require(
      failure { try context.save() }, "\(key) = \(value ?? "nil")", sourceLocation: location)
    #expect(error.domain == NSCocoaErrorDomain, sourceLocation: location)
    #expect(error.code == code, "\(key) = \(value ?? "nil")", sourceLocation: location)
    #expect(
      Set(error.userInfo.keys) == keys, "\(key) = \(value ?? "nil")", sourceLocation: location)
    #expect(
      error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === object,
      sourceLocation: location)
    #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key, sourceLocation: location)
    if let rule = error.userInfo[NSValidationPredicateErrorKey] as? NSPredicate {
      #expect(
        !rule.evaluate(with: error.userInfo[NSValidationValueErrorKey]), sourceLocation: location)
    }
    object[key] = before
    try context.save()
  }

  @Test(
    "Numbers, dates and strings: each limit has its code, and the error has object, key, value and rule",
    arguments: StoreKind.allCases)
  func limits(_ kind: StoreKind) throws {
    typealias Codes = ValidationCodesTests
    try withStack(kind, Codes.things()) { _, context in
      let thing = context.new("Thing")
      try context.save()
      for key in ["int16", "int32", "int64", "double", "float"] {
        try refused(thing, key, 0, NSValidationNumberTooSmallError, Codes.ruledBy, context)
        try refused(thing, key, 11, NSValidationNumberTooLargeError, Codes.ruledBy, context)
        for fine in [1, 10] {
          thing[key] = fine
          try context.save()
        }
      }
      try refused(
        thing, "decimal", NSDecimalNumber(string: "0.99"), NSValidationNumberTooSmallError,
        Codes.ruledBy,
        context)
      try refused(
        thing, "decimal", NSDecimalNumber(string: "10.01"), NSValidationNumberTooLargeError,
        Codes.ruledBy,
        context)
      try refused(thing, "double", 10.001, NSValidationNumberTooLargeError, Codes.ruledBy, context)
      try refused(
        thing, "day", Codes.date(-1), NSValidationDateTooSoonError, Codes.ruledBy, context)
      try refused(
        thing, "day", Codes.date(101), NSValidationDateTooLateError, Codes.ruledBy, context)
      try refused(thing, "text", "a", NSValidationStringTooShortError, Codes.ruledBy, context)
      try refused(thing, "text", "abcde", NSValidationStringTooLongError, Codes.ruledBy, context)
      for wrong in ["A", "ab1", "123", ""] {
        try refused(
          thing, "code", wrong, NSValidationStringPatternMatchingError, Codes.ruledBy, context)
      }
      for fine in ["abc", "12"] {
        thing["code"] = fine
        try context.save()
      }
    }
  }

  @Test(
    "The length of a string is counted in UTF-16 units, as NSString counts",
    arguments: StoreKind.allCases)
  func lengths(_ kind: StoreKind) throws {
    try withStack(kind, ValidationCodesTests.things()) { _, context in
      let thing = context.new("Thing")
      for fine in ["👍", "👍🏽", "é́", "abcd"] {
        thing["text"] = fine
        try context.save()
      }
      try refused(
        thing, "text", "👍🏽!", NSValidationStringTooLongError, ValidationCodesTests.ruledBy, context)
      try refused(
        thing, "text", "é", NSValidationStringTooShortError, ValidationCodesTests.ruledBy, context)
    }
  }

  @Test(
    "Of seventy mandatory attributes the one without a value is named, the first, the last or in between",
    arguments: StoreKind.allCases)
  func manyMandatory(_ kind: StoreKind) throws {
    let names = (10..<80).map { "a\($0)" }
    let model = NSManagedObjectModel()
    model.entities = [entity("Wide", names.map { attribute($0, optional: false, default: "x") })]
    try withStack(kind, model) { _, context in
      let wide = context.new("Wide")
      try context.save()
      for name in ["a10", "a73", "a74", "a79"] {
        try refused(
          wide, name, nil, NSValidationMissingMandatoryPropertyError, ValidationCodesTests.plain, context)
      }
    }
  }

  @Test(
    "A mandatory attribute, transient or not, and a mandatory to-one: 1570, without a value",
    arguments: StoreKind.allCases)
  func mandatory(_ kind: StoreKind) throws {
    typealias Codes = ValidationCodesTests
    try withStack(kind, Codes.things()) { _, context in
      let thing = context.new("Thing")
      try context.save()
      try refused(
        thing, "must", nil, NSValidationMissingMandatoryPropertyError, Codes.plain, context)
      if !Stress.isOn {
        let passing = context.new("Passing")
        try context.save()
        try refused(
          passing, "passing", nil, NSValidationMissingMandatoryPropertyError, Codes.plain, context)
      }
      let part = context.new("Part")
      let needy = context.new("Needy", ["part": part])
      try context.save()
      try refused(
        needy, "part", nil, NSValidationMissingMandatoryPropertyError, Codes.plain, context)
      let lost = context.new("Part")
      needy["part"] = lost
      context.delete(lost)
      #expect(failure { try context.save() }?.code == NSValidationMissingMandatoryPropertyError)
      needy["part"] = part
      try context.save()
    }
  }

  @Test("A mandatory to-many relationship without a minimum may be empty", arguments: StoreKind.allCases)
  func emptyMandatory(_ kind: StoreKind) throws {
    try withStack(kind, ValidationCodesTests.things()) { _, context in
      let part = context.new("Part")
      let needy = context.new("Needy", ["part": part])
      try context.save()
      #expect((needy["parts"] as? NSOrderedSet)?.count == 0)
      needy["parts"] = NSOrderedSet(object: part)
      try context.save()
      needy["parts"] = NSOrderedSet()
      try context.save()
      try needy.validateForUpdate()
    }
  }

  @Test(
    "A mandatory transient attribute has its default value after a fetch, a refresh and a rollback",
    arguments: StoreKind.allCases)
  func transientDefault(_ kind: StoreKind) throws {
    let transient = attribute("passing", optional: false, default: "x")
    transient.isTransient = true
    try withStack(kind, model([entity("Passing", [transient, attribute("name")])])) { _, context in
      context.new("Passing", ["name": "a", "passing": "y"])
      try context.save()
      context.reset()
      let fetched = try #require(try context.all("Passing").first)
      #expect(fetched["passing"] as? String == "x")
      #expect(!fetched.hasChanges && fetched.changedValues().isEmpty)
      fetched["name"] = "b"
      try context.save()
      context.refresh(fetched, mergeChanges: false)
      fetched["name"] = "c"
      try context.save()
      fetched["passing"] = "z"
      context.rollback()
      #expect(fetched["passing"] as? String == "x")
      fetched["name"] = "d"
      try context.save()
      #expect(try context.strings("Passing", "name") == ["d"])
    }
  }

  @Test(
    "Counts of sets and ordered sets: 1580 below the minimum, 1590 above the maximum",
    arguments: StoreKind.allCases)
  func counts(_ kind: StoreKind) throws {
    typealias Codes = ValidationCodesTests
    try withStack(kind, Codes.things()) { _, context in
      let thing = context.new("Thing")
      let parts = (0..<4).map { context.new("Part", ["name": "\($0)"]) }
      try context.save()
      for count in 2...3 {
        thing["few"] = Set(parts.prefix(count))
        thing["row"] = NSOrderedSet(array: Array(parts.prefix(count)))
        try context.save()
      }
      for (count, code) in [
        (1, NSValidationRelationshipLacksMinimumCountError),
        (4, NSValidationRelationshipExceedsMaximumCountError),
      ] {
        try refused(thing, "few", Set(parts.prefix(count)), code, Codes.valued, context)
        try refused(
          thing, "row", NSOrderedSet(array: Array(parts.prefix(count))), code, Codes.valued, context
        )
      }
    }
  }

  @Test(
    "A denied deletion: 1600, with the destinations and the key that recovery may be tried",
    arguments: StoreKind.allCases)
  func denied(_ kind: StoreKind) throws {
    try withStack(kind, ValidationCodesTests.things()) { _, context in
      let part = context.new("Part")
      let kept = context.new("Kept", ["parts": Set([part])])
      try context.save()
      context.delete(kept)
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSValidationRelationshipDeniedDeleteError)
      #expect(
        Set(error.userInfo.keys)
          == ValidationCodesTests.valued.union([NSValidationErrorShouldAttemptRecoveryKey]))
      #expect(error.userInfo[NSValidationErrorShouldAttemptRecoveryKey] as? Bool == true)
      #expect(error.userInfo[NSValidationValueErrorKey] as? NSSet == NSSet(object: part))
    }
  }

  @Test(
    "A rule of the model's own: 1550, with its warning in the description; two broken ones come together",
    arguments: StoreKind.allCases)
  func predicates(_ kind: StoreKind) throws {
    typealias Codes = ValidationCodesTests
    try withStack(kind, Codes.things()) { _, context in
      let thing = context.new("Thing")
      try context.save()
      try refused(thing, "worded", "bad", NSManagedObjectValidationError, Codes.ruledBy, context)
      try refused(thing, "wordless", "bad", NSManagedObjectValidationError, Codes.ruledBy, context)
      thing["worded"] = "bad"
      #expect(failure { try context.save() }?.localizedDescription.contains("not bad") == true)
      thing["wordless"] = "bad"
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSValidationMultipleErrorsError)
      #expect(Set(error.userInfo.keys) == [NSLocalizedDescriptionKey, NSDetailedErrorsKey])
      let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
      #expect(
        Set(details.map { $0.userInfo[NSValidationKeyErrorKey] as? String }) == [
          "worded", "wordless",
        ])
    }
  }

  @Test("Rules may be given to relationships as well", arguments: StoreKind.allCases)
  func relationshipRules(_ kind: StoreKind) throws {
    let (owner, part) = (entity("Owner", [attribute("name")]), entity("Part", [attribute("name")]))
    let one = relate(owner, "one", .one, to: part)
    let many = relate(owner, "many", .many, to: part)
    one.setValidationPredicates([NSPredicate(format: "name != 'bad'")], withValidationWarnings: nil)
    many.setValidationPredicates(
      [NSPredicate { value, _ in (value as! NSSet).count != 1 }], withValidationWarnings: nil)
    try withStack(kind, model([owner, part])) { _, context in
      let parts = ["bad", "good"].map { context.new("Part", ["name": $0]) }
      let owner = context.new("Owner")
      try context.save()
      try refused(
        owner, "one", parts[0], NSManagedObjectValidationError, ValidationCodesTests.ruledBy,
        context)
      try refused(
        owner, "many", Set([parts[0]]), NSManagedObjectValidationError,
        ValidationCodesTests.ruledBy, context)
      owner["one"] = parts[1]
      owner["many"] = Set(parts)
      try context.save()
    }
  }

  @Test(
    "validateValue says the same of a value that is not set yet, and of one of the wrong class",
    arguments: StoreKind.allCases)
  func values(_ kind: StoreKind) throws {
    try withStack(kind, ValidationCodesTests.things()) { _, context in
      let thing = context.new("Thing")
      let needy = context.new("Needy")
      let parts = (0..<4).map { _ in context.new("Part") }
      func code(_ object: NSManagedObject, _ key: String, _ value: Any?) -> Int? {
        var value = value.map { $0 as AnyObject }
        return failure { try object.validateValue(&value, forKey: key) }?.code
      }
      #expect(code(thing, "int16", 11) == NSValidationNumberTooLargeError)
      #expect(code(thing, "int16", 10) == nil)
      #expect(code(thing, "must", nil) == NSValidationMissingMandatoryPropertyError)
      #expect(code(thing, "int16", "x") == NSManagedObjectValidationError)
      #expect(code(thing, "day", "x") == NSManagedObjectValidationError)
      #expect(code(needy, "part", nil) == NSValidationMissingMandatoryPropertyError)
      #expect(code(needy, "part", parts[0]) == nil)
      #expect(code(needy, "part", thing) == NSManagedObjectValidationError)
      #expect(
        code(thing, "few", NSSet(object: parts[0]))
          == NSValidationRelationshipLacksMinimumCountError)
      #expect(
        code(thing, "row", NSOrderedSet(array: parts))
          == NSValidationRelationshipExceedsMaximumCountError)
      #expect(code(thing, "few", NSSet(array: Array(parts[0...1]))) == nil)
      #expect(code(thing, "few", NSSet()) == nil)
    }
  }
}
