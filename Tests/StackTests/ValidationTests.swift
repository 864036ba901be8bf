import Testing

@testable import CoreData

@Suite("Validation")
struct ValidationTests {
  private static func limited(_ name: String, _ type: NSAttributeType, _ limits: AttributeLimits)
    -> NSAttributeDescription
  {
    let made = attribute(name, type)
    made.limits = limits
    return made
  }

  private static func thing() -> NSManagedObjectModel {
    let thing = entity(
      "Thing",
      [
        attribute("must", optional: false, default: "x"),
        limited("number", .integer32AttributeType, AttributeLimits(minNumber: 1, maxNumber: 10)),
        limited("real", .doubleAttributeType, AttributeLimits(minNumber: 0.5)),
        limited("text", .stringAttributeType, AttributeLimits(minLength: 2, maxLength: 4, pattern: "[a-z]*")),
        limited(
          "day", .dateAttributeType,
          AttributeLimits(
            minDate: Date(timeIntervalSinceReferenceDate: 0),
            maxDate: Date(timeIntervalSinceReferenceDate: 100))),
      ])
    let ruled = attribute("ruled")
    ruled.setValidationPredicates(
      [NSPredicate { value, _ in value as? String != "bad" }], withValidationWarnings: ["not bad"])
    thing.properties.append(ruled)
    let part = entity("Part", [attribute("name")])
    relate(thing, "one", .one, to: part)
    relate(thing, "few", .many, to: part, min: 2, max: 3)
    return model([thing, part])
  }

  struct Case: CustomTestStringConvertible, @unchecked Sendable {
    let key: String
    let value: Any?
    let code: Int
    let words: String
    var testDescription: String { "\(key) = \(value ?? "nil")" }
  }

  static let cases = [
    Case(
      key: "must", value: nil, code: NSValidationMissingMandatoryPropertyError,
      words: "must is a required value of Thing."),
    Case(
      key: "number", value: 0, code: NSValidationNumberTooSmallError,
      words: "number of Thing is below its minimum 1: 0."),
    Case(
      key: "number", value: 11, code: NSValidationNumberTooLargeError,
      words: "number of Thing is above its maximum 10: 11."),
    Case(
      key: "real", value: 0.25, code: NSValidationNumberTooSmallError,
      words: "real of Thing is below its minimum 0.5: 0.25."),
    Case(
      key: "text", value: "a", code: NSValidationStringTooShortError,
      words: "text of Thing is shorter than its minimum of 2: \"a\"."),
    Case(
      key: "text", value: "abcde", code: NSValidationStringTooLongError,
      words: "text of Thing is longer than its maximum of 4: \"abcde\"."),
    Case(
      key: "text", value: "ABC", code: NSValidationStringPatternMatchingError,
      words: "text of Thing does not match its pattern [a-z]*: \"ABC\"."),
    Case(
      key: "day", value: Date(timeIntervalSinceReferenceDate: -1), code: NSValidationDateTooSoonError,
      words: "day of Thing is before its minimum"),
    Case(
      key: "day", value: Date(timeIntervalSinceReferenceDate: 101), code: NSValidationDateTooLateError,
      words: "day of Thing is after its maximum"),
    Case(
      key: "ruled", value: "bad", code: NSManagedObjectValidationError,
      words: "ruled of Thing is not valid: not bad. Its value is \"bad\"."),
  ]

  @Test(
    "A value that breaks a rule fails the save with its code, its object, its key, its value",
    arguments: StoreKind.allCases, cases)
  func rules(_ kind: StoreKind, _ test: Case) throws {
    try withStack(kind, ValidationTests.thing()) { stack, context in
      let thing = context.new("Thing")
      try context.save()
      thing[test.key] = test.value
      let error = try #require(failure { try context.save() })
      #expect(error.domain == NSCocoaErrorDomain)
      #expect(error.code == test.code)
      #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === thing)
      #expect(error.userInfo[NSValidationKeyErrorKey] as? String == test.key)
      #expect((error.userInfo[NSValidationValueErrorKey] == nil) == (test.value == nil))
      #expect(error.localizedDescription.hasPrefix(test.words))
      #expect((error.userInfo[NSValidationPredicateErrorKey] is NSPredicate) == (test.key != "must"))
      #expect(context.updatedObjects == [thing])
      var value = test.value.map { $0 as AnyObject }
      #expect(failure { try thing.validateValue(&value, forKey: test.key) }?.code == test.code)
    }
  }

