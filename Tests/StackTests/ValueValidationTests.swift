import Testing

@testable import CoreData

@Suite("Validation in classes of the program")
struct ValueValidationTests {
  private func stack(_ kind: StoreKind, _ type: AnyClass) -> NSManagedObjectModel {
    let checked = entity(
      "Checked",
      [attribute("must", optional: false, default: "x"), attribute("name"), attribute("passing")],
      class: type)
    checked.attributesByName["passing"]!.isTransient = true
    let number = attribute("number", .integer16AttributeType)
    number.limits = AttributeLimits(maxNumber: 10)
    checked.properties.append(number)
    let part = entity("Part", [attribute("name")])
    join(
      relate(checked, "parts", .many, to: part), relate(part, "owner", .one, to: checked))
    return model([checked, part])
  }

  @Test("Which classes check values themselves is found for every class")
  func detection() {
    #expect(!ValueValidation.isOverridden(by: NSManagedObject.self))
    #expect(!ValueValidation.isOverridden(by: WithoutValueChecks.self))
    #expect(ValueValidation.isOverridden(by: ValueChecks.self))
    #expect(ValueValidation.isOverridden(by: InheritedValueChecks.self))
    #expect(!ValueValidation.isOverridden(by: Picky.self))
  }

  @Test("Which classes hear of saves is found for every class")
  func savesHeard() {
    #expect(!SaveMethods.areOverridden(by: NSManagedObject.self))
    #expect(!SaveMethods.areOverridden(by: HearsNothing.self))
    #expect(SaveMethods.areOverridden(by: HearsBefore.self))
    #expect(SaveMethods.areOverridden(by: HearsAfter.self))
    #expect(SaveMethods.areOverridden(by: InheritsHearing.self))
  }

