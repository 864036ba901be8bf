import ArgumentParser
import CoreData
import DurabilitySupport
import Inspection

/// Something that a program does to a store in steps, and that a test interrupts. Each step must be done whole or not
/// at all.
struct Scenario: CustomStringConvertible {
  enum Deed: String, CaseIterable, ExpressibleByArgument {
    case making, saves, batches, automatic, progressive, staged

    var way: MigrationWay? { MigrationWay(rawValue: rawValue) }
  }

  let deed: Deed
  let setup: StoreSetup
  let seed: UInt64

  var description: String { "\(deed) \(setup)" }

  /// Keeps the old model loaded in this program.
  private static let former = NSPersistentStoreCoordinator(managedObjectModel: ledgerModel)
  private static let savesBefore = 3

  /// Each deed with the stores for which it takes a way of its own.
  static let all: [(deed: Deed, setup: StoreSetup)] = [
    (
      .making,
      [
        "sqlite,wal", "sqlite,wal,full", "sqlite,delete", "sqlite,delete,full", "sqlite,wal,files,full", "xml",
        "binary",
      ]
    ),
    (
      .saves,
      [
        "sqlite,wal", "sqlite,wal,full", "sqlite,wal,files", "sqlite,wal,files,full", "sqlite,wal,checkpoint",
        "sqlite,wal,files,checkpoint,full", "sqlite,delete", "sqlite,delete,full", "sqlite,delete,extra",
        "sqlite,delete,files,full", "sqlite,truncate,full", "sqlite,persist,files,full", "xml", "binary",
      ]
    ),
    (.batches, ["sqlite,wal", "sqlite,wal,files,full", "sqlite,delete,full"]),
    (.automatic, ["sqlite,wal", "sqlite,wal,files,full", "sqlite,delete,files,full", "xml", "binary"]),
    (.progressive, ["sqlite,wal", "sqlite,wal,files,full", "sqlite,delete,files,full", "xml", "binary"]),
    (.staged, ["sqlite,wal", "sqlite,wal,files,full", "sqlite,delete,files,full", "xml", "binary"]),
  ].flatMap { deed, names in names.map { (deed, StoreSetup($0)!) } }

  // Doing.

  /// Makes the store that the deed begins with; none for `making`.
  func prepare(in folder: URL) throws {
    _ = Scenario.former
    if deed == .making { return }
    let coordinator = try setup.open(in: folder)
    let context = try LedgerContext(coordinator)
    var ledger = Ledger(seed: seed, hasFiles: setup.hasFiles)
    for number in 0..<(deed == .saves ? Scenario.savesBefore : 6) {
      let withFile = setup.hasFiles && deed != .saves && number == 1
      context.apply(ledger.advance(withFile: withFile), save: ledger.saves)
      try context.save()
    }
    try coordinator.removeAllStores()
  }

  /// Does all steps. Calls `reached` with the number of each step that has ended; `attempts` runs each part that may
  /// fail.
  func perform(in folder: URL, attempts: any Attempts = SimpleAttempts(), reached: (Int) throws -> Void) throws {
    switch deed {
    case .making:
      let coordinator = try attempts.run("open") { try setup.open(in: folder) }
      try reached(1)
      var ledger = Ledger(seed: seed, hasFiles: setup.hasFiles)
      try save(2, coordinator, &ledger, from: 1, attempts, reached)
      try attempts.run("close") { try coordinator.removeAllStores() }
    case .saves:
      var done = 0
      var ledger = Ledger(seed: seed, hasFiles: setup.hasFiles, saves: Scenario.savesBefore)
      for count in [5, 3] {
        let coordinator = try attempts.run("open") { try setup.open(in: folder) }
        try save(count, coordinator, &ledger, from: done, attempts, reached)
        done += count
        try attempts.run("close") { try coordinator.removeAllStores() }
      }
    case .batches: try BatchDeeds(seed: seed).perform(setup, in: folder, attempts, reached: reached)
    case .automatic, .progressive, .staged:
      try attempts.run("migrate") { try deed.way!.migrate(setup, in: folder) }
      try reached(1)
    }
  }