  @Test("A rule's own sentence ends as it does", arguments: ["Too short.", "Too short!", "Too short"])
  func sentences(_ words: String) throws {
    let text = attribute("text", .stringAttributeType)
    text.setValidationPredicates([NSPredicate(format: "length > 2")], withValidationWarnings: [words])
    try withStack(.inMemory, model([entity("Thing", [text])])) { _, context throws in
      context.new("Thing", ["text": "a"])
      let error = try #require(failure { try context.save() })
      let sentence = words.hasSuffix("t") ? words + "." : words
      #expect(error.localizedDescription == "text of Thing is not valid: \(sentence) Its value is \"a\".")
    }
  }

  @Test("Values on the limits pass", arguments: StoreKind.allCases)
  func limits(_ kind: StoreKind) throws {
    try withStack(kind, ValidationTests.thing()) { _, context in
      context.new(
        "Thing",
        ["number": 1, "text": "ab", "day": Date(timeIntervalSinceReferenceDate: 100), "ruled": "good"])
      context.new("Thing", ["number": 10, "text": "abcd", "real": 0.5])
      try context.save()
    }
  }

  @Test(
    "Counts of members: none is fine where the relationship is optional, one is too few, four too many",
    arguments: StoreKind.allCases)
  func counts(_ kind: StoreKind) throws {
    try withStack(kind, ValidationTests.thing()) { _, context in
      let thing = context.new("Thing")
      try context.save()
      let parts = (0..<4).map { context.new("Part", ["name": "\($0)"]) }
      for count in 1...4 {
        thing["few"] = Set(parts.prefix(count))
        let error = failure { try context.save() }
        switch count {
        case 1: #expect(error?.code == NSValidationRelationshipLacksMinimumCountError)
        case 4: #expect(error?.code == NSValidationRelationshipExceedsMaximumCountError)
        default: #expect(error == nil)
        }
        if let error { #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "few") }
      }
    }
  }

  @Test("A mandatory relationship needs a destination that stays", arguments: StoreKind.allCases)
  func mandatory(_ kind: StoreKind) throws {
    let (owner, part) = (entity("Owner", [attribute("name")]), entity("Part", [attribute("name")]))
    join(
      relate(owner, "parts", .many, to: part, optional: false),
      relate(part, "owner", .one, to: owner, optional: false))
    try withStack(kind, model([owner, part])) { _, context in
      let owner = context.new("Owner")
      // How many a to-many relationship needs is its minimum's business.
      try context.save()
      let part = context.new("Part")
      #expect(failure { try context.save() }?.code == NSValidationMissingMandatoryPropertyError)
      part["owner"] = owner
      try context.save()
      context.delete(owner)
      let error = failure { try context.save() }
      #expect(error?.code == NSValidationMissingMandatoryPropertyError)
      #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === part)
      context.delete(part)
      try context.save()
    }
  }

  @Test(
    "A limit on the number of members counts each once, whatever other contexts have saved meanwhile",
    arguments: StoreKind.allCases, [false, true])
  func countsAfterOtherSaves(_ kind: StoreKind, readsMembers: Bool) throws {
    let (author, book) = (entity("Author"), entity("Book", [attribute("title")]))
    join(relate(author, "books", .many, to: book, min: 1, max: 2), relate(book, "author", .one, to: author))
    try withStack(kind, model([author, book])) { stack, context in
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let author = context.new("Author")
      let books = (0..<3).map { context.new("Book", ["title": "\($0)"]) }
      for book in books[..<2] { book["author"] = author }
      try context.save()
      context.refreshAllObjects()
      #expect(books.map { $0.object("author") === author } == [true, true, false])
      try stack.elsewhere { other throws in
        other.same(books[0])["author"] = nil
        try other.save()
      }
      if readsMembers { #expect(author.objects("books") == [books[1]]) }
      books[0]["author"] = nil
      try context.save()
      #expect(author.objects("books") == [books[1]])
      context.refreshAllObjects()
      #expect(books[2].object("author") == nil)
      try stack.elsewhere { other throws in
        other.same(books[2])["author"] = other.same(author)
        try other.save()
      }
      books[2]["author"] = author
      try context.save()
      #expect(author.objects("books") == [books[1], books[2]])
    }
  }

  @Test("A fault that only got a member is valid", arguments: StoreKind.allCases)
  func changedFault(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      context.refresh(book, mergeChanges: false)
      context.new("Tag").mutableSetValue(forKey: "books").add(book)
      #expect(book.isFault && book.isUpdated)
      try context.save()
      try stack.elsewhere { other throws in #expect(try other.only("Book").objects("tags").count == 1) }
    }
  }

  @Test("Several failures come as one error with all of them, flat", arguments: StoreKind.allCases)
  func several(_ kind: StoreKind) throws {
    try withStack(kind, ValidationTests.thing()) { _, context in
      context.new("Thing", ["number": 99, "text": "A"])
      context.new("Thing", ["must": NSNull()])
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSValidationMultipleErrorsError)
      let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
      #expect(
        details.map(\.code).sorted()
          == [
            NSValidationMissingMandatoryPropertyError, NSValidationNumberTooLargeError,
            NSValidationStringTooShortError,
            NSValidationStringPatternMatchingError,
          ].sorted())
      #expect(try #require(error as Error as? CocoaError).code == .validationMultipleErrors)
    }
  }

