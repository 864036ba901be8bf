import Testing

@testable import CoreData

/// What processes learn of each other's writes. The other process is the body of an exit test.
@Suite("Changes of other processes", .serialized)
struct HistoryRemoteTests {
  /// What a coordinator was told, in order. Filled on another queue.
  private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var tokens: [NSPersistentHistoryToken?] = []
    private var observer: (any NSObjectProtocol)?

    init(_ coordinator: NSPersistentStoreCoordinator) {
      observer = NotificationCenter.default.addObserver(
        forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
      ) { [unowned self] note in
        let token = note.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
        lock.withLock { tokens.append(token) }
      }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }

    var all: [NSPersistentHistoryToken?] { lock.withLock { tokens } }

    /// Waits until there are `wanted` tokens, and then 0.3 seconds for tokens that should not come.
    func count(_ wanted: Int) async -> Int {
      for _ in 0..<1000 where all.count < wanted { try? await Task.sleep(nanoseconds: 10_000_000) }
      try? await Task.sleep(nanoseconds: 300_000_000)
      return all.count
    }
  }

  private func withFile(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appendingPathComponent("s.sqlite").path)
  }

  private static func coordinator(
    _ path: String, tracks: Bool = true, tells: Bool = true, isReadOnly: Bool = false
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
      options: [
        NSPersistentStoreRemoteChangeNotificationPostOptionKey: tells as NSNumber,
        NSPersistentHistoryTrackingKey: tracks as NSNumber,
        NSReadOnlyPersistentStoreOption: isReadOnly as NSNumber,
      ])
    return coordinator
  }

  private static func save(_ coordinator: NSPersistentStoreCoordinator, by author: String) throws {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      context.new("Tag", ["name": "a"])
      try context.save(by: author)
    }
  }

  private static func transactions(
    _ coordinator: NSPersistentStoreCoordinator, after token: NSPersistentHistoryToken? = nil
  ) throws -> [NSPersistentHistoryTransaction] {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait { try context.transactions(after: token) }
  }

  @Test(
    "A read-only store is told of the saves of another process, and finds their transactions",
    arguments: [true, false])
  func readOnly(_ hasWriter: Bool) async throws {
    try await withFile { path in
      var writer: NSPersistentStoreCoordinator? = try Self.coordinator(path, tells: false)
      try Self.save(try #require(writer), by: "parent")
      if !hasWriter {
        try writer.map { try $0.remove($0.persistentStores[0]) }
        writer = nil
      }
      let reader = try Self.coordinator(path, isReadOnly: true)
      let told = Told(reader)
      #expect(try Self.transactions(reader).map(\.author) == ["parent"])
      for count in 1...2 {
        await #expect(processExitsWith: .success) { [path = path as String] in
          try Self.save(try Self.coordinator(path, tells: false), by: "child")
        }
        #expect(await told.count(count) == count)
        let found = try Self.transactions(reader)
        #expect(found.map(\.author) == ["parent"] + Array(repeating: "child", count: count))
        #expect(told.all == found.dropFirst().map(\.token))
      }
      withExtendedLifetime(writer) {}
    }
  }

  @Test("A save of another process is told once, with the token that its transaction has")
  func told() async throws {
    try await withFile { path in
      let coordinator = try Self.coordinator(path)
      let told = Told(coordinator)
      try Self.save(coordinator, by: "parent")
      #expect(await told.count(1) == 1)
      await #expect(processExitsWith: .success) { [path = path as String] in
        try Self.save(try Self.coordinator(path, tells: false), by: "child")
      }
      #expect(await told.count(2) == 2)
      let found = try Self.transactions(coordinator)
      #expect(found.map(\.author) == ["parent", "child"])
      #expect(told.all == found.map(\.token))
      try Self.save(coordinator, by: "parent")
      #expect(await told.count(3) == 3)
      #expect(try Self.transactions(coordinator, after: told.all[1]).map(\.author) == ["parent"])
    }
  }

  @Test("The write of metadata alone is told with the place that the history has, also before the store records any")
  func metadataAlone() async throws {
    try await withFile { path in
      let first = try Self.coordinator(path, tells: false)
      try Self.save(first, by: "before")
      try first.remove(first.persistentStores[0])
      let coordinator = try Self.coordinator(path)
      let told = Told(coordinator)
      coordinator.setMetadata(["mine": "here"], for: coordinator.persistentStores[0])
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait { try context.save() }
      #expect(await told.count(1) == 1)
      let found = try Self.transactions(coordinator)
      #expect(found.count == 1 && told.all == found.map(\.token))
    }
  }

  @Test("What another process wrote is in the history, and its notification merges it")
  func merged() async throws {
    try await withFile { path in
      let coordinator = try Self.coordinator(path)
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      let tag = try context.performAndWait {
        let tag = context.new("Tag", ["name": "old"])
        try context.save()
        tag.read()
        return tag
      }
      let told = Told(coordinator)
      await #expect(processExitsWith: .success) { [path = path as String] in
        let coordinator = try Self.coordinator(path)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
          try context.only("Tag")["name"] = "new"
          context.new("Author", ["name": "child"])
          try context.save()
        }
      }
      #expect(await told.count(1) >= 1)
      try context.performAndWait {
        #expect(Stress.isOn || tag.string("name") == "old")
        let found = try context.transactions()
        #expect(found.count == 2)
        context.mergeChanges(fromContextDidSave: found[1].objectIDNotification())
        #expect(tag.string("name") == "new")
        #expect(try context.strings("Author", "name") == ["child"])
      }
    }
  }

  @Test("Own saves are told once each, while another process writes")
  func both() async throws {
    try await withFile { path in
      let (first, second) = (try Self.coordinator(path), try Self.coordinator(path, tells: false))
      let told = Told(first)
      async let own: Void = Task.detached {
        for number in 0..<20 { try Self.save(number % 2 == 0 ? first : second, by: "own") }
      }.value
      await #expect(processExitsWith: .success) { [path = path as String] in
        let coordinator = try Self.coordinator(path)
        for _ in 0..<10 { try Self.save(coordinator, by: "other") }
      }
      try await own
      let count = await told.count(21)
      #expect((21...30).contains(count), "20 of our own, and at most one for each of the others: \(count)")
      #expect(try Self.transactions(first).count == 30)
      let last = try Self.transactions(first).last?.token
      #expect(told.all.contains(last))
    }
  }

  @Test("Without a history another process' writes are told as well, without a token")
  func untracked() async throws {
    try await withFile { path in
      let coordinator = try Self.coordinator(path, tracks: false)
      let told = Told(coordinator)
      for _ in 0..<10 { try Self.save(coordinator, by: "own") }
      #expect(await told.count(10) == 10)
      await #expect(processExitsWith: .success) { [path = path as String] in
        try Self.save(try Self.coordinator(path, tracks: false), by: "child")
      }
      #expect(await told.count(11) >= 11)
      #expect(told.all.allSatisfy { $0 == nil })
    }
  }

  @Test("While a store writes, whatever code the write runs, its file gets watchers and other files are written")
  func duringWrite() async throws {
    try await withFile { path in
      let coordinator = try Self.coordinator(path)
      let told = Told(coordinator)
      let file = try #require(WatchedFile.find(path))
      let (owner, quietOwner) = (NSObject(), NSObject())
      try file.duringOwnWrite(Connection(path: path, options: Connection.Options())) {
        for (owner, isQuiet) in [(owner, false), (quietOwner, true)] {
          let hasBegun = WatchedFile.begin(path, owner: ObjectIdentifier(owner), isQuiet: isQuiet) { _ in }
          #expect(hasBegun)
        }
        let other = try Self.coordinator(path + "2")
        try Self.save(other, by: "other")
        #expect(try Self.transactions(other).count == 1)
      }
      for owner in [owner, quietOwner] { WatchedFile.end(path, ObjectIdentifier(owner)) }
      try Self.save(coordinator, by: "own")
      #expect(await told.count(1) == 1)
    }
  }

  @Test("A store that was removed, and a coordinator that is gone, are told nothing, and watch nothing")
  func removed() async throws {
    try await withFile { path in
      let coordinator = try Self.coordinator(path)
      var gone: NSPersistentStoreCoordinator? = try Self.coordinator(path)
      let told = Told(coordinator)
      #expect(WatchedFile.find(path) != nil)
      try coordinator.remove(coordinator.persistentStores[0])
      #expect(WatchedFile.find(path) != nil && gone != nil)
      gone = nil
      #expect(WatchedFile.find(path) == nil)
      await #expect(processExitsWith: .success) { [path = path as String] in
        try Self.save(try Self.coordinator(path), by: "child")
      }
      #expect(await told.count(0) == 0)
    }
  }
}