  private func save(
    _ count: Int, _ coordinator: NSPersistentStoreCoordinator, _ ledger: inout Ledger, from done: Int,
    _ attempts: any Attempts, _ reached: (Int) throws -> Void
  ) throws {
    let context = try attempts.run("fetch") { try LedgerContext(coordinator) }
    attempts.didFetch(context)
    for number in 1...count {
      context.apply(ledger.advance(withFile: setup.hasFiles && number == 2), save: ledger.saves)
      try attempts.run("save \(done + number)", context) { try context.save() }
      try reached(done + number)
    }
  }

  // Looking.

  /// All that the store holds, with the version of its model. Opens the store as a program does after a crash.
  func read(in folder: URL) throws -> [String] {
    guard deed.way != nil else {
      let coordinator = try setup.open(in: folder)
      defer { try? coordinator.removeAllStores() }
      return try LedgerContext(coordinator).lines
    }
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: setup.type, at: setup.url(in: folder))
    let isOld = ledgerModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    let coordinator = try setup.open(in: folder, model: isOld ? ledgerModel : laterLedgerModel)
    defer { try? coordinator.removeAllStores() }
    return [isOld ? "old" : "new"] + (try LedgerContext(coordinator, names: isOld ? [:] : laterLedgerNames).lines)
  }

  /// What is wrong with the store, and how many files of long values no row refers to.
  func check(in folder: URL) throws -> (problems: [String], unreferenced: Int) {
    var problems: [String] = []
    var unreferenced = 0
    if let way = deed.way {
      let before = try read(in: folder).dropFirst()
      // Opens the store as the next program does, which also removes what was left behind.
      try (way == .staged ? way : .automatic).migrate(setup, in: folder)
      let after = try read(in: folder)
      if after.first != "new" { problems.append("the store is old after its migration") }
      if after.dropFirst() != before { problems.append("the migration changes values") }
    }
    if setup.kind == .sqlite {
      let check = try StoreCheck(setup.url(in: folder), deed.way == nil ? ledgerModel : laterLedgerModel)
      problems += check.problems
      unreferenced = check.unreferencedFiles.count
    }
    let own = setup.url(in: folder).lastPathComponent
    problems += try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { !$0.hasPrefix(own) && $0 != ".S_SUPPORT" }.map { "the file \($0) was left behind" }
    return (problems, unreferenced)
  }
}

/// How the parts of a scenario are run.
protocol Attempts {
  /// Runs one part until it succeeds or throws. `context` is the context of a save, otherwise nil.
  func run<Result>(_ name: String, _ context: LedgerContext?, _ body: () throws -> Result) throws -> Result

  func didFetch(_ context: LedgerContext)
}

extension Attempts {
  func run<Result>(_ name: String, _ body: () throws -> Result) throws -> Result { try run(name, nil, body) }
}

/// Runs each part once.
struct SimpleAttempts: Attempts {
  func run<Result>(_ name: String, _ context: LedgerContext?, _ body: () throws -> Result) throws -> Result {
    try body()
  }

  func didFetch(_ context: LedgerContext) {}
}

/// Batch requests over the ledger's model, one transaction each.
struct BatchDeeds {
  let seed: UInt64

  func perform(
    _ setup: StoreSetup, in folder: URL, _ attempts: any Attempts, reached: (Int) throws -> Void
  ) throws {
    let coordinator = try attempts.run("open") { try setup.open(in: folder) }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for (index, request) in requests.enumerated() {
      try attempts.run("batch \(index + 1)") {
        try context.performAndWait { _ = try context.execute(request) }
      }
      try reached(index + 1)
    }
    try coordinator.removeAllStores()
  }

  private var requests: [NSPersistentStoreRequest] {
    let first = 1000 + Int(seed % 1000)
    let tags = (0..<60).map { ["number": first + $0, "stamp": 1, "name": "batch \($0)"] as [String: Any] }
    let update = NSBatchUpdateRequest(entityName: "Tag")
    update.propertiesToUpdate = ["name": "changed \(seed)", "stamp": 2]
    func delete(_ entity: String, _ format: String) -> NSBatchDeleteRequest {
      let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
      fetch.predicate = NSPredicate(format: format)
      return NSBatchDeleteRequest(fetchRequest: fetch)
    }
    return [
      NSBatchInsertRequest(entityName: "Tag", objects: tags), update, delete("Tag", "modulus:by:(number, 3) == 0"),
      delete("Book", "modulus:by:(number, 2) == 0"),
      NSBatchInsertRequest(entityName: "Author", objects: tags.map { $0.merging(["stamp": 3]) { $1 } }),
    ]
  }
}
