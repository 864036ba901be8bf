import Testing

@testable import CoreData

/// What pinning means for the stores and their files.
@Suite("Query generations and stores")
struct GenerationStoreTests {
  /// Pins a context of a store that has one tag, then saves another.
  private func pinned(_ stack: Stack) throws {
    let context = stack.context
    try context.performAndWait { () throws in
      context.new("Tag", ["name": "a"])
      try context.save()
      context.reset()
      try context.setQueryGenerationFrom(.current)
      #expect(try context.strings("Tag", "name") == ["a"])
    }
    try stack.elsewhere { other throws in
      other.new("Tag", ["name": "b"])
      try other.save()
    }
  }

  @Test("A store in memory is read as it is, and the context is unpinned again")
  func inMemory() throws {
    let stack = try Stack(.inMemory)
    try pinned(stack)
    try stack.context.performAndWait { () throws in
      #expect(stack.context.queryGenerationToken == nil)
      #expect(try stack.context.strings("Tag", "name") == ["a", "b"])
    }
  }

  @Test("So is a SQLite store without a write-ahead log", arguments: ["DELETE", "TRUNCATE"])
  func withoutLog(_ mode: String) throws {
    let stack = try Stack(.sqlite, options: [NSSQLitePragmasOption: ["journal_mode": mode]])
    try pinned(stack)
    try stack.context.performAndWait { () throws in
      #expect(stack.context.queryGenerationToken == nil)
      #expect(try stack.context.strings("Tag", "name") == ["a", "b"])
    }
  }

  @Test("With several stores those are pinned that can be; stores added later are left out until the next pin")
  func severalStores() throws {
    let stack = try Stack(.sqlite)
    let memory = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    try pinned(stack)
    func add(_ name: String, to store: NSPersistentStore) throws {
      try stack.elsewhere { other throws in
        other.assign(other.new("Tag", ["name": name]), to: store)
        try other.save()
      }
    }
    try add("c", to: memory)
    let files = Files()
    let late = try stack.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: files.url)
    try add("d", to: late)
    try stack.elsewhere { other throws in #expect(try other.strings("Tag", "name") == ["a", "b", "c", "d"]) }
    try stack.context.performAndWait { () throws in
      #expect(try stack.context.strings("Tag", "name") == ["a", "c"])
      try stack.context.setQueryGenerationFrom(.current)
      #expect(try stack.context.strings("Tag", "name") == ["a", "b", "c", "d"])
    }
  }

  @Test("A pinned context holds the write-ahead log; unpinning it, or its end, lets a checkpoint empty it")
  func checkpoint() throws {
    for end in ["unpin", "move on", "end"] {
      let stack = try Stack(.sqlite)
      var context: NSManagedObjectContext? = stack.newContext()
      try context!.performAndWait { () throws in
        try context!.setQueryGenerationFrom(.current)
        _ = try context!.all("Tag")
      }
      try stack.elsewhere { other throws in
        for index in 0..<50 { other.new("Tag", ["name": "\(index)"]) }
        try other.save()
      }
      let outside = try Connection(path: stack.url.path, options: options(timeout: 100))
      func logIsEmpty() throws -> Bool {
        _ = try outside.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        let attributes = try FileManager.default.attributesOfItem(atPath: stack.url.path + "-wal")
        return (attributes[.size] as? NSNumber)?.intValue == 0
      }
      #expect(try !logIsEmpty(), "\(end)")
      try context!.performAndWait { () throws in
        #expect(try context!.all("Tag").isEmpty)
        if end == "unpin" { try context!.setQueryGenerationFrom(nil) }
        if end == "move on" { try context!.setQueryGenerationFrom(.current) }
      }
      if end == "end" { context = nil }
      #expect(try logIsEmpty(), "\(end)")
    }
  }

  private func options(timeout: Int32) -> Connection.Options {
    var options = Connection.Options()
    options.busyTimeout = timeout
    return options
  }

