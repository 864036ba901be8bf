import CoreData
import Foundation
import Inspection
import TestFiles
import Testing

@Suite("Migration in place: attributes and entities")
struct InPlaceAttributeTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("store.sqlite") }

  private func before() -> NSManagedObjectModel {
    InPlace.model(
      InPlace.entity(
        "Person",
        [
          InPlace.attribute("name"), InPlace.attribute("age", .integer32AttributeType),
          InPlace.attribute("nick"), InPlace.attribute("note"),
        ]))
  }

  private func fill() throws {
    try InPlace.open(url, before()) { context in
      for number in 0..<10 {
        let person = InPlace.new(context, "Person", ["name": "n\(number)", "age": number, "note": "x\(number)"])
        if number % 2 == 0 { person.setValue("k\(number)", forKey: "nick") }
      }
      try context.save()
    }
  }

  @Test("Attributes are added, with their defaults, renamed, removed and made mandatory in one go")
  func attributes() throws {
    try fill()
    let after = InPlace.model(
      InPlace.entity(
        "Person",
        [
          InPlace.attribute("name"), InPlace.attribute("years", .integer32AttributeType, was: "age"),
          InPlace.attribute("nick", default: "none", optional: false),
          InPlace.attribute("score", .doubleAttributeType, default: 1.5, optional: false),
          InPlace.attribute("born", .dateAttributeType),
          InPlace.attribute(
            "id", .UUIDAttributeType, default: UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!),
          InPlace.attribute("price", .decimalAttributeType, default: NSDecimalNumber(string: "10.25")),
        ]))
    try InPlace.migrate(url, to: after) { context in
      let people = try InPlace.by(context, "Person", "name")
      #expect(people.count == 10)
      for number in 0..<10 {
        let person = try #require(people["n\(number)"])
        #expect(person.value(forKey: "years") as? Int == number)
        #expect(person.value(forKey: "nick") as? String == (number % 2 == 0 ? "k\(number)" : "none"))
        #expect(person.value(forKey: "score") as? Double == 1.5)
        #expect(person.value(forKey: "born") == nil)
        #expect(person.value(forKey: "id") as? UUID == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(person.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "10.25"))
      }
      #expect(
        context.persistentStoreCoordinator?.persistentStores.first?.metadata["migrationManagerClass"] as? String
          == "NSSQLiteInPlaceMigrationManager")
    }
  }

  @Test(
    "A default value comes as it is, whatever characters it has", arguments: ["§ 12", "it's", "a\0b", "\0", "?1 %@ $1"])
  func defaultText(text: String) throws {
    try fill()
    let after = InPlace.model(
      InPlace.entity(
        "Person",
        [
          InPlace.attribute("name"), InPlace.attribute("nick", default: text, optional: false),
          InPlace.attribute("added", default: text, optional: false),
        ]))
    try InPlace.migrate(url, to: after) { context in
      let person = try #require(try InPlace.by(context, "Person", "name")["n1"])
      #expect(person.value(forKey: "nick") as? String == text)
      #expect(person.value(forKey: "added") as? String == text)
    }
  }

  @Test("An attribute that is added rewrites no row and rebuilds no index")
  func adding() throws {
    let after = before()
    after.entities[0].properties.append(InPlace.attribute("extra"))
    try fill()
    #expect(try InPlace.plan(url, from: before(), to: after) == ["ALTER TABLE ZPERSON ADD COLUMN ZEXTRA VARCHAR"])
    try InPlace.migrate(url, to: after) { _ in }
  }

  @Test("Numbers change to a larger type, with their defaults, indexes, constraints, in a hierarchy and in a composite")
  func wider() throws {
    func model(_ after: Bool) -> NSManagedObjectModel {
      let composite = NSCompositeAttributeDescription()
      composite.name = "size"
      composite.elements = [
        InPlace.attribute("width", after ? .doubleAttributeType : .integer32AttributeType),
        InPlace.attribute("unit"),
      ]
      let child = InPlace.entity(
        "Child",
        [
          InPlace.attribute(
            "rank", after ? .doubleAttributeType : .integer16AttributeType, default: 3, optional: !after)
        ])
      let entity = InPlace.entity(
        "Thing",
        [
          InPlace.attribute("name"),
          InPlace.attribute("big", after ? .doubleAttributeType : .integer64AttributeType, was: after ? nil : "big"),
          InPlace.attribute("small", after ? .integer32AttributeType : .integer16AttributeType),
          InPlace.attribute("flag", after ? .integer64AttributeType : .booleanAttributeType),
          InPlace.attribute("single", after ? .doubleAttributeType : .floatAttributeType),
          InPlace.attribute(
            after ? "count" : "number", after ? .doubleAttributeType : .integer32AttributeType, was: "number"),
          composite,
        ], subentities: [child])
      entity.uniquenessConstraints = [["big"]]
      entity.indexes = [
        NSFetchIndexDescription(
          name: "byCount",
          elements: [
            NSFetchIndexElementDescription(
              property: entity.attributesByName[after ? "count" : "number"]!, collationType: .binary)
          ])
      ]
      return InPlace.model(entity)
    }
    try InPlace.open(url, model(false)) { context in
      for number in 0..<4 {
        let thing = InPlace.new(
          context, number % 2 == 0 ? "Thing" : "Child",
          [
            "name": "n\(number)", "big": Int64(number) << 40, "small": -number, "flag": number % 2 == 0,
            "single": Float(number) + 0.5, "number": number * 1000, "size": ["width": number, "unit": "cm"],
          ])
        if number == 3 { thing.setValue(nil, forKey: "rank") }
      }
      try context.save()
    }
    try InPlace.migrate(url, to: model(true)) { context in
      let things = try InPlace.by(context, "Thing", "name")
      #expect(things.count == 4)
      for number in 0..<4 {
        let thing = try #require(things["n\(number)"])
        #expect(thing.value(forKey: "big") as? Double == Double(Int64(number) << 40))
        #expect(thing.value(forKey: "small") as? Int32 == Int32(-number))
        #expect(thing.value(forKey: "flag") as? Int64 == (number % 2 == 0 ? 1 : 0))
        #expect(thing.value(forKey: "single") as? Double == Double(number) + 0.5)
        #expect(thing.value(forKey: "count") as? Double == Double(number) * 1000)
        let size = thing.value(forKey: "size") as? [String: Any]
        #expect(size?["width"] as? Double == Double(number) && size?["unit"] as? String == "cm")
        if number % 2 == 1 { #expect(thing.value(forKey: "rank") as? Double == 3) }
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
      request.predicate = NSPredicate(format: "count > 999.5 AND size.width < 2.5")
      #expect(try context.count(for: request) == 2)
    }
  }

  @Test("Attributes may change names with each other")
  func swapping() throws {
    try fill()
    let after = InPlace.model(
      InPlace.entity(
        "Person",
        [
          InPlace.attribute("name"), InPlace.attribute("age", .integer32AttributeType),
          InPlace.attribute("note", was: "nick"), InPlace.attribute("nick", was: "note"),
          // Names alone make no other version.
          InPlace.attribute("more"),
        ]))
    try InPlace.migrate(url, to: after) { context in
      let person = try #require(try InPlace.by(context, "Person", "name")["n4"])
      #expect(person.value(forKey: "nick") as? String == "x4")
      #expect(person.value(forKey: "note") as? String == "k4")
    }
  }

  @Test("Entities are added before others, renamed and removed; the rest get their new numbers")
  func entities() throws {
    func model(_ after: Bool) -> NSManagedObjectModel {
      let middle = InPlace.entity(after ? "Zebra" : "Middle", [InPlace.attribute("name")], was: after ? "Middle" : nil)
      let node = InPlace.entity(
        "Node", [InPlace.attribute("name")],
        subentities: [
          InPlace.entity("Leaf", [InPlace.attribute("size", .integer16AttributeType)])
        ]
          + (after
            ? [InPlace.entity("Bud", [InPlace.attribute("size", .integer16AttributeType)])]
            : [InPlace.entity("Twig", [InPlace.attribute("size", .integer16AttributeType)])]))
      InPlace.join(InPlace.relate(middle, "nodes", .many, node), InPlace.relate(node, "middles", .many, middle))
      InPlace.relate(middle, "root", .one, node)
      let other =
        after
        ? InPlace.entity("Added", [InPlace.attribute("name")]) : InPlace.entity("Gone", [InPlace.attribute("name")])
      return InPlace.model(middle, node, other)
    }
    try InPlace.open(url, model(false)) { context in
      for number in 0..<6 {
        let leaf = InPlace.new(context, "Leaf", ["name": "leaf\(number)", "size": number])
        let twig = InPlace.new(context, "Twig", ["name": "twig\(number)", "size": number])
        let middle = InPlace.new(context, "Middle", ["name": "m\(number)", "root": number % 2 == 0 ? leaf : twig])
        middle.setValue(Set([leaf, twig]), forKey: "nodes")
        InPlace.new(context, "Gone", ["name": "g"])
      }
      try context.save()
    }
    try InPlace.migrate(url, to: model(true)) { context in
      let middles = try InPlace.by(context, "Zebra", "name")
      #expect(middles.count == 6)
      #expect(try InPlace.by(context, "Node", "name").count == 6)
      for number in 0..<6 {
        let middle = try #require(middles["m\(number)"])
        #expect(InPlace.names(middle.value(forKey: "nodes")) == ["leaf\(number)"])
        #expect(InPlace.names(middle.value(forKey: "root")) == (number % 2 == 0 ? ["leaf\(number)"] : []))
        #expect((middle.value(forKey: "root") as? NSManagedObject)?.entity.name == (number % 2 == 0 ? "Leaf" : nil))
      }
      InPlace.new(context, "Leaf", ["name": "new"])
      InPlace.new(context, "Added", ["name": "new"])
      try context.save()
    }
  }

  @Test("Binary data goes into files of its own and back")
  func external() throws {
    func model(_ isExternal: Bool) -> NSManagedObjectModel {
      InPlace.model(InPlace.entity("Blob", [InPlace.attribute("name"), InPlace.external("data", isExternal)]))
    }
    let long = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    let short = Data([0, 1, 2, 0, 255])
    try InPlace.open(url, model(true)) { context in
      InPlace.new(context, "Blob", ["name": "long", "data": long])
      InPlace.new(context, "Blob", ["name": "short", "data": short])
      InPlace.new(context, "Blob", ["name": "none"])
      try context.save()
    }
    for isExternal in [false, true] {
      try InPlace.migrate(url, to: model(isExternal)) { context in
        let blobs = try InPlace.by(context, "Blob", "name")
        #expect(blobs["long"]?.value(forKey: "data") as? Data == long)
        #expect(blobs["short"]?.value(forKey: "data") as? Data == short)
        #expect(blobs["none"]?.value(forKey: "data") == nil)
      }
    }
    #expect(try StoreCheck(url, model(true)).unreferencedFiles == [])
  }

  @Test(
    "A constraint that is added is refused with the first values that are there twice, and the file stays as it was")
  func constraint() throws {
    try fill()
    try InPlace.open(url, before()) { context in
      InPlace.new(context, "Person", ["name": "n3", "age": 99])
      try context.save()
    }
    let after = before()
    after.entities[0].uniquenessConstraints = [["name"]]
    let shape = try InPlace.shape(url)
    let error = #expect(throws: NSError.self) { try InPlace.open(url, after, InPlace.options) { _ in } }
    #expect(error?.code == NSMigrationConstraintViolationError)
    #expect(error?.localizedDescription.contains("name \"n3\"") == true, "\(error?.localizedDescription ?? "")")
    #expect(try InPlace.shape(url) == shape)
    try InPlace.open(url, before()) { context in
      context.delete(
        try #require(
          try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
            .first { $0.value(forKey: "age") as? Int == 99 }))
      try context.save()
    }
    try InPlace.migrate(url, to: after) { context in
      let people = try InPlace.by(context, "Person", "name")
      #expect(people.count == 10)
    }
  }

  @Test("A hierarchy in which a dozen entities have a property of one name is opened again, and migrated")
  func manyOfOneName() throws {
    let folder = TemporaryFolder()
    let url = folder.file("names.sqlite")
    func model(_ more: [String]) -> NSManagedObjectModel {
      let owner = InPlace.entity("Owner")
      let kinds = (0..<13).map { number in
        let kind = InPlace.entity("Kind\(number)", (["title"] + more).map { InPlace.attribute($0) })
        InPlace.relate(kind, "owner", .one, owner)
        return kind
      }
      let root = InPlace.entity("Root", subentities: kinds)
      root.isAbstract = true
      return InPlace.model(root, owner)
    }
    try InPlace.open(url, model([])) { context in
      let owner = InPlace.new(context, "Owner", [:])
      for number in 0..<13 {
        InPlace.new(context, "Kind\(number)", ["title": "t\(number)", "owner": owner])
      }
      try context.save()
    }
    func check(_ context: NSManagedObjectContext) throws {
      for number in 0..<13 {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Kind\(number)")
        request.predicate = NSPredicate(format: "title == %@ AND owner != nil", "t\(number)")
        #expect(try context.count(for: request) == 1)
      }
    }
    try InPlace.open(url, model([])) { try check($0) }
    try InPlace.migrate(url, to: model(["note"])) { try check($0) }
  }
}
