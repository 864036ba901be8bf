import CoreData
import Foundation
import Inspection
import TestFiles
import Testing

@Suite("Looking for what is wrong with a store")
struct StoreCheckTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("Shelves.sqlite") }
  private var files: URL { folder.file(".Shelves_SUPPORT/_EXTERNAL_DATA") }

  /// A shelf with a book that it likes best, one with an audio book, a tag of both; a cover in a file of its own.
  private func model() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType) = (name, type)
      return attribute
    }
    func relationship(_ name: String, _ destination: NSEntityDescription, _ count: Int) -> NSRelationshipDescription {
      let relationship = NSRelationshipDescription()
      (relationship.name, relationship.destinationEntity, relationship.maxCount) = (name, destination, count)
      return relationship
    }
    let (shelf, book, audio, tag) = (
      NSEntityDescription(), NSEntityDescription(), NSEntityDescription(), NSEntityDescription()
    )
    (shelf.name, book.name, audio.name, tag.name) = ("Shelf", "Book", "AudioBook", "Tag")
    let cover = attribute("cover", .binaryDataAttributeType)
    cover.allowsExternalBinaryDataStorage = true
    let (favourite, likers) = (relationship("favourite", book, 1), relationship("likers", shelf, 0))
    (favourite.inverseRelationship, likers.inverseRelationship) = (likers, favourite)
    let (tags, books) = (relationship("tags", tag, 0), relationship("books", book, 0))
    (tags.inverseRelationship, books.inverseRelationship) = (books, tags)
    shelf.properties = [attribute("name", .stringAttributeType), favourite]
    book.properties = [attribute("title", .stringAttributeType), cover, likers, tags]
    book.subentities = [audio]
    tag.properties = [attribute("name", .stringAttributeType), books]
    let model = NSManagedObjectModel()
    model.entities = [shelf, book, audio, tag]
    return model
  }

  private func make() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
    let store = try coordinator.addPersistentStore(
      type: .sqlite, at: url, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      func insert(_ entity: String, _ values: [String: Any]) throws -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        try context.save()
        return object
      }
      let book = try insert("Book", ["title": "Notes", "cover": Data(repeating: 7, count: 200_000)])
      let audio = try insert("AudioBook", ["title": "Heard"])
      _ = try insert("Shelf", ["name": "Wall", "favourite": book])
      _ = try insert("Shelf", ["name": "Ear", "favourite": audio])
      _ = try insert("Tag", ["name": "old", "books": Set([book, audio])])
    }
    try coordinator.remove(store)
  }

  private func check() throws -> StoreCheck { try StoreCheck(open(url)) }

  @Test("Of a store that is as it should be, nothing is said, and nothing in its folder changes")
  func sound() throws {
    try make()
    let before = try snapshot(of: folder.url)
    let check = try check()
    #expect(check.problems == [] && check.unreferencedFiles == [])
    #expect(check.text == "Nothing is wrong: 4 entities looked over.\n")
    #expect(try snapshot(of: folder.url) == before)
    #expect(try StoreCheck(url, model()).problems == [])
  }

  @Test(
    "What is damaged is named, with its table, column and row",
    arguments: [
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Book'", "ZBOOK: Z_MAX 1 is below Z_PK 2"),
      ("UPDATE ZTAG SET Z_OPT = 0", "ZTAG: 1 row with a version below 1"),
      ("UPDATE ZTAG SET Z_ENT = 99", "ZTAG: 1 row of entities that are not in it"),
      (
        "UPDATE ZSHELF SET ZFAVOURITE = 9 WHERE Z_PK = 1",
        "ZSHELF: ZFAVOURITE of row 1 is 9, which no row of ZBOOK is"
      ),
      ("DELETE FROM ZTAG", "Z_1TAGS: 2 rows with a Z_4TAGS that is in no row of ZTAG"),
    ])
  func damaged(_ sql: String, _ problem: String) throws {
    try make()
    try run(sql, in: url)
    #expect(try check().problems == [problem])
  }

  @Test("A to-one relationship to a row of another entity than the column beside it says is named")
  func wrongEntity() throws {
    try make()
    try run("UPDATE ZSHELF SET Z1_FAVOURITE = 2 WHERE Z_PK = 1", in: url)
    #expect(try check().problems == ["ZSHELF: Z1_FAVOURITE of row 1 is 2, but the row referred to has 1"])
  }

  @Test("Files of long values: one that is missing, one that nobody refers to, and a name that is none")
  func externalFiles() throws {
    try make()
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).first)
    try Data([1]).write(to: files.appendingPathComponent("left"))
    #expect(try check().unreferencedFiles == ["left"])
    #expect(try check().text == "1 file of long values that no row refers to: left\n")
    try FileManager.default.removeItem(at: files.appendingPathComponent(name))
    #expect(try check().problems == ["the file \(name) is not in \(files.path)"])
    try run(
      "UPDATE ZBOOK SET ZCOVER = CAST(x'02' || substr('../../../../../../../../../../etc/passwd', -36) || x'00' AS BLOB) "
        + "WHERE Z_PK = 1", in: url)
    #expect(
      try check().problems == ["ZBOOK: ZCOVER has \"./../../../../../../../../etc/passwd\" for the name of a file"])
  }

  @Test("What SQLite finds is among it")
  func integrity() throws {
    try make()
    try run(
      "UPDATE ZTAG SET ZNAME = NULL; PRAGMA writable_schema = ON; UPDATE sqlite_master "
        + "SET sql = replace(sql, 'ZNAME VARCHAR', 'ZNAME VARCHAR NOT NULL') WHERE name = 'ZTAG'", in: url)
    #expect(try check().problems == ["integrity_check: NULL value in ZTAG.ZNAME"])
  }

  @Test("Only SQLite stores are looked over")
  func otherKinds() throws {
    let xml = folder.file("Shelves.xml")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
    try coordinator.remove(try coordinator.addPersistentStore(type: .xml, at: xml))
    #expect(
      failure { _ = try StoreCheck(open(xml)) }?.sentence
        == "\(xml.path) is no SQLite store: only those can be checked row by row.")
  }
}
