import TestDice
import Testing

@testable import CoreData

@Suite("Unsaved values: what was set reads back, whatever its type, length and number")
struct UnsavedValueTests {
  private static let types: [(name: String, type: NSAttributeType)] = [
    ("text", .stringAttributeType), ("whole", .integer64AttributeType), ("real", .doubleAttributeType),
    ("date", .dateAttributeType), ("flag", .booleanAttributeType), ("decimal", .decimalAttributeType),
    ("uuid", .UUIDAttributeType), ("data", .binaryDataAttributeType), ("url", .URIAttributeType),
    ("list", .transformableAttributeType),
  ]
  /// More than 64, so that a mask needs a second word. Every fifth is transient.
  private static let names = (0..<80).map { "\(types[$0 % types.count].name)\($0 / types.count)" }
  private static let transients = Set(names.indices.filter { $0 / types.count % 5 == 4 }.map { names[$0] })

  private static func things() -> NSManagedObjectModel {
    let thing = entity(
      "Thing",
      names.indices.map { index in
        let attribute = attribute(names[index], types[index % types.count].type)
        attribute.isTransient = transients.contains(names[index])
        if names[index] == "text3" { attribute.defaultValue = "a text that is there from the beginning" }
        if names[index] == "url3" { attribute.defaultValue = URL(string: "https://example.com/default") }
        return attribute
      })
    join(relate(thing, "next", .one, to: thing), relate(thing, "former", .many, to: thing))
    return model([thing])
  }