  @Test("A value can be checked along a path, and one that would be set on nothing is valid")
  func path() throws {
    try withStack(.inMemory, stack(.inMemory, NSManagedObject.self)) { _, context in
      let owner = context.new("Checked")
      let part = context.new("Part")
      var value: AnyObject? = NSNumber(value: 11)
      try part.validateValue(&value, forKeyPath: "owner.number")
      part["owner"] = owner
      #expect(
        failure { try part.validateValue(&value, forKeyPath: "owner.number") }?.code == NSValidationNumberTooLargeError)
      #expect(failure { try owner.validateValue(&value, forKeyPath: "number") } != nil)
    }
  }

  @Test(
    "A save asks a class' own validateValue about every property but optional transients",
    arguments: StoreKind.allCases)
  func everyKey(_ kind: StoreKind) throws {
    try withStack(kind, stack(kind, ValueChecks.self)) { _, context in
      let object = context.new("Checked", ["name": "a"]) as! ValueChecks
      try context.save()
      #expect(object.asked == ["must", "name", "number", "parts"])
      object.asked = []
      try context.save()
      #expect(object.asked == [])
      object["name"] = "b"
      try context.save()
      #expect(object.asked == ["must", "name", "number", "parts"])
    }
  }

  @Test(
    "The limits of an optional transient attribute keep no object from being saved, whatever its class",
    arguments: StoreKind.allCases, [false, true])
  func optionalTransient(_ kind: StoreKind, _ isChecked: Bool) throws {
    let passing = attribute("passing", .integer16AttributeType)
    passing.isTransient = true
    passing.limits = AttributeLimits(maxNumber: 10)
    let type: AnyClass = isChecked ? ValueChecks.self : NSManagedObject.self
    try withStack(kind, model([entity("Checked", [passing, attribute("name")], class: type)])) { _, context in
      let object = context.new("Checked", ["name": "a", "passing": 11])
      try context.save()
      #expect(!context.hasChanges)
      var value: AnyObject? = NSNumber(value: 11)
      #expect(
        failure { try object.validateValue(&value, forKey: "passing") }?.code == NSValidationNumberTooLargeError)
    }
  }

  @Test(
    "Limits of a relationship count the stored members and those that came and went since",
    arguments: StoreKind.allCases)
  func counted(_ kind: StoreKind) throws {
    let (team, player) = (entity("Team"), entity("Player"))
    let players = relate(team, "players", .many, to: player, min: 2, max: 3)
    join(players, relate(player, "team", .one, to: team))
    let ranking = relate(team, "ranking", .ordered, to: player, max: 3)
    join(ranking, relate(player, "ranker", .one, to: team))
    try withStack(kind, model([team, player])) { _, context in
      let team = context.new("Team")
      func add() -> NSManagedObject { context.new("Player", ["team": team, "ranker": team]) }
      let first = add()
      #expect(failure { try context.save() }?.code == NSValidationRelationshipLacksMinimumCountError)
      let second = add()
      try context.save()
      context.refreshAllObjects()
      let third = add()
      try context.save()
      context.refreshAllObjects()
      let fourth = add()
      // One for each relationship.
      #expect(failure { try context.save() }?.code == NSValidationMultipleErrorsError)
      (first["ranker"], second["team"]) = (nil, nil)
      try context.save()
      #expect(team.objects("players") == [first, third, fourth] && team.list("ranking") == [second, third, fourth])
      context.delete(third)
      fourth["team"] = nil
      #expect(failure { try context.save() }?.code == NSValidationRelationshipLacksMinimumCountError)
    }
  }

  @Test(
    "A value that validateValue puts in place of another is set and saved",
    arguments: StoreKind.allCases)
  func replaced(_ kind: StoreKind) throws {
    try withStack(kind, stack(kind, InheritedValueChecks.self)) { stack, context in
      let object = context.new("Checked", ["name": "  spaces "])
      try context.save()
      #expect(object.string("name") == "spaces")
      #expect(!object.hasChanges && !context.hasChanges)
      try stack.elsewhere { other throws in
        #expect(try other.only("Checked").string("name") == "spaces")
      }
      object["name"] = " more"
      let log = NotificationLog(context)
      try context.save()
      try stack.elsewhere { other throws in
        #expect(try other.only("Checked").string("name") == "more")
      }
      log.clear()
      context.processPendingChanges()
      #expect(log.names.isEmpty)
    }
  }

  @Test(
    "What validateValue throws comes together with what the model finds, flat",
    arguments: StoreKind.allCases)
  func combined(_ kind: StoreKind) throws {
    try withStack(kind, stack(kind, ValueChecks.self)) { _, context in
      let object = context.new("Checked", ["name": "bad", "number": 11])
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSValidationMultipleErrorsError)
      let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
      #expect(details.map(\.domain).sorted() == [NSCocoaErrorDomain, "ValueChecks"].sorted())
      object["name"] = "good"
      #expect(failure { try context.save() }?.code == NSValidationNumberTooLargeError)
      object["number"] = 1
      object["must"] = nil
      #expect(failure { try context.save() }?.code == NSValidationMissingMandatoryPropertyError)
      object["must"] = "y"
      try context.save()
    }
  }

  @Test(
    "Deleted objects are asked first, then new ones, then changed ones, after every willSave",
    arguments: StoreKind.allCases)
  func order(_ kind: StoreKind) throws {
    let model = model([entity("Logged", [attribute("name")], class: ValidationOrder.self)])
    try withStack(kind, model) { _, context in
      let objects = ["changed", "deleted"].map { context.new("Logged", ["name": $0]) }
      try context.save()
      objects[0]["name"] = "changed"
      context.new("Logged", ["name": "new"])
      context.delete(objects[1])
      ValidationOrder.$log.withValue(ValidationOrder.Log()) {
        #expect(failure { try context.save() } == nil)
        let calls = ValidationOrder.log!.calls
        #expect(Set(calls.prefix(3)) == ["willSave changed", "willSave new", "willSave deleted"])
        #expect(calls.dropFirst(3) == ["delete deleted", "insert new", "update changed"])
      }
    }
  }

  @Test(
    "An override that does not call super leaves the model's rules out; one that does adds to them",
    arguments: StoreKind.allCases)
  func callingSuper(_ kind: StoreKind) throws {
    let rule = { (type: AnyClass) in
      model([entity("Named", [attribute("name", optional: false), attribute("mood")], class: type)])
    }
    try withStack(kind, rule(WithoutSuper.self)) { stack, context in
      context.new("Named")
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Named").count } == 1)
    }
    try withStack(kind, rule(WithSuper.self)) { _, context in
      let object = context.new("Named", ["mood": "several"])
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSValidationMultipleErrorsError)
      let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
      // The model's own error and the override's two, none of them in another.
      #expect(details.map(\.code).sorted() == [1, 2, NSValidationMissingMandatoryPropertyError])
      object["mood"] = nil
      #expect(failure { try context.save() }?.code == NSValidationMissingMandatoryPropertyError)
      object["name"] = "a"
      try context.save()
      object["mood"] = "several"
      #expect(
        (failure { try context.save() }?.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code)
          == [1, 2])
    }
  }

  @Test(
    "A deletion that an override of validateForDelete refuses: with super, the deny rules are asked too",
    arguments: StoreKind.allCases)
  func deletion(_ kind: StoreKind) throws {
    for (type, code) in [
      (RefusesDeletion.self as AnyClass, NSValidationMultipleErrorsError), (AllowsDeletion.self, 0),
    ] {
      let (owner, part) = (
        entity("Owner", [attribute("name")], class: type), entity("Part", [attribute("name")])
      )
      join(
        relate(owner, "parts", .many, to: part, rule: .denyDeleteRule),
        relate(part, "owner", .one, to: owner))
      try withStack(kind, model([owner, part])) { _, context in
        let owner = context.new("Owner")
        context.new("Part", ["owner": owner])
        try context.save()
        context.delete(owner)
        #expect((failure { try context.save() }?.code ?? 0) == code)
      }
    }
  }
}

