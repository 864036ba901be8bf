import Foundation
import TestFiles
import Testing

@testable import CoreData

/// Links, pipes and folders where a store's files are expected.
@Suite("Hostile paths")
struct HostilePathTests {
  private let folder = TemporaryFolder()
  private let outside = TemporaryFolder()

  private static let books: NSManagedObjectModel = {
    let model = ModelBuilder()
    model.entity("Book", [attribute("title", .stringAttributeType)])
    return model.make()
  }()

  private func insertBook(_ type: String, at url: URL, options: [AnyHashable: Any]? = nil) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.books)
    let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      try context.save()
    }
    try coordinator.remove(store)
  }

  /// Writes a file outside of the store's folder, which must not change.
  private func secret() throws -> URL {
    let url = outside.file("secret")
    try Data("secret".utf8).write(to: url)
    return url
  }

  private func link(_ name: String, to url: URL) throws {
    try FileManager.default.createSymbolicLink(at: folder.file(name), withDestinationURL: url)
  }

  @Test(
    "A link beside a SQLite file, in the place of its log or journal, is not written through",
    arguments: ["-wal", "-shm", "-journal"])
  func companion(_ suffix: String) throws {
    let url = folder.file("S.sqlite")
    try insertBook(NSSQLiteStoreType, at: url)
    let secret = try secret()
    unlink(url.path + suffix)
    try link("S.sqlite" + suffix, to: secret)
    _ = try? insertBook(NSSQLiteStoreType, at: url)
    _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
  }

  @Test(
    "A store's file that no memory can hold is an error that names it", arguments: [NSXMLStoreType, NSBinaryStoreType])
  func hugeFile(type: String) throws {
    let url = folder.file("S")
    try Data((type == NSXMLStoreType ? "<?xml version=\"1.0\"?>\n<database>" : "CoreData\0").utf8).write(to: url)
    // Nearly all of it is a hole.
    try FileHandle(forWritingTo: url).truncate(atOffset: 1 << 42)
    let failures = [
      #expect(throws: (any Error).self) { try insertBook(type, at: url) },
      #expect(throws: (any Error).self) {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
      },
    ]
    for failure in failures { #expect(failure?.localizedDescription.contains(url.path) == true) }
  }

  /// A journal that says that a transaction was not complete, and which file goes when it is played back.
  private func writeJournal(of url: URL, naming file: URL) throws {
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    let name = Array(file.path.utf8)
    let pages = try Data(contentsOf: url).count / 4096
    var bytes = magic + number(0) + number(1) + number(pages) + number(512) + number(4096)
    bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
    let sum = name.reduce(0) { $0 + Int($1) }
    bytes += number(0x4000_0000 / 4096 + 1) + name + number(name.count) + number(sum) + magic
    try Data(bytes).write(to: URL(fileURLWithPath: url.path + "-journal"))
  }

  @Test("A journal that has a file elsewhere removed is not played back, in the store's place, in a copy, or by a link")
  func journal() throws {
    let url = folder.file("S.sqlite")
    try insertBook(NSSQLiteStoreType, at: url)
    let secret = try secret()
    try link("L.sqlite", to: url)
    let readOnly: [AnyHashable: Any] = [NSReadOnlyPersistentStoreOption: true]
    let calls: [() throws -> Void] = [
      { try insertBook(NSSQLiteStoreType, at: url) },
      { try insertBook(NSSQLiteStoreType, at: folder.file("L.sqlite")) },
      {
        try NSPersistentStoreCoordinator(managedObjectModel: Self.books)
          .addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: readOnly)
      },
      { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url) },
      { _ = try NSManagedObjectModel(storedIn: url) },
    ]
    for call in calls {
      try writeJournal(of: url, naming: secret)
      let error = #expect(throws: NSError.self) { try call() }
      let text = error?.localizedDescription ?? ""
      #expect(text.contains("S.sqlite") || text.contains("L.sqlite"), "\(text)")
      #expect(text.contains("the removal of the file \(secret.path)"), "\(text)")
      #expect(try Data(contentsOf: secret) == Data("secret".utf8))
    }
  }

  @Test("A journal of a transaction over several databases of the folder is played back")
  func journals() throws {
    let url = folder.file("S.sqlite")
    let options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
    try insertBook(NSSQLiteStoreType, at: url, options: options)
    let shared = folder.file("Other.sqlite-mj01ABCD9EF")
    try Data("x".utf8).write(to: shared)
    try writeJournal(of: url, naming: shared)
    try insertBook(NSSQLiteStoreType, at: url, options: options)
    #expect(!FileManager.default.fileExists(atPath: shared.path))
  }

  @Test(
    "A pipe in the place of a store or a model is an error, and nobody waits for it",
    arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
  func pipe(_ type: String) throws {
    let url = folder.file("S")
    #expect(mkfifo(url.path, 0o600) == 0)
    #expect(throws: NSError.self) { try insertBook(type, at: url) }
    #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
    }
    for name in [
      "M.mom", "M.cdm", "M.xcdatamodel/contents", "M.momd/VersionInfo.plist", "M.xcmappingmodel/xcmapping.xml",
    ] {
      let file = folder.file(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      #expect(mkfifo(file.path, 0o600) == 0)
      let model = folder.file(String(name.split(separator: "/")[0]))
      #expect(throws: NSError.self) {
        _ =
          name.contains("cdm") || name.contains("mapping")
          ? try NSMappingModel(checkedContentsOf: model) as NSObject
          : try NSManagedObjectModel(checkedContentsOf: model) as NSObject
      }
    }
  }

  @Test("What a migration seems to have left is removed without following a link out of it")
  func abandonedMigration() throws {
    let url = folder.file("S.sqlite")
    let secret = try secret()
    let name = ".S.sqlite.\(UUID().uuidString).migrating"
    let inner = folder.file(name).appendingPathComponent("new")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: inner.appendingPathComponent("link"), withDestinationURL: outside.url)
    try link(".S.sqlite.\(UUID().uuidString).migrating", to: outside.url)
    MigrationFolder.removeAbandoned(beside: url)
    #expect(!FileManager.default.fileExists(atPath: folder.file(name).path))
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
  }

  @Test("Destroying a store removes a link, not what it leads to, and no device or pipe")
  func destroying() throws {
    let secret = try secret()
    for type in [NSXMLStoreType, NSBinaryStoreType] {
      try link(type, to: secret)
      try NSPersistentStoreCoordinator(managedObjectModel: Self.books)
        .destroyPersistentStore(at: folder.file(type), ofType: type, options: nil)
    }
    try link("S.sqlite", to: secret)
    try? NSPersistentStoreCoordinator(managedObjectModel: Self.books).destroyPersistentStore(
      at: folder.file("S.sqlite"), ofType: NSSQLiteStoreType, options: [NSPersistentStoreForceDestroyOption: true])
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
    #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
    for type in [NSSQLiteStoreType, NSXMLStoreType] {
      #expect(throws: NSError.self) {
        try NSPersistentStoreCoordinator(managedObjectModel: Self.books).destroyPersistentStore(
          at: folder.file("pipe"), ofType: type, options: [NSPersistentStoreForceDestroyOption: true])
      }
    }
    #expect(FileManager.default.fileExists(atPath: folder.file("pipe").path))
  }

  @Test("A folder in the place of a store is neither destroyed nor replaced, with what is in it")
  func folderInPlace() throws {
    let inside = folder.file("inner/notes.txt")
    try FileManager.default.createDirectory(at: folder.file("inner"), withIntermediateDirectories: true)
    try Data("notes".utf8).write(to: inside)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.books)
    for type in [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType] {
      for options in [[:], [NSPersistentStoreForceDestroyOption: true]] {
        #expect(throws: NSError.self) {
          try coordinator.destroyPersistentStore(at: folder.file("inner"), ofType: type, options: options)
        }
      }
      let source = folder.file("source.\(type)")
      try insertBook(type, at: source)
      #expect(throws: NSError.self) {
        try coordinator.replacePersistentStore(
          at: folder.file("inner"), destinationOptions: nil, withPersistentStoreFrom: source, sourceOptions: nil,
          ofType: type)
      }
      #expect(try Data(contentsOf: inside) == Data("notes".utf8), "\(type)")
    }
    let error = #expect(throws: NSError.self) {
      try coordinator.destroyPersistentStore(at: folder.file("inner"), ofType: NSXMLStoreType, options: nil)
    }
    #expect(error?.localizedDescription.contains("not a regular file") == true)
  }

  @Test("A temporary file of a writer of whole files is never one that is there, nor behind a link")
  func wholeFile() throws {
    let secret = try secret()
    let url = folder.file("S.xml")
    try insertBook(NSXMLStoreType, at: url)
    try link(".S.xml.\(UUID().uuidString).saving", to: secret)
    try insertBook(NSXMLStoreType, at: url)
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
  }

  @Test("A model's folder names its current version by a file's name, not by a path")
  func versionPath() throws {
    let momd = folder.file("M.momd")
    try FileManager.default.createDirectory(at: momd, withIntermediateDirectories: true)
    let list =
      "<plist><dict><key>NSManagedObjectModel_CurrentVersionName</key><string>../../secret</string></dict></plist>"
    try Data(list.utf8).write(to: momd.appendingPathComponent("VersionInfo.plist"))
    let error = #expect(throws: NSError.self) { try NSManagedObjectModel(checkedContentsOf: momd) }
    #expect(error?.localizedDescription.contains("is not the name of a file") == true)
  }
}
