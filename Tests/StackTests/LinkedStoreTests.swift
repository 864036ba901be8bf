import Foundation
import Testing

@testable import CoreData

/// SQLite keeps its files beside the file that a link leads to.
@Suite("A SQLite store by a link", aboutFiles)
struct LinkedStoreTests {
  private let folder = StoreFolder()
  private let elsewhere = StoreFolder()
  private var file: URL { elsewhere.file("File.sqlite") }
  private var link: URL { folder.file("Link.sqlite") }

  private func makeLink() throws {
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
  }

  private static let notes: NSManagedObjectModel = {
    let data = attribute("data", .binaryDataAttributeType)
    data.allowsExternalBinaryDataStorage = true
    return model([entity("Note", [attribute("text"), data])])
  }()

  private func open(_ url: URL, readOnly: Bool = false) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.notes)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSReadOnlyPersistentStoreOption: readOnly as NSNumber])
    return coordinator
  }

  private func close(_ coordinator: NSPersistentStoreCoordinator) throws {
    try coordinator.persistentStores.forEach(coordinator.remove)
  }

  private func save(_ text: String, data: Data? = nil, _ coordinator: NSPersistentStoreCoordinator) throws {
    let context = coordinator.newContext()
    try context.performAndWait {
      let note = context.new("Note", ["text": text])
      note["data"] = data
      try context.save()
    }
  }

  private func texts(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
    let context = coordinator.newContext()
    return try context.performAndWait { try context.strings("Note", "text") }
  }

  private func metadata(_ url: URL) throws -> [String: Any] {
    try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
  }

  /// The file and its log as a program leaves them that is killed: without the log's index.
  private func copyWithLog(_ coordinator: NSPersistentStoreCoordinator, from url: URL) throws {
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: file.path + suffix)
    }
    withExtendedLifetime(coordinator) {}
  }

  @Test("Commits that are still in the log are found by the link: metadata, the model, and what a read-only store has")
  func log() throws {
    let url = elsewhere.file("Open.sqlite")
    let writer = try open(url)
    writer.persistentStores[0].metadata["mine"] = "yes"
    try save("a", writer)
    try copyWithLog(writer, from: url)
    try makeLink()
    #expect(try metadata(link)["mine"] as? String == "yes")
    #expect(try NSManagedObjectModel(storedIn: link).entitiesByName["Note"] != nil)
    let reader = try open(link, readOnly: true)
    #expect(try texts(reader) == ["a"])
    try close(reader)
    #expect(folder.names == ["Link.sqlite"])
    #expect(!elsewhere.names.contains("File.sqlite-shm"))
    let other = try open(link)
    #expect(try texts(other) == ["a"])
    try close(other)
  }

  @Test("A store that is made by a link, and its values in files, are found by the file; and the other way round")
  func values() throws {
    let long = Data(repeating: 7, count: 300_000)
    try makeLink()
    for (one, other) in [(link, file), (file, link)] {
      let writer = try open(one)
      try save("a", data: long, writer)
      try close(writer)
      let reader = try open(other)
      let context = reader.newContext()
      try context.performAndWait {
        let notes = try context.all("Note")
        #expect(notes.allSatisfy { $0["data"] as? Data == long } && notes.count == 1)
        notes.forEach(context.delete)
        try context.save()
      }
      try close(reader)
      #expect(folder.names == ["Link.sqlite"])
      #expect(elsewhere.names.filter { $0.contains("_EXTERNAL_DATA/") }.isEmpty)
    }
  }

  @Test("A folder of values that stands beside the link already, and none beside the file, is used as it is")
  func folderBesideLink() throws {
    let long = Data(repeating: 7, count: 300_000)
    let writer = try open(file)
    try save("a", data: long, writer)
    try close(writer)
    try makeLink()
    try FileManager.default.moveItem(at: elsewhere.file(".File_SUPPORT"), to: folder.file(".Link_SUPPORT"))
    let reader = try open(link)
    try save("b", data: long, reader)
    let context = reader.newContext()
    try context.performAndWait {
      let notes = try context.all("Note")
      #expect(notes.allSatisfy { $0["data"] as? Data == long } && notes.count == 2)
    }
    #expect(!elsewhere.names.contains(".File_SUPPORT"))
    try close(reader)
  }

  @Test(
    "Migrating to a link to an empty file puts a file in the link's place, and beside that its long values",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func migrating(_ type: String) throws {
    let long = Data(repeating: 7, count: 300_000)
    try Data().write(to: file)
    try makeLink()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.notes)
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: elsewhere.file("Source.sqlite"))
    try save("a", data: long, coordinator)
    _ = try coordinator.migratePersistentStore(store, to: link, options: nil, withType: NSSQLiteStoreType)
    try close(coordinator)
    #expect(try Data(contentsOf: file).isEmpty)
    #expect(!elsewhere.names.contains(".File_SUPPORT") && folder.names.contains(".Link_SUPPORT"))
    let reader = try open(link)
    let context = reader.newContext()
    try context.performAndWait {
      let note = try context.only("Note")
      #expect(note["text"] as? String == "a")
      #expect(note["data"] as? Data == long)
    }
    try close(reader)
  }

  @Test("Two stores whose long values would be in one folder share none of them, though a link leads to the folder")
  func sameFolder() throws {
    let long = Data(repeating: 7, count: 300_000)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.notes)
    let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: file)
    try save("a", data: long, coordinator)
    try FileManager.default.createSymbolicLink(at: folder.file("folder"), withDestinationURL: elsewhere.url)
    _ = try coordinator.migratePersistentStore(
      store, to: folder.file("folder/File.db"), options: nil, withType: NSSQLiteStoreType)
    try close(coordinator)
    #expect(elsewhere.names.filter { $0.hasPrefix(".File_SUPPORT/_EXTERNAL_DATA/") }.count == 2)
  }

  @Test("Destroying a store by a link, or replacing it, does the same as by its file")
  func operations() throws {
    let long = Data(repeating: 7, count: 300_000)
    let source = elsewhere.file("Source.sqlite")
    for (url, text) in [(file, "a"), (source, "b")] {
      let writer = try open(url)
      try save(text, data: long, writer)
      try close(writer)
    }
    try makeLink()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.notes)
    for force in [false, true] {
      try coordinator.replacePersistentStore(
        at: link, destinationOptions: [NSPersistentStoreForceDestroyOption: force as NSNumber],
        withPersistentStoreFrom: source, sourceOptions: nil, ofType: NSSQLiteStoreType)
      let reader = try open(file)
      let context = reader.newContext()
      try context.performAndWait {
        let note = try context.only("Note")
        #expect(note["text"] as? String == "b")
        #expect(note["data"] as? Data == long)
      }
      try close(reader)
      #expect(folder.names == ["Link.sqlite"])
    }
    try coordinator.destroyPersistentStore(at: link, ofType: NSSQLiteStoreType, options: nil)
    #expect(!elsewhere.names.contains { $0.hasPrefix(".File_SUPPORT") })
    let reader = try open(file)
    #expect(try texts(reader) == [])
    try close(reader)
  }
}