  @Test("Removing a store while a context is pinned to it closes its file")
  func removal() throws {
    let files = Files()
    var coordinator: NSPersistentStoreCoordinator? = NSPersistentStoreCoordinator(managedObjectModel: library())
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { () throws in
      try coordinator!.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: files.url)
      context.new("Tag", ["name": "a"])
      try context.save()
      try context.setQueryGenerationFrom(.current)
      let tag = try context.only("Tag")
      context.forget()
      try coordinator!.remove(coordinator!.persistentStores[0])
      #expect(context.queryGenerationToken != nil)
      // As for an unpinned context: the row is out of reach.
      #expect(tag.string("name") == nil)
      #expect(failure { _ = try context.all("Tag") } != nil)
    }
    // Leaving the log behind needs the file for oneself alone.
    let outside = try Connection(path: files.url.path, options: options(timeout: 0))
    #expect(try outside.rows("PRAGMA journal_mode = DELETE") == [["delete"]])
    coordinator = nil
  }

  @Test("A value in a file of its own is there as long as a context is pinned to a state that has it")
  func externalFiles() throws {
    let image = attribute("image", .binaryDataAttributeType)
    image.allowsExternalBinaryDataStorage = true
    let stack = try Stack(.sqlite, model([entity("Picture", [image])]))
    let (old, new) = (Data(repeating: 1, count: 300_000), Data(repeating: 2, count: 300_000))
    let folder = ExternalFiles(store: stack.url).folder
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    func files() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder.path).count }
    let context = stack.newContext()
    let id = try stack.elsewhere { other throws in
      let picture = other.new("Picture", ["image": old])
      try other.save()
      return picture.objectID
    }
    try context.performAndWait { () throws in
      try context.setQueryGenerationFrom(.current)
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Picture")) == 1)
    }
    try stack.elsewhere { other throws in
      other.object(with: id)["image"] = new
      try other.save()
    }
    try context.performAndWait { () throws in
      #expect(try files() == 2)
      #expect(context.object(with: id)["image"] as? Data == old)
      context.forget()
      try context.setQueryGenerationFrom(.current)
      #expect(context.object(with: id)["image"] as? Data == new)
      ExternalStorage.queue.sync {}
      #expect(try files() == 1)
    }
  }

  @Test("It is removed then, though other contexts are pinned to newer states without a pause")
  func overlappingPins() throws {
    let image = attribute("image", .binaryDataAttributeType)
    image.allowsExternalBinaryDataStorage = true
    let stack = try Stack(.sqlite, model([entity("Picture", [image])]))
    let folder = ExternalFiles(store: stack.url).folder
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    func save(_ byte: UInt8) throws {
      try stack.elsewhere { other throws in
        let picture = try other.all("Picture").first ?? other.new("Picture")
        picture["image"] = Data(repeating: byte, count: 300_000)
        try other.save()
      }
    }
    let pins = (0..<2).map { _ in stack.newContext() }
    func pin(_ number: Int) throws {
      let context = pins[number]
      try context.performAndWait { () throws in
        context.forget()
        try context.setQueryGenerationFrom(.current)
        let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Picture"))
        #expect(count == 1)
      }
    }
    func files() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder.path).count }
    try save(0)
    try pin(0)
    try save(1)
    try pin(1)
    ExternalStorage.queue.sync {}
    let before = try files()
    #expect(before == 2)
    // At each moment one of the two is pinned.
    try pin(0)
    ExternalStorage.queue.sync {}
    let after = try files()
    #expect(after == 1)
  }

  @Test("Random work of others never shows in a pinned context", arguments: [1, 2, 3, 4, 5] as [UInt64])
  func random(_ seed: UInt64) throws {
    var random = Seeded(seed)
    let stack = try Stack(.sqlite)
    let pinned = (0..<3).map { _ in stack.newContext() }
    var seen = ["", "", ""]
    let writer = stack.newContext()
    for _ in 0..<60 {
      try writer.performAndWait { () throws in
        let (books, tags) = (try writer.all("Book"), try writer.all("Tag"))
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: writer.new("Book", ["pages": Int.random(in: 0..<1000, using: &random)])
        case 2: writer.new("Tag", ["name": "\(books.count)"])
        case 3: books.randomElement(using: &random).map(writer.delete)
        case 4: books.randomElement(using: &random)?["pages"] = Int.random(in: 0..<1000, using: &random)
        default:
          if let book = books.randomElement(using: &random), let tag = tags.randomElement(using: &random) {
            book.mutableSetValue(forKey: "tags").add(tag)
          }
        }
        try writer.save()
      }
      for (index, context) in pinned.enumerated() {
        try context.performAndWait { () throws in
          if Int.random(in: 0..<8, using: &random) == 0 || seen[index].isEmpty {
            try context.setQueryGenerationFrom(.current)
            context.forget()
            seen[index] = try picture(context)
            try stack.elsewhere { other throws in #expect(try picture(other) == seen[index]) }
          } else {
            if Bool.random(using: &random) { context.forget() }
            #expect(try picture(context) == seen[index])
          }
        }
      }
    }
  }

  private func picture(_ context: NSManagedObjectContext) throws -> String {
    let books = try context.all("Book").map { book in
      "\(book.objectID) \(book.int("pages")!) \(book.objects("tags").map(\.objectID.description).sorted())"
    }
    return "books \(books.sorted()) tags \(try context.strings("Tag", "name"))"
  }

  @Test("A pinned context sees whole saves only, while another context saves beside it")
  func beside() async throws {
    let stack = try Stack(.sqlite)
    try stack.elsewhere { other throws in
      for name in ["a", "b"] { other.new("Book", ["title": name, "pages": 0]) }
      try other.save()
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        let writer = stack.newContext()
        for round in 1...60 {
          await writer.perform {
            let problem = failure {
              for book in try writer.all("Book") { book["pages"] = round }
              try writer.save()
            }
            #expect(problem == nil)
          }
        }
      }
      for _ in 0..<3 {
        group.addTask {
          let reader = stack.newContext()
          for _ in 0..<40 {
            await reader.perform {
              let problem = failure {
                try reader.setQueryGenerationFrom(.current)
                reader.forget()
                let books = try reader.all("Book")
                let first = books[0].int("pages")
                #expect(books[1].int("pages") == first)
                reader.forget()
                #expect(Set(books.map { $0.int("pages") }) == [first])
              }
              #expect(problem == nil)
            }
          }
        }
      }
    }
  }

  @Test("Contexts that share a generation read it side by side")
  func shared() async throws {
    let stack = try Stack(.sqlite)
    try stack.elsewhere { other throws in
      for index in 0..<200 { other.new("Tag", ["name": "\(index)"]) }
      try other.save()
    }
    let token = try stack.context.performAndWait {
      try stack.context.setQueryGenerationFrom(.current)
      _ = try stack.context.all("Tag")
      return stack.context.queryGenerationToken
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let reader = stack.newContext()
          for _ in 0..<5 {
            await reader.perform {
              let problem = failure {
                try reader.setQueryGenerationFrom(token)
                reader.reset()
                try reader.setQueryGenerationFrom(token)
                #expect(Set(try reader.strings("Tag", "name")) == Set((0..<200).map(String.init)))
              }
              #expect(problem == nil)
            }
          }
        }
      }
      group.addTask {
        let writer = stack.newContext()
        for _ in 0..<5 {
          await writer.perform {
            let problem = failure {
              for tag in try writer.all("Tag") { tag["name"] = tag.string("name")! + "+" }
              try writer.save()
            }
            #expect(problem == nil)
          }
        }
      }
    }
  }
}

/// A place for one store's files, which go with it.
private final class Files {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")

  deinit {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
  }
}

private struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
