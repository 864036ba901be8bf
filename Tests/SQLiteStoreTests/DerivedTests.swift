import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("Derived attributes")
struct DerivedTests {
  private func derived(_ name: String, _ type: NSAttributeType, _ format: String)
    -> NSDerivedAttributeDescription
  {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.storedDerivationFormat = format
    return attribute
  }

  @Test("Counts, sums, copies and texts follow every save")
  func follow() throws {
    let folder = TemporaryFolder()
    let builder = ModelBuilder()
    builder.entity(
      "Shelf",
      [
        attribute("name", .stringAttributeType), derived("count", .integer64AttributeType, "books.@count"),
        derived("pages", .integer64AttributeType, "books.@sum.pages"),
        derived("plain", .stringAttributeType, "canonical:(name)"),
        derived("changed", .dateAttributeType, "now()"),
      ])
    builder.entity(
      "Book",
      [attribute("pages", .integer32AttributeType), derived("shelfName", .stringAttributeType, "shelf.name")])
    builder.relate(.many("Shelf", "books"), .one("Book", "shelf"))
    let model = builder.make()
    let url = folder.file("D.sqlite")
    let store = try openStore(model, at: url)
    let shelf = try store.insert("Shelf", [["name": .string("Ängste")]])[0]
    let books = try store.insert(
      "Book", [["pages": .int(10)], ["pages": .int(5)]], to: ["shelf": shelf.reference])
    func values() throws -> [String] {
      try query("SELECT ZCOUNT, ZPAGES, ZPLAIN, ZCHANGED > 0 FROM ZSHELF", at: url)
    }
    #expect(try values() == ["2|15|angste|1"])
    #expect(try query("SELECT DISTINCT ZSHELFNAME FROM ZBOOK", at: url) == ["Ängste"])
    var changes = ChangeSet()
    changes.deleted = [books[0]]
    guard case .saved(let rewritten) = try store.commit(changes) else { throw TestFailure("conflict") }
    #expect(try values() == ["1|5|angste|1"])
    #expect(rewritten.map(\.reference) == [shelf.reference])
    let layout = store.layout("Shelf")
    #expect(rewritten.first?.int(word: layout.property(named: "count")!.word) == 1)
    changes = ChangeSet()
    var changed = SlotMask()
    changed.insert(layout.property(named: "name")!.slot)
    changes.updated = [
      RowUpdate(
        row: row(layout, key: 1, version: 2, ["name": .string("B")]), base: rewritten[0], changed: changed)
    ]
    guard case .saved = try store.commit(changes) else { throw TestFailure("conflict") }
    #expect(try query("SELECT ZSHELFNAME FROM ZBOOK", at: url) == ["B"])
    #expect(try values() == ["1|5|b|1"])
  }