class WithoutValueChecks: NSManagedObject {
  override func validateForInsert() throws { try super.validateForInsert() }
}

class ValueChecks: NSManagedObject {
  var asked: [String] = []

  override func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    asked.append(key)
    if let name = value.pointee as? String, key == "name" {
      if name == "bad" { throw NSError(domain: "ValueChecks", code: 1) }
      let trimmed = name.trimmingCharacters(in: .whitespaces)
      if trimmed != name { value.pointee = trimmed as AnyObject }
    }
    try super.validateValue(value, forKey: key)
  }
}

final class InheritedValueChecks: ValueChecks {}

final class ValidationOrder: NSManagedObject {
  final class Log: @unchecked Sendable {
    var calls: [String] = []
  }
  @TaskLocal static var log: Log?

  private func note(_ call: String) {
    ValidationOrder.log?.calls.append("\(call) \(value(forKey: "name")!)")
  }

  override func willSave() { note("willSave") }
  override func validateForInsert() throws { note("insert") }
  override func validateForUpdate() throws { note("update") }
  override func validateForDelete() throws { note("delete") }
}

final class WithoutSuper: NSManagedObject {
  override func validateForInsert() throws {}
}

/// Throws two errors in one, besides what the model finds.
final class WithSuper: NSManagedObject {
  private func check(_ model: () throws -> Void) throws {
    var errors: [NSError] = []
    do { try model() } catch { errors.append(error as NSError) }
    if value(forKey: "mood") as? String == "several" {
      errors.append(
        NSError(
          domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
          userInfo: [NSDetailedErrorsKey: [1, 2].map { NSError(domain: "WithSuper", code: $0) }]))
    }
    if errors.count == 1 { throw errors[0] }
    if !errors.isEmpty {
      throw NSError(
        domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
        userInfo: [NSDetailedErrorsKey: errors])
    }
  }

  override func validateForInsert() throws { try check { try super.validateForInsert() } }
  override func validateForUpdate() throws { try check { try super.validateForUpdate() } }
}

final class RefusesDeletion: NSManagedObject {
  override func validateForDelete() throws {
    var errors = [NSError(domain: "RefusesDeletion", code: 1)]
    do { try super.validateForDelete() } catch { errors.append(error as NSError) }
    throw NSError(
      domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
      userInfo: [NSDetailedErrorsKey: errors])
  }
}

final class AllowsDeletion: NSManagedObject {
  override func validateForDelete() throws {}
}
