import CoreData
import TestFiles
import Testing

/// The stores that keep all in memory and write one file.
private let atomicKinds: [StoreKind] = [.xml, .binary]

extension TemporaryFolder {
  fileprivate func file() -> URL { file("store") }
}

private func open(
  _ kind: StoreKind, _ url: URL, _ model: NSManagedObjectModel = library(), _ options: [AnyHashable: Any]? = nil
) throws -> Stack {
  try Stack(kind, model, at: url, options: options)
}

@Suite("Atomic stores")
struct AtomicStoreTests {
  private static let everything = everyType()

  private static func everyType() -> NSManagedObjectModel {
    let types: [(String, NSAttributeType)] = [
      ("int16", .integer16AttributeType), ("int32", .integer32AttributeType), ("int64", .integer64AttributeType),
      ("flag", .booleanAttributeType), ("real", .doubleAttributeType), ("single", .floatAttributeType),
      ("date", .dateAttributeType), ("text", .stringAttributeType), ("data", .binaryDataAttributeType),
      ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType), ("decimal", .decimalAttributeType),
      ("list", .transformableAttributeType),
    ]
    return model([entity("Thing", types.map { attribute($0.0, $0.1) })])
  }

  @Test("A store's file is there when it is added, and has everything after a save", arguments: atomicKinds)
  func made(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let stack = try open(kind, folder.file())
    #expect(folder.names == ["store"])
    try stack.context.performAndWait {
      stack.context.new("Tag", ["name": "ä"])
      try stack.context.save()
    }
    let again = try Stack(kind, library(), at: stack.url)
    try again.context.performAndWait { () throws in #expect(try again.context.strings("Tag", "name") == ["ä"]) }
    #expect(folder.names == ["store"])
  }

  @Test(
    "Values at their limits are the same when the file is read again", arguments: atomicKinds)
  func limits(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let values: [[String: Any]] = [
      [
        "int16": Int16.min, "int32": Int32.max, "int64": Int64.min, "flag": true, "real": 5e-324, "single": Float(0.1),
        "date": Date(timeIntervalSinceReferenceDate: -0.1), "text": " a\r\n\t<&>\"' ]]> \u{1}\u{FFFE}",
        "data": Data([0]),
        "uuid": UUID(), "uri": URL(string: "https://example.com/?a=b&c=<")!.absoluteURL,
        "decimal": NSDecimalNumber(string: "-1.23456789012345678901234567890123456789e-70"),
        "list": ["a", "b"] as NSArray,
      ],
      [
        "int16": 0, "int64": Int64.max, "flag": false, "real": -Double.infinity, "text": "", "data": Data(),
        "decimal": NSDecimalNumber.notANumber, "date": Date.distantFuture,
      ],
      ["text": "\r", "real": Double.pi, "decimal": NSDecimalNumber(value: 0), "single": Float.greatestFiniteMagnitude],
      ["text": " 🦉\u{0}" + String(repeating: "x", count: 70_000)], [:],
    ]
    let stack = try open(kind, folder.file(), Self.everything)
    let context = stack.context
    try context.performAndWait {
      for (index, set) in values.enumerated() {
        let object = context.new("Thing", set)
        if set["int32"] == nil { object["int32"] = index }
      }
      try context.save()
      let before = try context.all("Thing").map {
        $0.dictionaryWithValues(forKeys: Array($0.entity.attributesByName.keys)) as NSDictionary
      }
      let again = try Stack(kind, Self.everyType(), at: stack.url)
      try again.context.performAndWait {
        let after = try again.context.all("Thing").map {
          $0.dictionaryWithValues(forKeys: Array($0.entity.attributesByName.keys)) as NSDictionary
        }
        #expect(before.map { "\($0["text"] ?? "")" } == after.map { "\($0["text"] ?? "")" })
        #expect(before.count == after.count)
      }
    }
  }

  @Test(
    "A date that is not a number is nil when the file is read again, and the object prints",
    arguments: atomicKinds + [.sqlite])
  func dateWithoutNumber(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let stack = try open(kind, folder.file(), Self.everyType())
    try stack.context.performAndWait {
      stack.context.new("Thing", ["date": Date(timeIntervalSinceReferenceDate: .nan), "real": Double.infinity])
      try stack.context.save()
    }
    let again = try Stack(kind, Self.everyType(), at: stack.url)
    try again.context.performAndWait {
      let thing = try #require(try again.context.all("Thing").first)
      #expect(thing["date"] == nil)
      #expect(thing["real"] as? Double == .infinity)
      #expect("\(thing)".contains("date = nil"))
    }
  }

  @Test(
    "Whoever saves second after another coordinator has saved gets an error, and loses nothing", arguments: atomicKinds)
  func twoWriters(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let (one, two) = (try open(kind, folder.file()), try Stack(kind, library(), at: folder.file()))
    try one.context.performAndWait {
      one.context.new("Tag", ["name": "one"])
      try one.context.save()
    }
    try two.context.performAndWait {
      let context = two.context
      context.new("Tag", ["name": "two"])
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSPersistentStoreSaveError)
      #expect(error.localizedDescription.contains(folder.file().path))
      #expect(context.insertedObjects.count == 1)
      // Read again, and save then.
      try two.coordinator.remove(two.store)
      try two.coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: folder.file())
      context.reset()
      context.new("Tag", ["name": "two"])
      try context.save()
      #expect(try context.strings("Tag", "name") == ["one", "two"])
    }
  }

  @Test(
    "A folder that cannot be written fails the save, and file and context stay as they were", arguments: atomicKinds)
  func unwritable(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let stack = try open(kind, folder.file())
    let bytes = try Data(contentsOf: stack.url)
    // Permissions would not stop everybody.
    let moved = folder.url.appendingPathExtension("moved")
    stack.context.performAndWait {
      stack.context.new("Tag", ["name": "a"])
      rename(folder.url.path, moved.path)
      let error = failure { try stack.context.save() }
      rename(moved.path, folder.url.path)
      #expect(error?.domain == NSCocoaErrorDomain)
      #expect(stack.context.insertedObjects.count == 1)
    }
    #expect(try Data(contentsOf: stack.url) == bytes)
    try stack.context.performAndWait { try stack.context.save() }
    let again = try Stack(kind, library(), at: stack.url)
    try again.context.performAndWait { () throws in #expect(try again.context.strings("Tag", "name") == ["a"]) }
  }

  @Test("A file that was removed is not made again by a save", arguments: atomicKinds)
  func removedFile(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let stack = try open(kind, folder.file())
    try FileManager.default.removeItem(at: stack.url)
    stack.context.performAndWait {
      stack.context.new("Tag")
      #expect(failure { try stack.context.save() }?.code == NSPersistentStoreSaveError)
    }
    #expect(folder.names.isEmpty)
  }

  @Test("The file keeps its permissions, and a symbolic link its place", arguments: atomicKinds)
  func permissions(_ kind: StoreKind) throws {
    let (folder, other) = (TemporaryFolder(), TemporaryFolder())
    let made = try Stack(kind, library(), at: other.file("real"))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: made.url.path)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: made.url)
    let stack = try open(kind, link)
    try stack.context.performAndWait {
      stack.context.new("Tag")
      try stack.context.save()
    }
    let mode = try FileManager.default.attributesOfItem(atPath: made.url.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == made.url.path)
    #expect(other.names == ["real"])
    #expect(folder.names == ["link"])
  }

  @Test("What a crashed writer left is removed at the next opening, and nothing else", arguments: atomicKinds)
  func abandoned(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let left = ".store.\(UUID().uuidString).saving"
    let others = [".other.\(UUID().uuidString).saving", ".store.mine.saving", "store.saving"]
    for name in [left] + others { try Data().write(to: folder.file(name)) }
    let live = ".store.\(UUID().uuidString).saving"
    try Data().write(to: folder.file(live))
    let descriptor = Foundation.open(folder.file(live).path, O_RDWR)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    let stack = try open(kind, folder.file())
    #expect(folder.names.sorted() == (others + [live, "store"]).sorted())
    withExtendedLifetime(stack) {}
  }

  @Test("A store that is missing, in a missing folder, or no file, is refused", arguments: atomicKinds)
  func notThere(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let readOnly = [NSReadOnlyPersistentStoreOption: true as NSNumber]
    #expect(failure { _ = try open(kind, folder.file(), library(), readOnly) }?.code == 260)
    #expect(folder.names.isEmpty)
    #expect(failure { _ = try open(kind, folder.file("no/store")) }?.code == 512)
    #expect(failure { _ = try open(kind, folder.url) }?.code == 256)
    #expect(failure { _ = try open(kind, URL(fileURLWithPath: "/dev/null")) }?.code == 256)
  }

  @Test("An empty file is a new store", arguments: atomicKinds)
  func emptyFile(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    try Data().write(to: folder.file())
    let stack = try open(kind, folder.file())
    try stack.context.performAndWait { () throws in #expect(try stack.context.all("Tag").isEmpty) }
  }

  @Test("Another version of the model is refused as SQLite stores refuse it", arguments: atomicKinds)
  func versions(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let first = try open(kind, folder.file(), model([entity("Tag", [attribute("name")])]))
    let bytes = try Data(contentsOf: folder.file())
    let other = model([entity("Tag", [attribute("name"), attribute("colour")])])
    func code(_ options: [AnyHashable: Any]?) -> Int? {
      failure {
        _ = try NSPersistentStoreCoordinator(managedObjectModel: other).addPersistentStore(
          ofType: kind.type, configurationName: nil, at: folder.file(), options: options)
      }?.code
    }
    #expect(code(nil) == NSPersistentStoreIncompatibleVersionHashError)
    #expect(code([NSMigratePersistentStoresAutomaticallyOption: true]) == NSMigrationMissingMappingModelError)
    #expect(try Data(contentsOf: folder.file()) == bytes)
    withExtendedLifetime(first) {}
  }

  @Test(
    "Metadata are written with the next save, unknown ones kept, and can be had without a model", arguments: atomicKinds
  )
  func metadata(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let stack = try open(kind, folder.file())
    var metadata = stack.coordinator.metadata(for: stack.store)
    #expect(metadata[NSStoreTypeKey] as? String == kind.type)
    metadata["Mine"] = ["list": [1, "<&>", true], "data": Data([1, 2]), "real": 1.5] as [String: Any]
    stack.coordinator.setMetadata(metadata, for: stack.store)
    try stack.context.performAndWait {
      stack.context.new("Tag", ["name": "kept"])
      try stack.context.save()
    }
    try stack.coordinator.remove(stack.store)
    func read() throws -> [String: Any] {
      try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: folder.file())
    }
    var found = try read()
    #expect(found[NSStoreUUIDKey] as? String == stack.store.identifier)
    let mine = try #require(found["Mine"] as? [String: Any])
    #expect(mine["data"] as? Data == Data([1, 2]))
    #expect((mine["list"] as? [Any])?[1] as? String == "<&>")
    found["More"] = "more"
    try NSPersistentStoreCoordinator.setMetadata(found, forPersistentStoreOfType: kind.type, at: folder.file())
    #expect(try read()["More"] as? String == "more")
    #expect((try read()["Mine"] as? [String: Any])?["real"] as? Double == 1.5)
    let again = try Stack(kind, library(), at: folder.file())
    try again.context.performAndWait { () throws in #expect(try again.context.strings("Tag", "name") == ["kept"]) }
  }

  @Test("Cut short anywhere, or with any bit turned, a file is opened or refused, never more", arguments: atomicKinds)
  func damaged(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let source = try Stack(kind)
    try source.context.performAndWait {
      let author = source.context.new("Author", ["name": "K", "born": Date()])
      source.context.new("Novel", ["author": author, "tags": Set([source.context.new("Tag")])])
      try source.context.save()
    }
    let bytes = [UInt8](try Data(contentsOf: source.url))
    var refused = 0
    func tryOpening(_ bytes: [UInt8], mustFail: Bool = false) throws {
      let url = folder.file()
      try Data(bytes).write(to: url)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: source.model)
      let error = failure {
        _ = try coordinator.addPersistentStore(
          ofType: kind.type, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true])
      }
      if let error {
        refused += 1
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.localizedDescription.contains(url.path))
      } else if mustFail {
        Issue.record("A damaged file was opened.")
      }
      #expect(try [UInt8](Data(contentsOf: url)) == bytes)
    }
    for count in stride(from: 1, to: bytes.count - 1, by: 101) {
      try tryOpening(Array(bytes[..<count]), mustFail: true)
    }
    for place in stride(from: 0, to: bytes.count, by: 29) {
      var turned = bytes
      turned[place] ^= 1 << UInt8(place % 8)
      try tryOpening(turned)
    }
    #expect(refused > 0)
    let others: [StoreKind] = [.sqlite, kind == .xml ? .binary : .xml]
    for other in others {
      let stack = try Stack(other)
      try tryOpening([UInt8](Data(contentsOf: stack.url)), mustFail: true)
    }
  }

  @Test("All entities share one sequence of keys, which goes on after reopening", arguments: atomicKinds)
  func keys(_ kind: StoreKind) throws {
    let folder = TemporaryFolder()
    let stack = try open(kind, folder.file())
    let first: Int64 = kind == .xml ? 102 : 1
    func keys(_ stack: Stack) throws -> [String] {
      try ["Author", "Tag"].flatMap { try stack.context.all($0) }.map(\.objectID).map {
        $0.uriRepresentation().lastPathComponent
      }
    }
    try stack.context.performAndWait {
      for entity in ["Author", "Tag"] {
        stack.context.new(entity)
        try stack.context.save()
      }
      #expect(try keys(stack) == ["p\(first)", "p\(first + 1)"])
      try stack.context.all("Tag").forEach(stack.context.delete)
      try stack.context.save()
    }
    let again = try Stack(kind, library(), at: stack.url)
    try again.context.performAndWait {
      again.context.new("Tag")
      try again.context.save()
      #expect(try keys(again) == ["p\(first)", "p\(first + 2)"])
    }
  }

  @Test("Batch requests are SQLite's", arguments: atomicKinds)
  func batches(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag"))
      #expect(failure { _ = try context.execute(request) }?.code == NSPersistentStoreUnsupportedRequestTypeError)
    }
  }
}
