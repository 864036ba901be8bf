import Foundation
import Testing

@testable import CoreData

@Suite("Options of stores, and loading descriptions")
struct StoreOptionTests {
  private let folder = StoreFolder()

  private func opening(_ name: String, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]) -> NSError? {
    failure { try folder.open(.sqlite, name, model, options: options) { _, _ in } }
  }

  // SQLite.

  /// Where another program writes, SQLite refuses another journal mode at once: it does not wait by itself.
  @Test(
    "A file that is locked while it is opened: the timeout is waited for, and has its error",
    arguments: [(Connection.TransactionKind.exclusive, "DELETE"), (.immediate, "WAL")])
  func lockedOpening(_ kind: Connection.TransactionKind, _ journalMode: String) throws {
    func options(timeout: Int, journalMode: String) -> [AnyHashable: Any] {
      [NSPersistentStoreTimeoutOption: timeout, NSSQLitePragmasOption: ["journal_mode": journalMode]]
    }
    #expect(opening("T", library(), options(timeout: 0, journalMode: "DELETE")) == nil)
    let lock = try Connection(path: folder.file("T").path, options: Connection.Options())
    try lock.begin(kind)
    let error = opening("T", library(), options(timeout: 0, journalMode: journalMode))
    #expect(error?.code == NSPersistentStoreTimeoutError)
    #expect(error?.userInfo[NSSQLiteErrorDomain] as? Int == 5)
    #expect(error?.localizedDescription.contains(folder.file("T").path) == true)
    // One that waits gets it in the end.
    let (started, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let url = folder.file("T")
    nonisolated(unsafe) var outcome: NSError?
    DispatchQueue.global().async {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
      started.signal()
      outcome = failure {
        try coordinator.addPersistentStore(
          type: .sqlite, at: url, options: options(timeout: 60, journalMode: journalMode))
      }
      done.signal()
    }
    started.wait()
    // Long enough for it to meet the lock.
    usleep(200_000)
    try lock.commit()
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(outcome == nil)
  }

  @Test("Statistics are gathered and free pages given back when the store is opened with the options for it")
  func maintenance() throws {
    try folder.open(.sqlite, "T", library()) { _, context in
      for number in 0..<2000 { context.new("Tag", ["name": "\(number)" + String(repeating: "x", count: 200)]) }
      try context.save()
      for tag in try context.all("Tag") where tag.string("name")!.first != "1" { context.delete(tag) }
      try context.save()
    }
    func pragma(_ name: String) throws -> Int {
      let connection = try Connection(path: folder.file("T").path, options: Connection.Options())
      return Int(try connection.pragma(name) ?? "") ?? -1
    }
    func hasStatistics() throws -> Bool {
      let connection = try Connection(path: folder.file("T").path, options: Connection.Options())
      return try StoreMetadata.hasTable("sqlite_stat1", connection)
    }
    #expect(try pragma("freelist_count") > 0)
    #expect(try !hasStatistics())
    let before = try pragma("page_count")
    #expect(
      opening("T", library(), [NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true as NSNumber]) == nil)
    #expect(try pragma("freelist_count") == 0)
    #expect(try pragma("page_count") < before)
    #expect(try hasStatistics())
    #expect(try folder.open(.sqlite, "T", library()) { try $1.all("Tag").count } == 1111)
  }

  @Test("With versioning ignored a fitting file of another model is opened, and says from then on which model it has")
  func ignoringVersions() throws {
    func model(_ modifier: String?) -> NSManagedObjectModel {
      let name = attribute("name")
      name.versionHashModifier = modifier
      let model = NSManagedObjectModel()
      model.entities = [entity("Tag", [name])]
      return model
    }
    #expect(opening("T", model(nil), [:]) == nil)
    let error = opening("T", model("2"), [:])
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(error?.localizedDescription.contains("Tag changed") == true)
    #expect(
      opening("T", model("2"), [NSIgnorePersistentStoreVersioningOption: true, NSReadOnlyPersistentStoreOption: true])
        == nil)
    #expect(opening("T", model("2"), [:])?.code == 134100)
    #expect(opening("T", model("2"), [NSIgnorePersistentStoreVersioningOption: true]) == nil)
    #expect(opening("T", model("2"), [:]) == nil)
    #expect(opening("T", model(nil), [:])?.code == 134100)
  }

  @Test("The size of the pool and the file's protection are taken; one connection is enough")
  func pool() throws {
    let options: [AnyHashable: Any] = [
      NSPersistentStoreConnectionPoolMaxSizeKey: 1, NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete",
    ]
    try folder.open(.sqlite, "T", library(), options: options) { store, context in
      #expect((store as? SQLiteStore)?.storeOptions.maximumReaders == 1)
      context.new("Tag")
      try context.save()
      let coordinator = try #require(store.persistentStoreCoordinator)
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        let other = coordinator.newContext()
        let count = try? other.performAndWait { try other.all("Tag").count }
        #expect(count == 1)
      }
      #expect(store.options?[NSPersistentStoreFileProtectionKey] as? String == "NSFileProtectionComplete")
    }
  }

  @Test(
    "A pool and a timeout may be as large as numbers are, or no number at all",
    arguments: ["inf", "1e300", "1e18", "-1e300", "nan"])
  func hugeOptions(_ text: String) throws {
    let number = try #require(Double(text))
    let isLarge = number > 1
    let options: [AnyHashable: Any] = [
      NSPersistentStoreConnectionPoolMaxSizeKey: isLarge ? Int.max as Any : number as Any,
      NSPersistentStoreTimeoutOption: number,
    ]
    try folder.open(.sqlite, "T", library(), options: options) { store, context in
      let found = try #require((store as? SQLiteStore)?.storeOptions)
      #expect((found.maximumReaders > 1) == isLarge)
      #expect(found.busyTimeout == (isLarge ? Int32.max : 0))
      context.new("Tag")
      try context.save()
      #expect(try context.all("Tag").count == 1)
    }
  }

  // Descriptions and containers.

  @Test("A description has a timeout of 240 seconds, writes its settings into options, and drops an option set to nil")
  func description() {
    let description = NSPersistentStoreDescription()
    #expect(description.url == URL(fileURLWithPath: "/dev/null") && description.timeout == 240)
    #expect(description.configuration == nil && description.sqlitePragmas.isEmpty)
    #expect(
      Set(description.options.keys)
        == [NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption])
    description.setOption(true as NSNumber, forKey: NSSQLiteAnalyzeOption)
    #expect(description.options[NSSQLiteAnalyzeOption] == true as NSNumber)
    description.setOption(nil, forKey: NSSQLiteAnalyzeOption)
    #expect(description.options[NSSQLiteAnalyzeOption] == nil)
    description.setValue("77" as NSString, forPragmaNamed: "cache_size")
    #expect(description.sqlitePragmas["cache_size"] as? String == "77")
    description.setValue(nil, forPragmaNamed: "cache_size")
    #expect(description.options[NSSQLitePragmasOption] == nil)
  }

  @Test("Descriptions of the same store are equal, those of others are not")
  func equalDescriptions() throws {
    let url = folder.file("equal")
    let one = NSPersistentStoreDescription(url: url)
    let copy = try #require(one.copy() as? NSPersistentStoreDescription)
    #expect(one == NSPersistentStoreDescription(url: url) && one == copy && one.hash == copy.hash)
    let changes: [(NSPersistentStoreDescription) -> Void] = [
      { $0.url = nil }, { $0.type = NSInMemoryStoreType }, { $0.configuration = "Cloud" },
      { $0.shouldAddStoreAsynchronously = true }, { $0.isReadOnly = true },
      { $0.setValue("77" as NSString, forPragmaNamed: "cache_size") },
    ]
    for change in changes {
      let other = NSPersistentStoreDescription(url: url)
      change(other)
      #expect(one != other)
    }
  }

  private func container(_ descriptions: [NSPersistentStoreDescription]) -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: library())
    container.persistentStoreDescriptions = descriptions
    return container
  }

  private func describe(_ name: String, _ type: String = NSSQLiteStoreType) -> NSPersistentStoreDescription {
    let description = NSPersistentStoreDescription(url: folder.file(name))
    description.type = type
    return description
  }

  @Test("Each description has its call, failed ones with their errors; the others stay loaded")
  func failures() throws {
    try Data("hello, this is no database at all".utf8).write(to: folder.file("text"))
    let readOnly = describe("none")
    readOnly.isReadOnly = true
    let strange = describe("strange")
    strange.configuration = "Cloud"
    let homeless = describe("x")
    homeless.url = nil
    let descriptions = [
      describe("A"), describe("text"), describe("text/folder"), readOnly, strange, describe("y", "Nonsense"), homeless,
      describe("A"), describe("B"),
    ]
    let container = container(descriptions)
    var calls: [(NSPersistentStoreDescription, Int)] = []
    container.loadPersistentStores { calls.append(($0, ($1 as NSError?)?.code ?? 0)) }
    // The second A is there already when its turn comes.
    #expect(calls.map(\.1) == [0, 259, 512, 260, 134080, 134000, 134080, 134081, 0])
    #expect(calls.map(\.0) == descriptions)
    #expect(container.persistentStoreCoordinator.persistentStores.map { $0.url?.lastPathComponent } == ["A", "B"])
    #expect(folder.names.filter { !$0.contains("-") } == ["A", "B", "text"])
  }

  @Test("Loading again tries what failed, and refuses a file that is open; the handler hears of each")
  func again() throws {
    try Data("hello, this is no database at all".utf8).write(to: folder.file("T"))
    let memory = describe("M", NSInMemoryStoreType)
    memory.url = URL(fileURLWithPath: "/dev/null")
    let homeless = describe("N", NSInMemoryStoreType)
    homeless.url = nil
    let container = container([memory, homeless, describe("A"), describe("T")])
    var calls: [Int] = []
    container.loadPersistentStores { calls.append(($1 as NSError?)?.code ?? 0) }
    try FileManager.default.removeItem(at: folder.file("T"))
    container.loadPersistentStores { calls.append(($1 as NSError?)?.code ?? 0) }
    container.loadPersistentStores { calls.append(($1 as NSError?)?.code ?? 0) }
    #expect(calls == [0, 0, 0, 259] + [0, 0, 134081, 0] + [0, 0, 134081, 134081])
    #expect(container.persistentStoreCoordinator.persistentStores.count == 4)
  }

  @Test("Asynchronous descriptions report each on their own, off the calling thread's stack")
  func asynchronous() throws {
    try Data("hello, this is no database at all".utf8).write(to: folder.file("text"))
    let descriptions = ["A", "text", "B"].map { describe($0) }
    for description in descriptions { description.shouldAddStoreAsynchronously = true }
    let container = container(descriptions)
    let lock = NSLock()
    nonisolated(unsafe) var calls: [String: Int] = [:]
    let done = DispatchSemaphore(value: 0)
    container.loadPersistentStores { description, error in
      lock.withLock { calls[description.url!.lastPathComponent] = (error as NSError?)?.code ?? 0 }
      done.signal()
    }
    for _ in descriptions { #expect(done.wait(timeout: .now() + 60) == .success) }
    #expect(calls == ["A": 0, "text": 259, "B": 0])
    #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
  }
}