  @Test(
    "Triggers as Apple's framework writes them run, and what they change is in the objects after the save")
  func appleTriggers() throws {
    let folder = TemporaryFolder()
    let builder = ModelBuilder()
    builder.entity("Shelf", [derived("count", .integer64AttributeType, "books.@count")])
    builder.entity("Book", [attribute("title", .stringAttributeType)])
    builder.relate(.many("Shelf", "books"), .one("Book", "shelf"))
    let model = builder.make()
    let url = folder.file("D.sqlite")
    try openStore(model, at: url).willRemove(from: nil)
    for name in try query("SELECT name FROM sqlite_master WHERE type = 'trigger'", at: url) {
      _ = try query("DROP TRIGGER \(name)", at: url)
    }
    func note(_ function: String, _ condition: String) -> String {
      "SELECT \(function)('ZSHELF', Z_ENT, Z_PK, 'count', ZCOUNT) FROM ZSHELF WHERE \(condition);"
    }
    let updated = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    let prefix = "CREATE TRIGGER IF NOT EXISTS Z_DA_ZSHELF_Shelf_count_"
    func change(_ sign: String, _ row: String) -> String {
      "UPDATE ZSHELF SET ZCOUNT = ZCOUNT \(sign) 1 WHERE Z_PK = \(row).ZSHELF; "
        + note(updated, "Z_PK = \(row).ZSHELF")
    }
    for trigger in [
      "PARAMETER_INSERT AFTER INSERT ON ZBOOK FOR EACH ROW WHEN (NEW.ZSHELF NOT NULL) BEGIN \(change("+", "NEW")) END",
      "PARAMETER_UPDATE_INCREMENT AFTER UPDATE OF ZSHELF ON ZBOOK FOR EACH ROW WHEN (NEW.ZSHELF NOT NULL) "
        + "BEGIN \(change("+", "NEW")) END",
      "PARAMETER_UPDATE_DECREMENT AFTER UPDATE OF ZSHELF ON ZBOOK FOR EACH ROW WHEN (OLD.ZSHELF NOT NULL) "
        + "BEGIN \(change("-", "OLD")) END",
      "PARAMETER_DELETE AFTER DELETE ON ZBOOK FOR EACH ROW WHEN (OLD.ZSHELF NOT NULL) BEGIN \(change("-", "OLD")) END",
      "SOURCE_INSERT AFTER INSERT ON ZSHELF FOR EACH ROW BEGIN UPDATE ZSHELF SET ZCOUNT = "
        + "(SELECT IFNULL(COUNT(Z_PK), 0) FROM ZBOOK WHERE ZSHELF = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; "
        + note("NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", "Z_PK = NEW.Z_PK") + " END",
    ] {
      _ = try query(prefix + trigger, at: url)
    }
    let triggers = try query("SELECT sql FROM sqlite_master WHERE type = 'trigger'", at: url)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { () throws -> Void in
      func new(_ entity: String) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      }
      let (shelf, other) = (new("Shelf"), new("Shelf"))
      let books = (0..<3).map { _ in new("Book") }
      for book in books { book.setValue(shelf, forKey: "shelf") }
      func counts() throws -> [Int?] {
        try context.save()
        return [shelf, other].map { $0.value(forKey: "count") as? Int }
      }
      #expect(try counts() == [3, 0])
      books[0].setValue(other, forKey: "shelf")
      #expect(try counts() == [2, 1])
      books[1].setValue(nil, forKey: "shelf")
      context.delete(books[2])
      #expect(try counts() == [0, 1])
    }
    #expect(try query("SELECT sql FROM sqlite_master WHERE type = 'trigger'", at: url) == triggers)
  }

  /// A store of items whose triggers are these instead of its own; each is a text behind `CREATE TRIGGER`.
  private func makeItems(
    _ attributes: [NSPropertyDescription], at url: URL, triggers: [String]
  ) throws -> NSManagedObjectModel {
    let builder = ModelBuilder()
    builder.entity("Item", [attribute("name", .stringAttributeType)] + attributes)
    let model = builder.make()
    try openStore(model, at: url).willRemove(from: nil)
    for name in try query("SELECT name FROM sqlite_master WHERE type = 'trigger'", at: url) {
      _ = try query("DROP TRIGGER \(name)", at: url)
    }
    for trigger in triggers { _ = try query("CREATE TRIGGER IF NOT EXISTS \(trigger)", at: url) }
    return model
  }

  /// The trigger that derives an item's attribute when it is updated.
  private func updating(_ attribute: String, to value: String, note: String) -> String {
    let column = "Z\(attribute.uppercased())"
    return "Z_DA_ZITEM_Item_\(attribute)_UPDATE AFTER UPDATE OF Z_OPT ON ZITEM FOR EACH ROW BEGIN "
      + "UPDATE ZITEM SET \(column) = \(value) WHERE Z_PK = NEW.Z_PK; "
      + "SELECT \(note)('ZITEM', Z_ENT, Z_PK, '\(attribute)', \(column)) FROM ZITEM WHERE Z_PK = NEW.Z_PK; END"
  }

  /// The value of an item's attribute after an update of its name.
  private func updated(_ key: String, _ model: NSManagedObjectModel, at url: URL) throws -> Any? {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait { () throws -> Any? in
      let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
      try context.save()
      item.setValue("Ängste", forKey: "name")
      try context.save()
      let value = item.value(forKey: key)
      try coordinator.remove(store)
      return value
    }
  }

  @Test(
    "The triggers that Apple's framework writes for now() run",
    arguments: ["NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataTriggerUpdateAffectedObjectValue"])
  func appleNow(note: String) throws {
    let folder = TemporaryFolder()
    let url = folder.file("D.sqlite")
    let model = try makeItems(
      [derived("update", .dateAttributeType, "now()")], at: url,
      triggers: [updating("update", to: "NSCoreDataNow()", note: note)])
    let date = try #require(try updated("update", model, at: url) as? Date)
    #expect(abs(date.timeIntervalSinceNow) < 600)
  }

  @Test("A function that only another framework's trigger knows derives what the trigger's attribute is derived as")
  func unknownFunctions() throws {
    let folder = TemporaryFolder()
    for (format, expected) in [("canonical:(name)", "angste"), ("uppercase:(name)", "ÄNGSTE")] {
      let url = folder.file("\(format.prefix(5)).sqlite")
      let model = try makeItems(
        [derived("plain", .stringAttributeType, format), derived("plain_at", .dateAttributeType, "now()")], at: url,
        triggers: [
          updating("plain", to: "NSCoreDataOtherText(ZNAME)", note: "NSCoreDataOtherAffectedObjectValue"),
          updating("plain_at", to: "NSCoreDataOtherMoment()", note: "NSCoreDataOtherAffectedObjectValue"),
        ])
      #expect(try updated("plain", model, at: url) as? String == expected)
      #expect(try updated("plain_at", model, at: url) is Date)
    }
  }

  /// A connection of its own, after the triggers' functions were registered, and the calls that could not be.
  private func registered(_ model: NSManagedObjectModel, at url: URL) throws -> (Connection, calls: [String]) {
    let store = try openStore(model, at: url)
    var options = Connection.Options()
    options.configure = { try StoreFunctions.register(in: $0) }
    let connection = try Connection(path: url.path, options: options)
    return (connection, try TriggerFunctions.register(for: store.schema, in: connection))
  }

  @Test("A trigger is told by its name if nobody knows what its function does; the function stays unknown")
  func untoldFunctions() throws {
    let folder = TemporaryFolder()
    let url = folder.file("D.sqlite")
    let note = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    let model = try makeItems(
      [derived("copy", .stringAttributeType, "name"), derived("at", .dateAttributeType, "now()")], at: url,
      triggers: [
        updating("copy", to: "NSCoreDataOtherCopy(ZNAME)", note: note),
        updating("at", to: "NSCoreDataOtherMoment()", note: note),
      ])
    let (connection, calls) = try registered(model, at: url)
    #expect(calls == ["Z_DA_ZITEM_Item_copy_UPDATE calls NSCoreDataOtherCopy"])
    #expect(connection.hasFunction("nscoredataothermoment") && !connection.hasFunction("NSCoreDataOtherCopy"))
    #expect(throws: (any Error).self) { try updated("copy", model, at: url) }
  }

  @Test("A function that triggers call for different purposes stays unknown")
  func ambiguousFunctions() throws {
    let folder = TemporaryFolder()
    let url = folder.file("D.sqlite")
    let note = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    let model = try makeItems(
      [
        derived("plain", .stringAttributeType, "canonical:(name)"),
        derived("loud", .stringAttributeType, "uppercase:(name)"),
      ],
      at: url,
      triggers: [
        updating("plain", to: "NSCoreDataOtherText(ZNAME)", note: note),
        updating("loud", to: "NSCoreDataOtherText(ZNAME)", note: note),
      ])
    let (connection, calls) = try registered(model, at: url)
    #expect(
      calls.sorted() == [
        "Z_DA_ZITEM_Item_loud_UPDATE calls NSCoreDataOtherText",
        "Z_DA_ZITEM_Item_plain_UPDATE calls NSCoreDataOtherText",
      ])
    #expect(!connection.hasFunction("NSCoreDataOtherText"))
  }

  @Test("What is derived from a to-one relationship is there when its destination is new, whichever comes first")
  func newDestination() throws {
    let folder = TemporaryFolder()
    let builder = ModelBuilder()
    builder.entity("Author", [attribute("name", .stringAttributeType)])
    builder.entity("Book", [derived("by", .stringAttributeType, "author.name")])
    builder.relate(.one("Book", "author"), .many("Author", "books"))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: builder.make())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("D.sqlite"))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { () throws -> Void in
      func new(_ entity: String) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      }
      let old = new("Book")
      try context.save()
      let (book, author) = (new("Book"), new("Author"))
      author.setValue("Ann", forKey: "name")
      for book in [old, book] { book.setValue(author, forKey: "author") }
      try context.save()
      #expect([old, book].map { $0.value(forKey: "by") as? String } == ["Ann", "Ann"])
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "by == 'Ann'")
      #expect(try context.count(for: request) == 2)
    }
  }

  @Test("A save whose trigger reaches a row that can't be read has succeeded all the same")
  func unreadableRow() throws {
    let folder = TemporaryFolder()
    let url = folder.file("D.sqlite")
    let builder = ModelBuilder()
    builder.entity("Author", [attribute("name", .stringAttributeType)])
    builder.entity("Person", [])
    builder.entity("Editor", [], parent: "Person")
    builder.entity("Book", [derived("by", .stringAttributeType, "author.name")])
    builder.relate(.one("Book", "author"), to: "Author")
    builder.relate(.one("Book", "owner"), to: "Person")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: builder.make())
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { () throws -> Void in
      func new(_ entity: String) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      }
      let author = new("Author")
      new("Book").setValue(author, forKey: "author")
      try context.save()
      context.reset()
      let column = try #require(
        query("SELECT name FROM pragma_table_info('ZBOOK') WHERE name GLOB 'Z[0-9]*_OWNER'", at: url).first)
      _ = try query("UPDATE ZBOOK SET ZOWNER = 1, \(column) = 99", at: url)
      let same = context.object(with: author.objectID)
      same.setValue("Ann", forKey: "name")
      try context.save()
      #expect(!context.hasChanges)
      #expect(try query("SELECT ZBY FROM ZBOOK", at: url) == ["Ann"])
    }
  }

  @Test("A filter, two relationships, and a value that is derived itself are refused by name")
  func refusals() throws {
    let folder = TemporaryFolder()
    func refusal(_ own: [NSDerivedAttributeDescription], _ others: [NSDerivedAttributeDescription] = []) -> String {
      let builder = ModelBuilder()
      builder.entity("Shelf", [attribute("name", .stringAttributeType)] + own)
      builder.entity("Book", [attribute("pages", .integer32AttributeType)] + others)
      builder.entity("Article", [attribute("pages", .integer32AttributeType)])
      builder.relate(.many("Shelf", "books"), .one("Book", "shelf"))
      builder.relate(.many("Shelf", "articles"), .one("Article", "shelf"))
      do {
        _ = try openStore(builder.make(), at: folder.file("\(UUID()).sqlite"))
        return ""
      } catch {
        return ((error as? Failure)?.nsError ?? error as NSError).localizedDescription
      }
    }
    func derivedText(_ format: String) -> [NSDerivedAttributeDescription] {
      [derived("made", .stringAttributeType, format)]
    }
    let sum = derived("sum", .integer64AttributeType, "books.@sum.pages + articles.@sum.pages")
    #expect(refusal([sum]).contains("Shelf.sum over more than one relationship"))
    let count = derived("count", .integer64AttributeType, "books.@count")
    count.filteringPredicate = NSPredicate(format: "pages > 1")
    #expect(refusal([count]).contains("filtering predicate of the derived attribute Shelf.count"))
    let folded = derived("folded", .stringAttributeType, "canonical:(name)")
    #expect(refusal([folded], derivedText("shelf.folded")).contains("Book.made from another derived attribute"))
    #expect(refusal([folded] + derivedText("uppercase:(folded)")).contains("Shelf.made from another derived"))
    #expect(refusal([derived("both", .integer64AttributeType, "books.@sum.pages + books.@count")]) == "")
  }
}
