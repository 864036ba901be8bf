import Foundation
import Inspection
import TestFiles
import Testing

@testable import CoreData

/// What programs other than Core Data, or its older versions, leave in files.
@Suite("Rows and names that another program wrote")
struct ForeignRowTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("Foreign.sqlite") }

  private func model(_ root: String = "Item", renaming: String? = nil) -> NSManagedObjectModel {
    let model = ModelBuilder()
    let entity = model.entity(root, [attribute("name", .stringAttributeType)])
    entity.renamingIdentifier = renaming
    model.entity("Special", [attribute("extra", .stringAttributeType)], parent: root)
    model.entity("Tag", [attribute("word", .stringAttributeType)])
    model.relate(.many(root, "tags"), .many("Tag", "items"))
    return model.make()
  }

  private func update(_ store: SQLiteStore, _ row: RowSnapshot, name: String) throws -> SaveOutcome {
    let layout = store.layouts[row.entity]
    var changed = SlotMask()
    changed.insert(layout.property(named: "name")!.slot)
    var changes = ChangeSet()
    changes.updated = [
      RowUpdate(
        row: SQLiteStoreTests.row(layout, key: row.key, version: row.version + 1, ["name": .string(name)]),
        base: row,
        changed: changed)
    ]
    return try store.commit(changes)
  }

  @Test("A row without a version is read, changed and deleted; its first version is 1")
  func unversioned() throws {
    let model = model()
    let store = try openStore(model, at: url)
    try store.insert("Item", [["name": .string("a")], ["name": .string("b")]])
    _ = try query("UPDATE ZITEM SET Z_OPT = NULL", at: url)
    store.rowCache.invalidate([RowReference(entity: 0, key: 1), RowReference(entity: 0, key: 2)])
    let rows = try store.all("Item")
    #expect(rows.map(\.version) == [0, 0])
    guard case .saved = try update(store, rows[0], name: "c") else { throw TestFailure("conflict") }
    #expect(try query("SELECT Z_OPT, ZNAME FROM ZITEM ORDER BY Z_PK", at: url) == ["1|c", "NULL|b"])
    // What was read without a version conflicts with what has one now.
    guard case .versionConflicts = try update(store, rows[0], name: "d") else {
      throw TestFailure("no conflict")
    }
    var changes = ChangeSet()
    changes.deleted = [rows[1]]
    guard case .saved = try store.commit(changes) else { throw TestFailure("conflict") }
    #expect(try query("SELECT COUNT(*) FROM ZITEM", at: url) == ["1"])
  }

  @Test("Rows of unknown entities stay out of a hierarchy's fetches, and stay in the file")
  func strangers() throws {
    let model = model()
    let first = try openStore(model, at: url)
    let items = try first.insert(
      "Item", [["name": .string("a")], ["name": .string("b")], ["name": .string("c")]])
    try first.insert("Special", [["name": .string("s")]])
    let tag = try first.insert("Tag", [["word": .string("t")]])[0]
    first.willRemove(from: nil)
    _ = try query("UPDATE ZITEM SET Z_ENT = 77 WHERE Z_PK = 2", at: url)
    _ = try query("UPDATE ZITEM SET Z_ENT = NULL WHERE Z_PK = 3", at: url)
    _ = try query("INSERT INTO Z_1TAGS VALUES (1, 1), (2, 1)", at: url)
    let store = try openStore(model, at: url)
    #expect(try store.all("Item").map(\.key) == [1, 4])
    var fetch = FetchDescription(layout: store.layout("Item"))
    fetch.output = .count
    guard case .count(let count) = try store.rows(for: fetch) else {
      throw TestFailure("no count")
    }
    #expect(count == 2)
    #expect(
      try store.members(of: store.layout("Tag").property(named: "items")!, owner: tag.reference) == [
        items[0].reference
      ])
    guard case .saved = try update(store, store.all("Item")[0], name: "x") else {
      throw TestFailure("conflict")
    }
    #expect(try query("SELECT COUNT(*) FROM ZITEM", at: url) == ["4"])
    // All rows of a table that one entity has alone are read, whichever entity they name.
    _ = try query("UPDATE ZTAG SET Z_ENT = 77", at: url)
    #expect(try store.all("Tag").count == 1)
  }

  @Test("A join table without a primary key, as the oldest files have, gets each pair once")
  func oldJoin() throws {
    let model = model()
    let first = try openStore(model, at: url)
    let item = try first.insert("Item", [["name": .string("a")]])[0]
    let tag = try first.insert("Tag", [["word": .string("t")]])[0]
    first.willRemove(from: nil)
    _ = try query("DROP TABLE Z_1TAGS", at: url)
    _ = try query("CREATE TABLE Z_1TAGS ( Z_1ITEMS, Z_3TAGS )", at: url)
    let store = try openStore(model, at: url)
    for _ in 0..<2 {
      var changes = ChangeSet()
      changes.links = [
        LinkChange(
          owner: item.reference, relationship: store.layout("Item").property(named: "tags")!,
          added: [tag.reference],
          removed: [], order: nil)
      ]
      guard case .saved = try store.commit(changes) else { throw TestFailure("conflict") }
    }
    #expect(try query("SELECT * FROM Z_1TAGS", at: url) == ["1|1"])
  }

  @Test(
    "An entity whose row keeps an older name, as after a migration in place, is found",
    arguments: [true, false])
  func staleName(_ hasOldTable: Bool) throws {
    let model = model("Item", renaming: "Thing")
    let first = try openStore(model, at: url)
    try first.insert("Special", [["name": .string("a")]])
    first.willRemove(from: nil)
    _ = try query("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Thing' WHERE Z_ENT = 1", at: url)
    if hasOldTable { _ = try query("ALTER TABLE ZITEM RENAME TO ZTHING", at: url) }
    let store = try openStore(model, at: url)
    #expect(try store.all("Item").count == 1)
    try store.insert("Item", [["name": .string("b")]])
    #expect(try StoreCheck(url, model).problems == [])
    #expect(try query("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1", at: url) == ["Thing|2"])
    store.willRemove(from: nil)
    _ = try query("DELETE FROM Z_MODELCACHE", at: url)
    let inferred = try NSManagedObjectModel(storedIn: url)
    #expect(inferred.entitiesByName.keys.sorted() == ["Item", "Special", "Tag"])
    #expect(try openStore(inferred, at: url).all("Item").count == 2)
  }
}
