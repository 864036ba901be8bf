import CoreData
import Foundation
import Inspection
import TestFiles
import Testing

@Suite("Migration in place: relationships")
struct InPlaceRelationshipTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("store.sqlite") }

  /// A way in which owners and members may be related.
  struct Shape: CustomTestStringConvertible, Sendable {
    let to: InPlace.Count
    let back: InPlace.Count?
    var isFirst = true

    var testDescription: String { "\(to) and back \(back.map { "\($0)" } ?? "not")" }

    /// Owner.items and Item.owner.
    func model(_ more: Bool = false) -> NSManagedObjectModel {
      let owner = InPlace.entity("Owner", [InPlace.attribute("name")])
      let item = InPlace.entity("Item", [InPlace.attribute("name")] + (more ? [InPlace.attribute("more")] : []))
      let other = InPlace.entity(more ? "Extra" : "Zero", [InPlace.attribute("name")])
      let items = InPlace.relate(owner, "items", to, item)
      if let back { InPlace.join(items, InPlace.relate(item, "owner", back, owner)) }
      return InPlace.model(owner, item, other)
    }
  }

  static let changes: [(Shape, Shape)] = {
    let ways: [Shape] = [InPlace.Count.one, .many, .ordered].flatMap { to in
      [InPlace.Count?.none, .one, .many, .ordered].map { Shape(to: to, back: $0) }
    }
    return ways.flatMap { a in ways.map { (a, $0) } }.filter { a, b in
      if a.to != .one, b.to == .one { return false }
      if let back = a.back, back != .one, b.back == .one { return false }
      return true
    }
  }()

  @Test("Every kind of relationship becomes every other that is wider", arguments: changes.indices)
  func change(_ number: Int) throws {
    let (before, after) = InPlaceRelationshipTests.changes[number]
    // Pairs that both shapes can hold: no item has two owners, no owner two items where one of the ends is one.
    let isSingle = before.to == .one
    try InPlace.open(url, before.model()) { context in
      for owner in 0..<4 {
        let object = InPlace.new(context, "Owner", ["name": "o\(owner)"])
        let items = (0..<(isSingle ? 1 : 3)).map { InPlace.new(context, "Item", ["name": "i\(owner)\(2 - $0)"]) }
        if owner == 3 { continue }
        switch before.to {
        case .one: object.setValue(items[0], forKey: "items")
        case .many: object.setValue(NSSet(array: items), forKey: "items")
        case .ordered: object.setValue(NSOrderedSet(array: items), forKey: "items")
        }
      }
      try context.save()
    }
    try InPlace.migrate(url, to: after.model(true)) { context in
      let owners = try InPlace.by(context, "Owner", "name")
      let items = try InPlace.by(context, "Item", "name")
      #expect(owners.count == 4)
      for owner in 0..<4 {
        let names = owner == 3 ? [] : isSingle ? ["i\(owner)2"] : ["i\(owner)0", "i\(owner)1", "i\(owner)2"]
        let found = InPlace.names(owners["o\(owner)"]?.value(forKey: "items"))
        #expect(found.sorted() == names)
        if before.to == .ordered, after.to == .ordered { #expect(found == names.reversed()) }
        if after.back != nil {
          for name in names { #expect(InPlace.names(items[name]?.value(forKey: "owner")) == ["o\(owner)"]) }
        }
      }
      // What was migrated can be changed.
      let owner = try #require(owners["o0"])
      let item = InPlace.new(context, "Item", ["name": "new"])
      switch after.to {
      case .one: owner.setValue(item, forKey: "items")
      case .many: owner.mutableSetValue(forKey: "items").add(item)
      case .ordered: owner.mutableOrderedSetValue(forKey: "items").insert(item, at: 0)
      }
      try context.save()
    }
    try InPlace.open(url, after.model(true)) { context in
      let found = InPlace.names(try InPlace.by(context, "Owner", "name")["o0"]?.value(forKey: "items"))
      #expect(found.contains("new"))
      if after.to == .ordered { #expect(found.first == "new") }
    }
    #expect(try StoreCheck(url, after.model(true)).problems == [])
  }

  @Test(
    "Friends of friends: a relationship that is its own inverse, in a file of before and of now",
    arguments: ["Z_1FRIENDS1", "REFLEXIVE"], [false, true])
  func symmetric(_ column: String, _ isOrdered: Bool) throws {
    func model(_ more: Bool) -> NSManagedObjectModel {
      let person = InPlace.entity("Person", [InPlace.attribute("name")])
      let friends = InPlace.relate(
        person, more ? "mates" : "friends", isOrdered ? .ordered : .many, person, was: more ? "friends" : nil)
      friends.inverseRelationship = friends
      return more ? InPlace.model(person, InPlace.entity("Aunt")) : InPlace.model(person)
    }
    func people(_ context: NSManagedObjectContext) throws -> [String: NSManagedObject] {
      try InPlace.by(context, "Person", "name")
    }
    func set(_ found: [NSManagedObject]) -> Any { isOrdered ? NSOrderedSet(array: found) : NSSet(array: found) }
    try InPlace.open(url, model(false)) { context in
      let people = (0..<4).map { InPlace.new(context, "Person", ["name": "p\($0)"]) }
      people[0].setValue(set([people[1], people[2]]), forKey: "friends")
      try context.save()
    }
    func rows(_ sql: String) throws -> [String] { try InPlace.rows(url, sql).compactMap { $0[0] } }
    for prefix in isOrdered ? ["", "Z_FOK_"] : [""] {
      func named(_ column: String) -> String { prefix.isEmpty ? column : prefix + column.replacing("Z_", with: "") }
      let columns = try rows("SELECT name FROM pragma_table_info('Z_1FRIENDS')")
      let second = try #require(columns.first { $0 == named("REFLEXIVE") || $0 == named("Z_1FRIENDS1") })
      if second != named(column) {
        _ = try rows("ALTER TABLE Z_1FRIENDS RENAME COLUMN \(second) TO \(named(column))")
      }
    }
    try InPlace.open(url, model(false)) { context in
      let people = try people(context)
      #expect(InPlace.names(people["p0"]?.value(forKey: "friends")) == ["p1", "p2"])
      people["p3"]?.setValue(set([people["p0"]].compactMap { $0 }), forKey: "friends")
      try context.save()
    }
    try InPlace.migrate(url, to: model(true)) { context in
      let people = try people(context)
      #expect(InPlace.names(people["p0"]?.value(forKey: "mates")).sorted() == ["p1", "p2", "p3"])
      #expect(InPlace.names(people["p2"]?.value(forKey: "mates")) == ["p0"])
      people["p1"]?.setValue(set([people["p2"]].compactMap { $0 }), forKey: "mates")
      try context.save()
      #expect(InPlace.names(people["p0"]?.value(forKey: "mates")).sorted() == ["p2", "p3"])
    }
    #expect(try StoreCheck(url, model(true)).problems == [])
  }

  @Test("A new to-one end within one table says of what entity the row is that it refers to")
  func selfReference() throws {
    func model(_ more: Bool) -> NSManagedObjectModel {
      let person = InPlace.entity("Person", [InPlace.attribute("name")])
      let boss = InPlace.entity("Boss")
      person.subentities = [boss]
      let reports = InPlace.relate(person, "reports", .many, person)
      if more { InPlace.join(reports, InPlace.relate(person, "superior", .one, person)) }
      return InPlace.model(person)
    }
    try InPlace.open(url, model(false)) { context in
      let people = (0..<3).map { InPlace.new(context, $0 == 0 ? "Boss" : "Person", ["name": "p\($0)"]) }
      people[0].setValue(NSSet(array: [people[1]]), forKey: "reports")
      people[1].setValue(NSSet(array: [people[2]]), forKey: "reports")
      try context.save()
    }
    try InPlace.migrate(url, to: model(true)) { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      // One by one, so that a superior is met as a fault first, of the entity that the row says.
      for (name, entity) in [("p1", "Boss"), ("p2", "Person")] {
        request.predicate = NSPredicate(format: "name == %@", name)
        let superior = try context.fetch(request).first?.value(forKey: "superior") as? NSManagedObject
        #expect(superior?.entity.name == entity)
      }
    }
  }
}