  /// An attribute's value at random: often nil, texts of all lengths.
  private static func value(_ index: Int, _ dice: inout Dice) -> AnyHashable? {
    if dice.roll(6) == 0 { return nil }
    let number = dice.roll(1000)
    switch types[index % types.count].type {
    case .stringAttributeType:
      let lengths = [0, 1, 7, 15, 16, 40, 64, 300, 5000, 65_530]
      return String(repeating: dice.roll(2) == 0 ? "x" : "ü", count: lengths[dice.roll(dice.roll(20) == 0 ? 10 : 8)])
        + "\(number)"
    case .integer64AttributeType: return NSNumber(value: number - 500)
    case .doubleAttributeType: return NSNumber(value: Double(number) / 8)
    case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number) / 4)
    case .booleanAttributeType: return NSNumber(value: number % 2 == 0)
    case .decimalAttributeType: return Decimal(number) / 100 as NSDecimalNumber
    case .UUIDAttributeType: return UUID(uuidString: String(format: "00000000-0000-0000-0000-%012d", number))
    case .binaryDataAttributeType: return Data(repeating: UInt8(number % 256), count: number)
    case .URIAttributeType: return URL(string: "https://example.com/\(number)")
    default: return ["item", number] as NSArray
    }
  }

  private typealias Values = [String: AnyHashable]

  private func expectEqual(_ objects: [NSManagedObject], _ wanted: [Values], keys: [String], _ when: String) {
    for (object, values) in zip(objects, wanted) {
      for name in keys {
        let (found, value) = (object.value(forKey: name) as? AnyHashable, values[name])
        if found != value { Issue.record("\(when): \(name) is \(found as Any), not \(value as Any)") }
      }
    }
  }

  @Test(
    "Values set at random read back before, between and after saves, undone ones as before",
    arguments: StoreKind.allCases)
  func random(_ kind: StoreKind) throws {
    let seed = RandomTest.seed("STRATA_UNSAVED_SEED")
    var dice = Dice(state: seed)
    try withStack(kind, Self.things()) { stack, context in
      let manager = UndoManager()
      manager.groupsByEvent = false
      context.undoManager = manager
      var objects: [NSManagedObject] = []
      var wanted: [Values] = []
      var links: [Int?] = []
      manager.beginUndoGrouping()
      for _ in 0..<4 {
        objects.append(context.new("Thing"))
        wanted.append([
          "text3": "a text that is there from the beginning", "url3": URL(string: "https://example.com/default")!,
        ])
        links.append(nil)
      }
      context.processPendingChanges()
      manager.endUndoGrouping()
      manager.removeAllActions()
      for step in 0..<RandomTest.count("STRATA_UNSAVED_STEPS", 60) {
        let before = (wanted, links)
        manager.beginUndoGrouping()
        for _ in 0..<(1 + dice.roll(30)) {
          let place = dice.roll(objects.count)
          if dice.roll(20) == 0 {
            links[place] = dice.roll(3) == 0 ? nil : dice.roll(objects.count)
            objects[place].setValue(links[place].map { objects[$0] }, forKey: "next")
            continue
          }
          let index = dice.roll(12) == 0 ? 0 : dice.roll(Self.names.count)
          let value = Self.value(index, &dice)
          wanted[place][Self.names[index]] = value
          objects[place].setValue(value?.base, forKey: Self.names[index])
        }
        context.processPendingChanges()
        manager.endUndoGrouping()
        if dice.roll(3) == 0 {
          manager.undo()
          (wanted, links) = before
        }
        expectEqual(objects, wanted, keys: Self.names, "seed \(seed), step \(step)")
        let found = objects.map { object in
          (object.value(forKey: "next") as? NSManagedObject).flatMap { next in objects.firstIndex { $0 === next } }
        }
        #expect(found == links)
        guard dice.roll(5) == 0 else { continue }
        try context.save()
        manager.removeAllActions()
        // Then a save makes faults of its objects, and no row has transient values.
        if Stress.isOn { for place in wanted.indices { Self.transients.forEach { wanted[place][$0] = nil } } }
        expectEqual(objects, wanted, keys: Self.names, "seed \(seed), step \(step), saved")
        let stored = Self.names.filter { !Self.transients.contains($0) }
        let ids = objects.map(\.objectID)
        let other = stack.newContext()
        other.performAndWait {
          expectEqual(ids.map { other.object(with: $0) }, wanted, keys: stored, "seed \(seed), step \(step), read")
        }
      }
    }
  }

  @Test(
    "New objects are saved as they were set, at random, also after saves that failed and changes after those",
    arguments: StoreKind.allCases)
  func new(_ kind: StoreKind) throws {
    let seed = RandomTest.seed("STRATA_UNSAVED_SEED")
    var dice = Dice(state: seed)
    let kinds = Self.names.indices.prefix(30).filter { ![7, 8, 9].contains($0 % Self.types.count) }
    let leaf = entity("Leaf", kinds.map { attribute(Self.names[$0], Self.types[$0 % Self.types.count].type) })
    leaf.uniquenessConstraints = [["whole0"]]
    let bud = entity("Bud", [attribute("colour")])
    leaf.subentities = [bud]
    join(relate(leaf, "next", .one, to: leaf), relate(leaf, "former", .many, to: leaf))
    try withStack(kind, model([leaf, bud])) { stack, context in
      var (objects, wanted, links): ([NSManagedObject], [Values], [Int?]) = ([], [], [])
      func change(_ place: Int, _ count: Int) {
        for _ in 0..<count {
          let index = kinds[dice.roll(kinds.count)]
          let value = Self.names[index] == "whole0" ? NSNumber(value: place + 1) : Self.value(index, &dice)
          wanted[place][Self.names[index]] = value
          objects[place].setValue(value?.base, forKey: Self.names[index])
        }
        if dice.roll(2) == 0 {
          links[place] = dice.roll(4) == 0 ? nil : dice.roll(objects.count)
          objects[place].setValue(links[place].map { objects[$0] }, forKey: "next")
        }
      }
      func expectEqual(_ found: [NSManagedObject], _ when: String) {
        self.expectEqual(found, wanted, keys: kinds.map { Self.names[$0] }, "seed \(seed), \(when)")
        let ids = objects.map(\.objectID)
        let next = found.map { object in
          (object.value(forKey: "next") as? NSManagedObject).flatMap { ids.firstIndex(of: $0.objectID) }
        }
        #expect(next == links, "seed \(seed), \(when)")
      }
      for round in 0..<RandomTest.count("STRATA_UNSAVED_STEPS", 30) {
        for _ in 0..<(1 + dice.roll(8)) {
          objects.append(context.new(dice.roll(3) == 0 ? "Bud" : "Leaf"))
          wanted.append(["whole0": NSNumber(value: objects.count)])
          objects.last!.setValue(objects.count, forKey: "whole0")
          links.append(nil)
          change(objects.count - 1, dice.roll(30))
        }
        if dice.roll(2) == 0 {
          // A number that another object has.
          let last = objects.count - 1
          objects[last].setValue(last == 0 ? 1 : last, forKey: "whole0")
          let twin = last == 0 ? context.new("Leaf", ["whole0": 1]) : nil
          #expect(failure { try context.save() }?.code == NSManagedObjectConstraintMergeError)
          if let twin { context.delete(twin) }
          objects[last].setValue(objects.count, forKey: "whole0")
          expectEqual(objects, "round \(round), not saved")
          for _ in 0..<dice.roll(6) { change(dice.roll(objects.count), dice.roll(4)) }
          expectEqual(objects, "round \(round), changed")
        }
        try context.save()
        expectEqual(objects, "round \(round), saved")
        let other = stack.newContext()
        other.performAndWait { expectEqual(objects.map { other.object(with: $0.objectID) }, "round \(round), read") }
      }
    }
  }

  @Test("What a failed save says of a new object stays, while the object changes")
  func conflict() throws {
    let tag = entity("Tag", [attribute("name"), attribute("colour")])
    tag.uniquenessConstraints = [["name"]]
    try withStack(.sqlite, model([tag])) { _, context in
      let (first, second) = ("a name of some length", "another of the same")
      context.new("Tag", ["name": first])
      try context.save()
      let new = context.new("Tag", ["name": first, "colour": "a red of some length"])
      let error = try #require(failure { try context.save() })
      let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
      let conflict = try #require(conflicts?.first)
      new["colour"] = "blue"
      new["name"] = second
      #expect(conflict.constraintValues["name"] as? String == first)
      try context.save()
      #expect(conflict.constraintValues["name"] as? String == first && new.string("name") == second)
    }
  }

  @Test("A text that is set again and again leaves the other texts as they are", arguments: [200, 70_000])
  func texts(_ length: Int) throws {
    try withStack(.inMemory) { _, context in
      let book = context.new("Book", ["isbn": "978-0"])
      for round in 0..<2000 {
        book["title"] = String(repeating: "t", count: length + round % 50) + "\(round)"
        if round % 100 == 0 { #expect(book.string("isbn") == "978-0") }
      }
      #expect(book.string("title")?.hasSuffix("t1999") == true && book.string("isbn") == "978-0")
      try context.save()
      #expect(book.string("title")?.utf8.count == length + 1999 % 50 + 4)
    }
  }

  @Test("Values that were set in another order are the same as those that were read", arguments: StoreKind.allCases)
  func order(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book")
      book["isbn"] = "a first text of some length"
      book["title"] = "a second one that is longer than the first"
      book["title"] = "short"
      try context.save()
      let other = stack.newContext()
      try other.performAndWait {
        let copy = try #require(try other.existingObject(with: book.objectID))
        #expect(copy.string("isbn") == "a first text of some length" && copy.string("title") == "short")
        copy["title"] = "another"
        copy["title"] = "short"
        #expect(copy.hasChanges && !copy.hasPersistentChangedValues)
      }
    }
  }
}
