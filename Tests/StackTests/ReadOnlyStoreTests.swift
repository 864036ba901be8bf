import Foundation
import Testing

@testable import CoreData

/// Read-only stores of SQLite files with a write-ahead log, which is what a store has by default.
@Suite("A read-only store and those who write to its file", aboutFiles)
struct ReadOnlyStoreTests {
  private let folder = StoreFolder()
  private var url: URL { folder.file("T") }

  private static let readOnly: [AnyHashable: Any] = [NSReadOnlyPersistentStoreOption: true as NSNumber]

  /// When the writer has the file open.
  enum Writer: CaseIterable { case before, since, closed }

  private func coordinator(_ options: [AnyHashable: Any]? = nil) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    return coordinator
  }

  private func close(_ coordinator: NSPersistentStoreCoordinator) throws {
    try coordinator.persistentStores.forEach(coordinator.remove)
  }

  private func save(_ name: String, _ coordinator: NSPersistentStoreCoordinator) throws {
    let context = coordinator.newContext()
    try context.performAndWait {
      context.new("Tag", ["name": name])
      try context.save()
    }
  }

  private func save(_ name: String) throws {
    let writer = try coordinator()
    try save(name, writer)
    try close(writer)
  }

  private func names(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
    let context = coordinator.newContext()
    return try context.performAndWait { try context.strings("Tag", "name") }
  }

  @Test(
    "It sees each save, whether the writer has had the file open, opens it later, or has closed it",
    arguments: Writer.allCases)
  func saves(_ writer: Writer) throws {
    try save("a")
    let early = writer == .before ? try coordinator() : nil
    let reader = try coordinator(Self.readOnly)
    #expect(try names(reader) == ["a"])
    let late = writer == .since ? try coordinator() : nil
    for (count, name) in ["b", "c", "d"].enumerated() {
      if let writer = early ?? late { try save(name, writer) } else { try save(name) }
      #expect(try names(reader) == Array(["a", "b", "c", "d"].prefix(count + 2)))
      #expect(try names(reader) == names(coordinator(Self.readOnly)))
    }
    try close(reader)
    try [early, late].compactMap { $0 }.forEach(close)
  }

  @Test("A fault that fires, and an object that is refreshed, have what was saved last", arguments: Writer.allCases)
  func faults(_ writer: Writer) throws {
    try save("a")
    let early = writer == .before ? try coordinator() : nil
    let reader = try coordinator(Self.readOnly)
    let context = reader.newContext()
    let tag = try context.performAndWait {
      let tag = try context.only("Tag")
      #expect(tag["name"] as? String == "a")
      return tag
    }
    for name in ["b", "c"] {
      let other = try early ?? coordinator()
      let change = other.newContext()
      try change.performAndWait {
        try change.only("Tag")["name"] = name
        try change.save()
      }
      if writer == .closed { try close(other) }
      try context.performAndWait { () throws in
        // Faults that fire one after another share a transaction for a moment; a fetch begins another one.
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 1)
        context.refresh(tag, mergeChanges: false)
        #expect(tag["name"] as? String == name)
      }
      withExtendedLifetime(other) {}
    }
  }

  @Test("A context that is pinned stays where it is until it is pinned anew", arguments: Writer.allCases)
  func generations(_ writer: Writer) throws {
    try save("a")
    let early = writer == .before ? try coordinator() : nil
    let reader = try coordinator(Self.readOnly)
    let context = reader.newContext()
    try context.performAndWait {
      try context.setQueryGenerationFrom(.current)
      #expect(try context.strings("Tag", "name") == ["a"])
    }
    let late = writer == .since ? try coordinator() : nil
    for name in ["b", "c"] {
      if let writer = early ?? late { try save(name, writer) } else { try save(name) }
      #expect(try names(reader).contains(name))
      try context.performAndWait { () throws in
        #expect(try context.strings("Tag", "name") == ["a"])
      }
    }
    try context.performAndWait {
      try context.setQueryGenerationFrom(.current)
      #expect(try context.strings("Tag", "name") == ["a", "b", "c"])
    }
    withExtendedLifetime((early, late)) {}
  }

  @Test("It finds a history that begins after it was opened", arguments: [true, false])
  func history(_ staysOpen: Bool) throws {
    try save("a")
    let tracks: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true as NSNumber]
    let reader = try coordinator(Self.readOnly.merging(tracks) { one, _ in one })
    let context = reader.newContext()
    context.performAndWait {
      #expect(failure { _ = try context.transactions() }?.code == NSPersistentStoreUnsupportedRequestTypeError)
    }
    let writer = try coordinator(tracks)
    try save("b", writer)
    if !staysOpen { try close(writer) }
    try context.performAndWait { () throws in #expect(try context.transactions().count == 1) }
    withExtendedLifetime(writer) {}
  }

  @Test("If nobody else has the file open, nothing is beside it, while the store is open and after")
  func traces() throws {
    try save("a")
    #expect(folder.names == ["T"])
    let reader = try coordinator(Self.readOnly)
    let before = try Data(contentsOf: url)
    #expect(try names(reader) == ["a"])
    #expect(folder.names == ["T"])
    #expect(try Data(contentsOf: url) == before)
    try save("b")
    #expect(try names(reader) == ["a", "b"])
    #expect(folder.names == ["T"])
    try close(reader)
    #expect(folder.names == ["T"])
  }

  @Test("Migrating it to another file takes along what was saved last", arguments: Writer.allCases)
  func migrating(_ writer: Writer) throws {
    try save("a")
    let early = writer == .before ? try coordinator() : nil
    let reader = try coordinator(Self.readOnly)
    #expect(try names(reader) == ["a"])
    let late = writer == .since ? try coordinator() : nil
    if let writer = early ?? late { try save("b", writer) } else { try save("b") }
    _ = try reader.migratePersistentStore(
      reader.persistentStores[0], to: folder.file("Copy"), options: nil, withType: NSSQLiteStoreType)
    #expect(try names(reader) == ["a", "b"])
    try close(reader)
    try [early, late].compactMap { $0 }.forEach(close)
  }

  @Test("An older file of the same store that is put in its place is read: metadata, and rows that objects have newer")
  func replacedByOwn() throws {
    try save("a")
    try Data(contentsOf: url).write(to: folder.file("Old"))
    let writer = try coordinator()
    writer.persistentStores[0].metadata["mine"] = "yes"
    let change = writer.newContext()
    try change.performAndWait {
      try change.only("Tag")["name"] = "b"
      try change.save()
    }
    try close(writer)
    let reader = try coordinator(Self.readOnly)
    let context = reader.newContext()
    let tag = try context.performAndWait {
      let tag = try context.only("Tag")
      #expect(tag["name"] as? String == "b")
      return tag
    }
    #expect(reader.persistentStores[0].metadata["mine"] as? String == "yes")
    #expect(rename(folder.file("Old").path, url.path) == 0)
    #expect(try names(reader) == ["a"])
    #expect(reader.persistentStores[0].metadata["mine"] == nil)
    withExtendedLifetime(tag) {}
  }

  @Test("A file of another store that is put in its place is refused, by its UUID")
  func replacedByOther() throws {
    try save("a")
    let reader = try coordinator(Self.readOnly)
    #expect(try names(reader) == ["a"])
    _ = try folder.make(.sqlite, "Other", tag: "b")
    #expect(rename(folder.file("Other").path, url.path) == 0)
    let error = failure { _ = try names(reader) }
    #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
    #expect(error?.localizedDescription.contains("Z_UUID") == true, "\(error as Any)")
    #expect(try names(coordinator(Self.readOnly)) == ["b"])
  }

  @Test("If it is closed after the writer the log stays, for a copy of the store, and for who writes to it next")
  func closedLast() throws {
    let writer = try coordinator()
    try save("a", writer)
    let reader = try coordinator(Self.readOnly)
    #expect(try names(reader) == ["a"])
    try save("b", writer)
    try close(writer)
    try close(reader)
    #expect(folder.names.contains("T-wal"))
    try reader.replacePersistentStore(
      at: folder.file("Copy"), destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: Self.readOnly,
      ofType: NSSQLiteStoreType)
    #expect(try folder.tags(.sqlite, "Copy") == ["a", "b"])
    #expect(folder.names.contains("T-wal"))
    #expect(try folder.tags(.sqlite, "T") == ["a", "b"])
    #expect(folder.names == ["Copy", "T"])
  }

  @Test("Its copies do not stay in the folder for temporary files")
  func copies() throws {
    let temporary = FileManager.default.temporaryDirectory
    let name = UUID().uuidString
    func open(_ options: [AnyHashable: Any]? = nil) throws -> NSPersistentStoreCoordinator {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file(name), options: options)
      return coordinator
    }
    try close(open())
    let reader = try open(Self.readOnly)
    for name in ["a", "b"] {
      let writer = try open()
      try save(name, writer)
      try close(writer)
      #expect(try names(reader).last == name)
    }
    try close(reader)
    let left = try FileManager.default.contentsOfDirectory(atPath: temporary.path).filter {
      let file = temporary.appendingPathComponent($0).appendingPathComponent(name)
      return $0.hasPrefix("CoreData-") && FileManager.default.fileExists(atPath: file.path)
    }
    #expect(left.isEmpty)
  }

  @Test("Metadata, the stored model and a copy of an open store are of one state, whatever is written meanwhile")
  func tornCopies() async throws {
    let model = model([entity("Part", [attribute("bytes", .integer64AttributeType), attribute("filler")])])
    let url = url
    func open(_ options: [AnyHashable: Any]? = nil) throws -> NSPersistentStoreCoordinator {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
      return coordinator
    }
    let writer = try open()
    let context = writer.newContext()
    try context.performAndWait {
      for _ in 0..<300 { context.new("Part", ["bytes": 0, "filler": String(repeating: "x", count: 2000)]) }
      try context.save()
    }
    // Each save changes all rows, so that a state has one number; and the log starts over again and again.
    let isOver = Flag()
    let writing = Task.detached {
      var number = 0
      while !isOver.isSet {
        number += 1
        try context.performAndWait {
          for part in try context.all("Part") { part["bytes"] = number }
          try context.save()
        }
        try (writer.persistentStores[0] as? SQLiteStore)?.pool.write { connection in
          _ = try connection.withoutWaiting { try? connection.rows("PRAGMA wal_checkpoint(RESTART)") }
        }
      }
    }
    for _ in 0..<60 {
      let reader = try open(Self.readOnly)
      let reading = reader.newContext()
      try reading.performAndWait {
        let numbers = Set(try reading.all("Part").compactMap { $0["bytes"] as? Int })
        #expect(numbers.count == 1)
      }
      try close(reader)
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
      #expect(metadata[NSStoreUUIDKey] != nil)
      #expect(try NSManagedObjectModel(storedIn: url).entitiesByName["Part"]?.attributesByName["bytes"] != nil)
      let copy = folder.file("Copy")
      try writer.replacePersistentStore(
        at: copy, destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: Self.readOnly,
        ofType: NSSQLiteStoreType)
      let check = try Connection(path: copy.path, options: Connection.Options())
      #expect(try check.rows("SELECT COUNT(DISTINCT ZBYTES) FROM ZPART") == [["1"]])
      #expect(try check.rows("PRAGMA integrity_check") == [["ok"]])
    }
    isOver.set()
    try await writing.value
  }

  private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
  }
}
