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