  @Test(
    "The program's own checks are asked for new, changed and deleted objects", arguments: StoreKind.allCases)
  func overrides(_ kind: StoreKind) throws {
    let model = model([entity("Picky", [attribute("name")], class: Picky.self)])
    try withStack(kind, model) { _, context in
      let object = context.new("Picky", ["name": "insert"])
      #expect(failure { try context.save() }?.domain == "Picky")
      object["name"] = "fine"
      try context.save()
      object["name"] = "update"
      #expect(failure { try context.save() }?.code == 2)
      object["name"] = "delete"
      try context.save()
      context.delete(object)
      #expect(failure { try context.save() }?.code == 3)
      #expect(context.deletedObjects == [object])
    }
  }

  @Test(
    "What a validation method inserts or deletes is told willSave and validated in the same save",
    arguments: StoreKind.allCases, [false, true])
  func changedByValidation(_ kind: StoreKind, fetches: Bool) throws {
    let owner = entity("Owner", [attribute("name")], class: Checking.self)
    let part = entity("Part", [attribute("text", optional: false)], class: CountingNote.self)
    join(relate(owner, "parts", .many, to: part, rule: .denyDeleteRule), relate(part, "owner", .one, to: owner))
    try withStack(kind, model([owner, part])) { stack, context in
      let owner = context.new("Owner", ["name": "a"]) as! Checking
      let other = context.new("Owner", ["name": "b"])
      context.new("Part", ["text": "first", "owner": other])
      try context.save()
      func save(_ name: String, whenValidated: @escaping (NSManagedObjectContext) -> Void) -> NSError? {
        owner["name"] = name
        owner.whenValidated = {
          whenValidated($0)
          if fetches { _ = try? $0.all("Owner") }
        }
        return failure { try context.save() }
      }
      let lacking = save("c") { $0.new("Part") }
      #expect(lacking?.code == NSValidationMissingMandatoryPropertyError)
      context.rollback()
      let denied = save("d") { $0.delete(other) }
      #expect(denied?.code == NSValidationRelationshipDeniedDeleteError)
      context.rollback()
      nonisolated(unsafe) var new: CountingNote?
      let none = save("e") { new = $0.new("Part", ["text": "second", "owner": owner]) as? CountingNote }
      #expect(none == nil && new?.willSaves == 1)
      #expect(try stack.elsewhere { try $0.strings("Part", "text") } == ["first", "second"])
    }
  }
}

/// Does something when it is next validated as changed.
final class Checking: NSManagedObject {
  nonisolated(unsafe) var whenValidated: ((NSManagedObjectContext) -> Void)?

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    let work = whenValidated
    whenValidated = nil
    if let managedObjectContext { work?(managedObjectContext) }
  }
}

final class Picky: NSManagedObject {
  private func refuse(_ name: String, _ code: Int) throws {
    if value(forKey: "name") as? String == name { throw NSError(domain: "Picky", code: code) }
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    try refuse("insert", 1)
  }

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    try refuse("update", 2)
  }

  override func validateForDelete() throws {
    try super.validateForDelete()
    try refuse("delete", 3)
  }
}
