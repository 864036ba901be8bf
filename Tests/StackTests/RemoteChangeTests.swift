import CoreData
import Testing

@Suite("Notifications of changed stores")
struct RemoteChangeTests {
  /// What a coordinator was told, in order. Filled on another queue.
  private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var urls: [(uuid: String?, url: URL?)] = []
    private var token: (any NSObjectProtocol)?

    init(_ coordinator: NSPersistentStoreCoordinator) {
      token = NotificationCenter.default.addObserver(
        forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
      ) { [unowned self] note in
        let told = (note.userInfo?[NSStoreUUIDKey] as? String, note.userInfo?[NSPersistentStoreURLKey] as? URL)
        lock.withLock { urls.append(told) }
      }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }

    var all: [(uuid: String?, url: URL?)] { lock.withLock { urls } }

    /// Notifications come on a queue of their own, soon.
    func count(_ wanted: Int) async -> Int {
      for _ in 0..<500 where all.count < wanted { try? await Task.sleep(nanoseconds: 10_000_000) }
      return all.count
    }
  }

  private func coordinator(_ url: URL, tells: Bool) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: tells as NSNumber])
    return coordinator
  }

  private func save(_ coordinator: NSPersistentStoreCoordinator) throws {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      context.new("Tag")
      try context.save()
    }
  }

  @Test("A coordinator that asked for it is told of every save to its file, its own and other coordinators'")
  func told() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (url, elsewhere) = (folder.appendingPathComponent("a.sqlite"), folder.appendingPathComponent("b.sqlite"))
    let (listening, silent) = (try coordinator(url, tells: true), try coordinator(url, tells: false))
    let other = try coordinator(elsewhere, tells: true)
    let (told, untold) = (Told(listening), Told(silent))
    try save(other)
    try save(listening)
    try save(silent)
    #expect(await told.count(2) == 2)
    #expect(untold.all.isEmpty)
    #expect(told.all.allSatisfy { $0.uuid == listening.persistentStores[0].identifier && $0.url == url })
    let failing = NSManagedObjectContext(.privateQueue)
    failing.persistentStoreCoordinator = listening
    failing.performAndWait {
      failing.new("Book")["title"] = nil
      #expect(throws: (any Error).self) { try failing.save() }
    }
    try listening.remove(listening.persistentStores[0])
    try save(silent)
    try await Task.sleep(nanoseconds: 100_000_000)
    #expect(told.all.count == 2, "A failed save writes nothing, and a removed store tells nothing.")
  }

  @Test(
    "Own saves are told of a store in memory, and of one that is written as a whole, too",
    arguments: [StoreKind.inMemory, .xml, .binary])
  func otherKinds(_ kind: StoreKind) async throws {
    let stack = try Stack(kind, options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
    let told = Told(stack.coordinator)
    try save(stack.coordinator)
    #expect(await told.count(1) == 1)
    #expect(told.all.first?.uuid == stack.store.identifier && told.all.first?.url == stack.url)
  }

  @Test("A coordinator that has the file by a link, or a link to its folder, is told as well")
  func links() async throws {
    let folder = StoreFolder()
    let url = folder.file("a.sqlite")
    let writer = try coordinator(url, tells: false)
    try FileManager.default.createSymbolicLink(at: folder.file("link.sqlite"), withDestinationURL: url)
    try FileManager.default.createSymbolicLink(at: folder.file("folder"), withDestinationURL: folder.url)
    for link in ["link.sqlite", "folder/a.sqlite"] {
      let listening = try coordinator(folder.file(link), tells: true)
      let told = Told(listening)
      try save(writer)
      #expect(await told.count(1) == 1, "\(link)")
      #expect(told.all.first?.url == folder.file(link))
    }
  }
}
