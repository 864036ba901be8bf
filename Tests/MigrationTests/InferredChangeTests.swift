import CoreData
import Foundation
import TestFiles
import Testing

/// Changes that are inferred, through objects and in place: in each type of store, and on a SQLite file.
@Suite("Inferred changes")
struct InferredChangeTests {
  private typealias Make = InferenceModels
  private let folder: ManagerFolder

  init() throws { folder = try ManagerFolder() }

  /// Migrates by what the models imply, and looks at what came of it.
  private func migrate(
    _ kind: ManagerStore, inPlace: Bool, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel,
    _ body: (NSManagedObjectContext) throws -> Void
  ) throws {
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.usesStoreSpecificMigrationManager = inPlace
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
    try manager.migrateStore(
      from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store("new"), type: kind.type)
    try ManagerStack.read(kind, new, folder.store("new"), body)
  }

  private static let ways: [(ManagerStore, Bool)] = ManagerStore.allCases.map { ($0, false) } + [(.sqlite, true)]

  @Test("Numbers keep their values in a larger type", arguments: ways)
  func numbers(_ kind: ManagerStore, _ inPlace: Bool) throws {
    func model(_ types: [NSAttributeType]) -> NSManagedObjectModel {
      Make.model(
        .init(
          "Book", [Make.attribute("title")] + types.enumerated().map { Make.attribute("n\($0.offset)", $0.element) }))
    }
    let old = model([
      .integer16AttributeType, .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .floatAttributeType, .booleanAttributeType, .integer32AttributeType,
    ])
    let new = model([
      .integer32AttributeType, .integer64AttributeType, .integer64AttributeType, .doubleAttributeType,
      .doubleAttributeType, .integer16AttributeType, .doubleAttributeType,
    ])
    let values: [Any] = [
      Int16.min, Int16.max, Int32.min, Int64(1) << 53, Float(0.25), true, Int32(7),
    ]
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      context.make("Book", ["title": "empty"])
      let book = context.make("Book", ["title": "full"])
      for (place, value) in values.enumerated() { book.setValue(value, forKey: "n\(place)") }
    }
    try migrate(kind, inPlace: inPlace, old, new) { context in
      let books = try context.all("Book", by: "title")
      #expect(books.map { $0.text("title") } == ["empty", "full"])
      let found = (0..<values.count).map { books[1].value(forKey: "n\($0)") as? NSNumber }
      #expect(found == [-32768, 32767, -2_147_483_648, 9_007_199_254_740_992, 0.25, 1, 7])
      #expect((0..<values.count).allSatisfy { books[0].value(forKey: "n\($0)") == nil })
    }
  }

  @Test(
    "A relationship that leads to another entity now is empty; to a parent or child of the former, it keeps what fits",
    arguments: ways)
  func destinations(_ kind: ManagerStore, _ inPlace: Bool) throws {
    func model(_ after: Bool) -> NSManagedObjectModel {
      Make.model(
        .init(
          "Book",
          [
            Make.attribute("title"), Make.toOne("by", after ? "Firm" : "Author", back: after ? "books" : "works"),
            Make.toMany("likes", after ? "Firm" : "Author"), Make.toOne("keeper", after ? "Person" : "Author"),
            Make.toOne("reader", after ? "Author" : "Person"), Make.toMany("fans", after ? "Author" : "Person"),
          ]),
        .init("Person", [Make.attribute("name")]),
        .init("Author", of: "Person", after ? [] : [Make.toMany("works", "Book", back: "by")]),
        .init("Firm", [Make.attribute("name")] + (after ? [Make.toMany("books", "Book", back: "by")] : [])))
    }
    let (old, new) = (model(false), model(true))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      let person = context.make("Person", ["name": "P"])
      let author = context.make("Author", ["name": "A"])
      context.make("Firm", ["name": "F"])
      let book = context.make("Book", ["title": "T", "by": author, "keeper": author, "reader": author])
      book.setValue(Set([author]), forKey: "likes")
      book.setValue(Set([author, person]), forKey: "fans")
      context.make("Book", ["title": "U", "reader": person])
    }
    try migrate(kind, inPlace: inPlace, old, new) { context in
      let books = try context.all("Book", by: "title")
      #expect(books[0].object("by") == nil && books[0].texts("likes", "name").isEmpty)
      #expect(books[0].object("keeper")?.text("name") == "A")
      #expect(books[0].object("reader")?.text("name") == "A" && books[1].object("reader") == nil)
      #expect(books[0].texts("fans", "name") == ["A"])
      let firm = try #require(try context.all("Firm", by: "name").first)
      #expect(firm.texts("books", "title").isEmpty)
      books[0].setValue(firm, forKey: "by")
      try context.save()
      #expect(try context.number(of: "Person") == 2)
    }
  }

  @Test("A composite attribute loses, gains and renames elements, nested ones too", arguments: ways)
  func elements(_ kind: ManagerStore, _ inPlace: Bool) throws {
    func model(_ after: Bool) -> NSManagedObjectModel {
      let place = Make.composite(
        after ? "at" : "place",
        [Make.attribute(after ? "x" : "left", .integer32AttributeType, was: after ? "left" : nil)],
        was: after ? "place" : nil)
      let street = Make.attribute(after ? "road" : "street", was: after ? "street" : nil)
      let city = Make.attribute("city")
      let last = after ? Make.attribute("country", default: "DE") : Make.attribute("gone")
      return Make.model(
        .init("Person", [Make.attribute("name"), Make.composite("home", [street, city, last, place])]))
    }
    let (old, new) = (model(false), model(true))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      let home: [String: Any] = ["street": "Hauptweg", "city": "Bonn", "gone": "x", "place": ["left": 3]]
      context.make("Person", ["name": "a", "home": home])
      context.make("Person", ["name": "b", "home": ["gone": "x"]])
    }
    try migrate(kind, inPlace: inPlace, old, new) { context in
      let homes = try context.all("Person", by: "name").map { $0.value(forKey: "home") as? [String: Any] }
      #expect(homes[0]?["road"] as? String == "Hauptweg" && homes[0]?["city"] as? String == "Bonn")
      #expect((homes[0]?["at"] as? [String: Any])?["x"] as? Int == 3)
      #expect(homes.map { $0?["country"] as? String } == ["DE", "DE"])
      #expect(homes.map { $0?.count } == [4, 1])
    }
  }

  @Test(
    "A manager refuses an inferred mapping for objects that code would have to complete",
    arguments: [false, true])
  func objectsThatNeedCode(_ inPlace: Bool) throws {
    func model(_ isOptional: Bool) throws -> NSManagedObjectModel {
      let model = InPlace.model(InPlace.entity("Note", [InPlace.attribute("text", optional: isOptional)]))
      _ = NSPersistentStoreCoordinator(managedObjectModel: model)
      return model
    }
    let folder = TemporaryFolder()
    let (old, new) = (try model(true), try model(false))
    try InPlace.open(folder.file("old.sqlite"), old) { context in
      InPlace.new(context, "Note", [:])
      try context.save()
    }
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.usesStoreSpecificMigrationManager = inPlace
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
    #expect(throws: (any Error).self) {
      try manager.migrateStore(
        from: folder.file("old.sqlite"), sourceType: NSSQLiteStoreType, options: nil, with: mapping,
        toDestinationURL: folder.file("new.sqlite"), destinationType: NSSQLiteStoreType, destinationOptions: nil)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("new.sqlite").path))
  }

  @Test("Attributes that claim one former attribute by their renaming identifier each get its values", arguments: ways)
  func sharedIdentifiers(_ kind: ManagerStore, _ inPlace: Bool) throws {
    let old = Make.model(.init("Book", [Make.attribute("title")]))
    let (short, long) = (Make.attribute("short", was: "title"), Make.attribute("long", was: "title"))
    let new = Make.model(.init("Book", [Make.attribute("title"), short, long]))
    let pages = Make.attribute("pages", .floatAttributeType, was: "title")
    let number = Make.model(.init("Book", [Make.attribute("short", was: "title"), pages]))
    #expect(InferenceTests.refusal(old, number) != nil)
    try ManagerStack.fill(kind, old, folder.store("old")) { $0.make("Book", ["title": "Emma"]) }
    try migrate(kind, inPlace: inPlace, old, new) { context in
      let book = try context.all("Book", by: "short")[0]
      #expect(["short", "long"].map { book.value(forKey: $0) as? String } == ["Emma", "Emma"])
    }
  }

  @Test("A manager whose destination is the source itself migrates it in place; object by object it refuses")
  func sameFile() throws {
    func pages(_ name: String, was former: String? = nil) -> NSAttributeDescription {
      Make.attribute(name, .integer64AttributeType, was: former, isOptional: false, default: 0)
    }
    let old = Make.model(.init("Book", [pages("a")]))
    let new = Make.model(.init("Book", [pages("$a_old", was: "a"), Make.attribute("$a_new")]))
    let kind = ManagerStore.sqlite
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      for number in 0..<3 { context.make("Book", ["a": number]) }
    }
    func migrate(inPlace: Bool) throws {
      let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
      manager.usesStoreSpecificMigrationManager = inPlace
      try manager.migrateStore(
        from: folder.store("old"), type: kind.type,
        mapping: NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new),
        to: folder.store("old"), type: kind.type)
    }
    let error = managerError { try migrate(inPlace: false) }
    #expect(error?.code == NSMigrationError && error?.localizedDescription.contains("another URL") == true)
    try migrate(inPlace: true)
    try ManagerStack.read(kind, new, folder.store("old")) { context in
      let books = try context.all("Book", by: "$a_old")
      #expect(books.map { $0.value(forKey: "$a_old") as? Int } == [0, 1, 2])
    }
  }

  @Test(
    "Models that no coordinator has used do as others: rows need not meet a new rule, and in place the UUID stays",
    arguments: ways)
  func unusedModels(_ kind: ManagerStore, _ inPlace: Bool) throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let pages = Make.attribute("pages", .integer32AttributeType)
      if isNew { pages.setValidationPredicates([NSPredicate(format: "SELF < 10")], withValidationWarnings: ["long"]) }
      return Make.model(.init("Book", [Make.attribute("title"), pages] + (isNew ? [Make.attribute("note")] : [])))
    }
    try ManagerStack.fill(kind, model(false), folder.store("old")) { context in
      context.make("Book", ["title": "T", "pages": 300])
    }
    try migrate(kind, inPlace: inPlace, model(false), model(true)) { context in
      let books = try context.all("Book", by: "title")
      #expect(books.map { $0.value(forKey: "pages") as? Int } == [300])
    }
    let uuids = try ["old", "new"].map {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(type: kind.type, at: folder.store($0))[
        NSStoreUUIDKey] as? String
    }
    #expect((uuids[0] == uuids[1]) == inPlace)
  }

  @Test(
    "Objects of an entity that has become abstract are an error, by an inferred mapping and by the program's own",
    arguments: ways)
  func abstractEntities(_ kind: ManagerStore, _ inPlace: Bool) throws {
    func model(_ isAbstract: Bool) -> NSManagedObjectModel {
      Make.model(.init("Shape", isAbstract: isAbstract, [Make.attribute("name")]), .init("Ball", of: "Shape"))
    }
    try ManagerStack.fill(kind, model(false), folder.store("old")) { $0.make("Shape", ["name": "a"]) }
    func error(_ mapping: NSMappingModel) -> NSError? {
      let manager = NSMigrationManager(sourceModel: model(false), destinationModel: model(true))
      manager.usesStoreSpecificMigrationManager = inPlace
      return managerError {
        try manager.migrateStore(
          from: folder.store("old"), type: kind.type, mapping: mapping, to: folder.store("new"), type: kind.type)
      }
    }
    let inferred = error(
      try NSMappingModel.inferredMappingModel(forSourceModel: model(false), destinationModel: model(true)))
    let cause = inferred?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(inferred?.code == NSMigrationError && cause?.userInfo["entity"] as? String == "Shape")
    let own = error(ManagerMappings.model(ManagerMappings.map("Shape", "Shape", ["name": "$source.name"])))
    #expect(own?.code == NSEntityMigrationPolicyError)
    #expect(own?.localizedDescription.contains("objects of Shape, which is abstract") == true)
    #expect(try folder.names == ["old"])
  }

  @Test("A composite attribute without a value stays without one, whatever elements it gains", arguments: ways)
  func emptyComposites(_ kind: ManagerStore, _ inPlace: Bool) throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let corner = Make.composite("corner", [Make.attribute("x")] + (isNew ? [Make.attribute("y", default: "Y")] : []))
      let zip = Make.attribute("zip", isOptional: !isNew, default: isNew ? "0" : nil)
      let floor = isNew ? [Make.attribute("floor", .integer32AttributeType, default: 0)] : []
      return Make.model(
        .init(
          "Person", [Make.attribute("name"), Make.composite("home", [Make.attribute("city"), zip, corner] + floor)]))
    }
    let (old, new) = (model(false), model(true))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      context.make("Person", ["name": "a", "home": ["city": "Bonn"]])
      context.make("Person", ["name": "b", "home": ["corner": ["x": "X"]]])
      context.make("Person", ["name": "c"])
    }
    try migrate(kind, inPlace: inPlace, old, new) { context in
      let homes = try context.all("Person", by: "name").map { $0.value(forKey: "home") as? NSDictionary }
      #expect(homes[0] == ["city": "Bonn", "zip": "0", "floor": 0])
      #expect(homes[1] == ["zip": "0", "floor": 0, "corner": ["x": "X", "y": "Y"]])
      #expect(homes[2] == nil)
    }
  }

  @Test("An enumeration keeps the one element that has its value, whatever cases it gains", arguments: ways)
  func enumerations(_ kind: ManagerStore, _ inPlace: Bool) throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      func mood(_ name: String) -> NSCompositeAttributeDescription {
        let mood = Make.composite(name, [Make.attribute("plain")] + (isNew ? [Make.attribute("fancy")] : []))
        mood.userInfo = ["EnumType": true]
        return mood
      }
      let (first, second, place) = (mood("first"), mood("second"), Make.composite("place", [mood("inner")]))
      second.isOptional = !isNew
      let standard = [isNew ? "fancy" : "plain": isNew ? "fancy" : "plain"]
      for attribute in [first, second] { attribute.defaultValue = standard }
      place.defaultValue = ["inner": standard]
      return Make.model(.init("Note", [Make.attribute("name"), first, second, place]))
    }
    let (old, new) = (model(false), model(true))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      context.make("Note", ["name": "a"])
      context.make("Note", ["name": "b", "first": nil, "second": nil, "place": nil])
    }
    try migrate(kind, inPlace: inPlace, old, new) { context in
      let notes = try context.all("Note", by: "name")
      func values(_ key: String) -> [NSDictionary?] { notes.map { $0.value(forKey: key) as? NSDictionary } }
      #expect(values("first") == [["plain": "plain"], nil])
      // What has become mandatory has its default value where it had none.
      #expect(values("second") == [["plain": "plain"], ["fancy": "fancy"]])
      #expect(values("place") == [["inner": ["plain": "plain"]], nil])
    }
  }
}
