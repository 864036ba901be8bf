import CoreData
import Foundation
import StoreFileReader
import TestFiles
import Testing

@testable import InsideTheFileChapter

@Suite("Chapter 13: inside the file", .serialized)
@MainActor
struct InsideTheFileTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = TemporaryFolder()
    url = folder.url.appendingPathComponent("Museum.sqlite")
  }

  private func fill() throws {
    let stack = try FileStack(at: url, model: FileModel.museum.load())
    try Museum(context: stack.context).fill()
    try stack.close()
  }

  private func weblogShape() throws -> StoreShape {
    try FileStack(at: url, model: FileModel.weblog.load()).close()
    return try StoreShape(of: StoreFileReader(contentsOf: url))
  }

  @Test(
    "The short SHA-256 gives the digests that its standard lists",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func digest(message: String, expected: String) {
    #expect(SHA256.digest(Array(message.utf8)).hex == expected)
  }

  //> wiped
  @Test("`secure_delete` decides whether a deleted row's text stays", arguments: ["on", "off"])
  func wiped(secureDelete: String) throws {
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: try FileModel.museum.load())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSSQLitePragmasOption: ["secure_delete": secureDelete]])
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let artist = NSEntityDescription.insertNewObject(forEntityName: "Artist", into: context)
    artist.setValue("The Fence", forKey: "name")
    try context.save()
    context.delete(artist)
    try context.save()
    context.reset()
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    let place = try Data(contentsOf: url).range(of: Data("The Fence".utf8))
    #expect((place == nil) == (secureDelete == "on"))
  }
  //< wiped

  @Test("A hash worked out by hand is the module's", arguments: [FileModel.museum, .weblog])
  func byHand(model: FileModel) throws {
    for entity in try model.load().entities {
      var hand = HashByHand()
      #expect(Data(hand.hash(of: entity)) == entity.versionHash, "\(entity.name ?? "")")
    }
  }

  @Test("So it is with modifiers, limits and what history keeps")
  func byHandWithMore() throws {
    let model = try FileModel.museum.load()
    let exhibit = try #require(model.entitiesByName["Exhibit"])
    let before = model.entityVersionHashesByName
    exhibit.versionHashModifier = "2"
    exhibit.attributesByName["title"]?.preservesValueInHistoryOnDeletion = true
    exhibit.attributesByName["page"]?.isTransient = true
    exhibit.relationshipsByName["artists"]?.minCount = 1
    exhibit.relationshipsByName["artists"]?.maxCount = 3
    model.entitiesByName["Room"]?.attributesByName["name"]?.versionHashModifier = "short"
    for entity in model.entities {
      var hand = HashByHand()
      #expect(Data(hand.hash(of: entity)) == entity.versionHash, "\(entity.name ?? "")")
    }
    let changed = model.entityVersionHashesByName.filter { before[$0.key] != $0.value }
    #expect(changed.keys.sorted() == ["Exhibit", "Painting", "Room", "Sculpture"])
  }

  @Test("Beside the store of Apple's, two entries of the metadata differ and nothing else")
  func comparison() throws {
    let comparison = ShapeComparison(theirs: try AppleStore.shape(), ours: try weblogShape())
    #expect(comparison.tables.count == 10)
    #expect(comparison.indexes.count == 5)
    #expect(comparison.versionHashes.count == 5)
    let other = comparison.tables + comparison.indexes + [comparison.order] + comparison.primaryKeys
    for line in other + comparison.versionHashes + comparison.header {
      #expect(line.isSame, "\(line.name): \(line.verdict)")
    }
    #expect(
      comparison.metadata.filter { !$0.isSame }.map(\.name)
        == ["NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion"])
  }

  @Test("The comparison sees a column that is missing, one of another type, and another order")
  func comparisonSees() throws {
    let theirs = try AppleStore.shape()
    func verdict(_ change: (String) -> String) -> String? {
      var ours = theirs
      ours.schema = ours.schema.map(change)
      return ShapeComparison(theirs: theirs, ours: ours).tables.first { $0.name == "ZSYNCINFO" }?.verdict
    }
    #expect(verdict { $0 } == "same")
    #expect(
      verdict { $0.replacingOccurrences(of: ", ZSYNCTOKEN VARCHAR", with: "") } == "theirs only: ZSYNCTOKEN VARCHAR")
    #expect(
      verdict { $0.replacingOccurrences(of: "ZSYNCTOKEN VARCHAR", with: "ZSYNCTOKEN BLOB") }
        == "theirs only: ZSYNCTOKEN VARCHAR; ours only: ZSYNCTOKEN BLOB")
    #expect(
      verdict {
        $0.replacingOccurrences(
          of: "ZDBVERSION INTEGER, ZSYNCTOKEN VARCHAR", with: "ZSYNCTOKEN VARCHAR, ZDBVERSION INTEGER")
      } == "in another order")
    #expect(throws: FileFailure.self) { try AppleStore.shape(in: "[colours]\nred 1") }
  }

  @Test("What is noted down of Apple's store is what the file says")
  func notedFacts() throws {
    guard let corpus = ProcessInfo.processInfo.environment["COREDATA_CORPUS"] else {
      print("InsideTheFileTests: skipped the file behind apple-store.txt, COREDATA_CORPUS is not set")
      return
    }
    let place = "stores/contentful__contentful-persistence.swift/Tests/ContentfulPersistenceTests"
    let file = URL(fileURLWithPath: corpus)
      .appendingPathComponent(place).appendingPathComponent("BundledPreseededDatabaseTests/Test.sqlite")
    let real = try StoreShape(of: StoreFileReader(contentsOf: file))
    let noted = try AppleStore.shape()
    #expect(noted.schema == real.schema)
    #expect(noted.primaryKeys == real.primaryKeys)
    #expect(noted.versionHashes == real.versionHashes)
    #expect(noted.metadata == real.metadata)
    #expect(noted.header == real.header)
  }

  @Test("An exhibit between two others gets a number from the gap, and the others keep theirs")
  func between() throws {
    try fill()
    let stack = try FileStack(at: url, model: FileModel.museum.load())
    try Museum(context: stack.context).insertPainting(between: 101, and: 102)
    try stack.close()
    let rows = try StoreFileReader(contentsOf: url)
      .rows("SELECT ZNUMBER, Z_FOK_ROOM, Z_OPT FROM ZEXHIBIT WHERE ZROOM = 1 ORDER BY Z_FOK_ROOM")
    #expect(
      rows == [
        [.integer(101), .integer(2048), .integer(1)], [.integer(104), .integer(2560), .integer(1)],
        [.integer(102), .integer(3072), .integer(1)],
      ])
  }

  //> every-kind
  @Test("A fetch of exhibits finds each as what it is, unless subentities are left out")
  func everyKind() throws {
    try fill()
    let stack = try FileStack(at: url, model: FileModel.museum.load())
    #expect(
      try Museum(context: stack.context).catalogue() == [
        "Harbour at Dawn: 120.5 by 80.0", "Orchard: 60.0 by 45.25", "Heron: bronze, 310.75",
      ])
    let request = NSFetchRequest<Exhibit>(entityName: "Exhibit")
    request.includesSubentities = false
    #expect(try stack.context.count(for: request) == 0)
    request.includesSubentities = true
    request.predicate = NSPredicate(format: "weight > 300")
    #expect(throws: NSError.self) { try stack.context.fetch(request) }
    try stack.close()
  }
  //< every-kind

  @Test("One bit of a hash closes the file, and the same bit opens it again")
  func damage() throws {
    try fill()
    let model = try FileModel.museum.load()
    let hash = try #require(model.entityVersionHashesByName["Room"])
    let damaged = try HashDamage.flip(hash, inFileAt: url)
    let error = try #require(throws: NSError.self) { try FileStack(at: url, model: model) }
    #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(error.code == 134100)
    let metadata = try #require(error.userInfo["metadata"] as? [String: Any])
    let stored = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
    #expect(stored["Room"] == damaged)
    #expect(try HashDamage.flip(damaged, inFileAt: url) == hash)
    try FileStack(at: url, model: model).close()
    #expect(throws: FileFailure.self) { try HashDamage.flip(damaged, inFileAt: url) }
  }

  @Test("The bytes of a row say what SQLite says of it, for every type; a row that isn't there is an error")
  func rowBytes() throws {
    try fill()
    let room = try RowBytes(of: "ZROOM", key: 2, inFileAt: url)
    #expect(
      room.parts.flatMap(\.bytes)
        == [16, 2, 7, 0, 1, 1, 1, 1, 23, 5, 2, 3, 4] + Array("Court".utf8))
    let reader = try StoreFileReader(contentsOf: url)
    for table in ["ZARTIST", "ZROOM", "ZEXHIBIT"] {
      let columns = try reader.rows("SELECT name FROM pragma_table_info('\(table)')").map(\.[0].description)
      for row in try reader.rows("SELECT * FROM \(table)") {
        let key = try #require(row[0].integer)
        let meanings = try RowBytes(of: table, key: Int(key), inFileAt: url).parts.map(\.meaning)
        for (column, value) in zip(columns, row).dropFirst() {
          let expected =
            switch value {
            case .null: "\(column): NULL"
            case .blob(let data): "\(column) = \(data.count) bytes"
            case .integer(0), .integer(1): "\(column): the integer \(value), which needs no byte"
            // A whole number in a column of reals is kept as an integer.
            case .real(let real) where real == real.rounded(): "\(column) = \(Int(real))"
            default: "\(column) = \(value)"
            }
          #expect(meanings.contains(expected), "\(expected)")
        }
      }
    }
    #expect(throws: FileFailure.self) { try RowBytes(of: "ZROOM", key: 99, inFileAt: url) }
  }

  @Test("The program finds no hash that is not the module's or not Apple's")
  func program() throws {
    let outcome = try ProgramRunner.run("InsideTheFile", ["--fresh", "--apple"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(!outcome.output.contains("NOT"))
    #expect(outcome.output.components(separatedBy: "as Apple's").count == 6)
  }
}
