import CoreData
import Foundation
import TestFiles
import Testing

@Suite("Migration in place: history")
struct InPlaceHistoryTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("store.sqlite") }
  private let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]

  private func model(_ isNew: Bool) -> NSManagedObjectModel {
    func preserved(_ attribute: NSAttributeDescription) -> NSAttributeDescription {
      attribute.preservesValueInHistoryOnDeletion = true
      return attribute
    }
    let note = InPlace.entity(
      isNew ? "Memo" : "Note",
      [
        preserved(InPlace.attribute(isNew ? "zTitle" : "title", was: isNew ? "title" : nil)),
        preserved(InPlace.attribute("code")), InPlace.attribute("body"),
      ] + (isNew ? [InPlace.attribute("alpha"), preserved(InPlace.attribute("bonus"))] : []),
      was: isNew ? "Note" : nil)
    let other = InPlace.entity(isNew ? "Aardvark" : "Gone", [InPlace.attribute("name")])
    return InPlace.model(note, other)
  }

  @Test("History names the same objects, the same changed properties and the same preserved values as before")
  func history() throws {
    let before = try InPlace.open(url, model(false), tracking) { context in
      let note = InPlace.new(context, "Note", ["title": "t", "code": "c", "body": "b"])
      let other = InPlace.new(context, "Note", ["title": "t2", "code": "c2"])
      InPlace.new(context, "Gone", ["name": "g"])
      try context.save()
      note.setValue("new", forKey: "title")
      try context.save()
      note.setValue("new", forKey: "body")
      try context.save()
      context.delete(other)
      try context.save()
      return try changes(context)
    }
    #expect(before.count == 6)
    let after = try InPlace.migrate(url, to: model(true), tracking) { context in
      let changes = try changes(context)
      let note = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Memo")).first)
      note.setValue("later", forKey: "alpha")
      try context.save()
      return changes
    }
    // History no longer lists changes of an entity that was removed.
    let expected = before.filter { !$0.hasPrefix("Gone") }
      .map { $0.replacingOccurrences(of: "title", with: "zTitle").replacingOccurrences(of: "Note", with: "Memo") }
    #expect(after == expected)
    let last = try InPlace.open(url, model(true), tracking) { try changes($0).last }
    #expect(last == "Memo p1 1 alpha ")
  }

  @Test("A composite attribute that gains an element before its others stays among the changed properties")
  func composite() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let elements = (isNew ? [InPlace.attribute("alpha")] : []) + [InPlace.attribute("city")]
      return InPlace.model(
        InPlace.entity("Person", [InPlace.attribute("name"), InferenceModels.composite("home", elements)]))
    }
    let before = try InPlace.open(url, model(false), tracking) { context in
      let person = InPlace.new(context, "Person", ["name": "a"])
      try context.save()
      person.setValue(["city": "Bonn"], forKey: "home")
      try context.save()
      return try changes(context)
    }
    #expect(before.last?.contains("home") == true)
    #expect(try InPlace.migrate(url, to: model(true), tracking) { try changes($0) } == before)
  }

  /// Makes a table as Apple's framework has for stores that it synchronizes, with a line for each object.
  private func mirror(_ tables: String...) throws {
    try InPlace.run(
      url,
      "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITYID INTEGER, "
        + "ZENTITYPK INTEGER, ZCKRECORDNAME VARCHAR, CONSTRAINT ZENTITYID UNIQUE (ZENTITYID, ZENTITYPK))")
    for table in tables {
      try InPlace.run(
        url,
        "INSERT INTO ANSCKRECORDMETADATA (ZENTITYID, ZENTITYPK, ZCKRECORDNAME) SELECT Z_ENT, Z_PK, ZNAME FROM \(table)"
      )
    }
  }

  /// The names of the objects that the lines lead to; that of the line itself is in front.
  private func mirrored(_ tables: String...) throws -> [String] {
    let objects = tables.map { "SELECT Z_ENT, Z_PK, ZNAME FROM \($0)" }.joined(separator: " UNION ALL ")
    return try InPlace.rows(
      url,
      "SELECT m.ZCKRECORDNAME, o.ZNAME FROM ANSCKRECORDMETADATA m LEFT JOIN (\(objects)) o "
        + "ON o.Z_ENT = m.ZENTITYID AND o.Z_PK = m.ZENTITYPK ORDER BY 1"
    ).map { $0.map { $0 ?? "" }.joined(separator: " ") }
  }

  @Test(
    "What CloudKit's mirroring has noted about objects leads to the same objects; of removed entities nothing stays")
  func mirroring() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let kept = ["Note", "Tag"].map { InPlace.entity($0, [InPlace.attribute("name")]) }
      func other(_ name: String) -> NSEntityDescription { InPlace.entity(name, [InPlace.attribute("number")]) }
      return isNew
        ? InPlace.model(other("Alpha"), other("Beta"), kept[0], kept[1])
        : InPlace.model(InPlace.entity("Gone", [InPlace.attribute("name")]), kept[0], kept[1])
    }
    try InPlace.open(url, model(false)) { context in
      for number in 1...3 {
        for entity in ["Gone", "Note", "Tag"] { InPlace.new(context, entity, ["name": "\(entity)\(number)"]) }
      }
      try context.save()
    }
    try mirror("ZGONE", "ZNOTE", "ZTAG")
    // A line of no entity, in the way of one that gets its number.
    try InPlace.run(
      url, "INSERT INTO ANSCKRECORDMETADATA (ZENTITYID, ZENTITYPK, ZCKRECORDNAME) VALUES (4, 1, 'stray')")
    try InPlace.migrate(url, to: model(true)) { _ in }
    let names = ["Note1", "Note2", "Note3", "Tag1", "Tag2", "Tag3"]
    #expect(try mirrored("ZNOTE", "ZTAG") == names.map { "\($0) \($0)" })
  }

  @Test("It does so where the rows of two tables move into one, and get other keys")
  func mirroringMoved() throws {
    func model(_ isNew: Bool) -> NSManagedObjectModel {
      let tag = InPlace.entity("Tag", isNew ? [] : [InPlace.attribute("name")])
      let note = InPlace.entity("Note", [InPlace.attribute("name")], subentities: isNew ? [tag] : [])
      let other = InPlace.entity("Alpha", [InPlace.attribute("number")])
      return isNew ? InPlace.model(other, note) : InPlace.model(note, tag)
    }
    try InPlace.open(url, model(false)) { context in
      for number in 1...2 {
        for entity in ["Note", "Tag"] { InPlace.new(context, entity, ["name": "\(entity)\(number)"]) }
      }
      try context.save()
    }
    try mirror("ZNOTE", "ZTAG")
    try InPlace.migrate(url, to: model(true)) { _ in }
    let names = ["Note1", "Note2", "Tag1", "Tag2"]
    #expect(try mirrored("ZNOTE") == names.map { "\($0) \($0)" })
    #expect(try InPlace.rows(url, "SELECT DISTINCT ZENTITYPK FROM ANSCKRECORDMETADATA").count == 4)
  }

  /// Entity, key, kind, what was updated, what is preserved.
  private func changes(_ context: NSManagedObjectContext) throws -> [String] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
    let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
    let transactions = try #require(result.result as? [NSPersistentHistoryTransaction])
    return transactions.flatMap { $0.changes ?? [] }.map { change in
      let updated = (change.updatedProperties ?? []).map(\.name).sorted().joined(separator: ",")
      let kept = (change.tombstone ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
      let key = change.changedObjectID.uriRepresentation().lastPathComponent
      return "\(change.changedObjectID.entity.name ?? "") \(key) \(change.changeType.rawValue) \(updated) \(kept)"
    }
  }
}
