import ArgumentParser
import CoreData
import DurabilitySupport
import Inspection
import TestDice

/// Kills processes that migrate a store, at every operation on its files, and looks at what is left: the old store or
/// the new one, complete.
struct Migrations: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Kills processes that migrate, and looks at what is left.")

  @Argument(help: "How many kills for each kind of store and each way (default: all possible ones).")
  var count: Int?
  @Option(help: "Where the random numbers begin.")
  var seed: UInt64 = 1
  @Option(help: "Only these stores, such as \"sqlite,wal,files\"; may be given several times.")
  var store: [String] = []
  @Option(help: "Only these ways: automatic, progressive, staged; may be given several times.")
  var way: [MigrationWay] = []

  func run() throws {
    setvbuf(stdout, nil, _IOLBF, 0)
    guard FaultyFolder.isAvailable else { throw ValidationError("A sanitizer is in the way.") }
    let names = store.isEmpty ? ["sqlite,wal", "sqlite,wal,files", "sqlite,delete,files", "xml", "binary"] : store
    var isClean = true
    for name in names {
      guard let setup = StoreSetup(name) else { throw ValidationError("There is no store \"\(name)\".") }
      for way in way.isEmpty ? MigrationWay.allCases : way {
        let rounds = try MigrationRounds(setup, way, seed: seed)
        try rounds.run(count)
        print(rounds.summary)
        isClean = isClean && rounds.complaints.isEmpty
      }
    }
    print(isClean ? "No store was lost, and none was there in part." : "Stores were lost or damaged.")
    if !isClean { throw ExitCode(1) }
  }
}

/// The rounds of one kind of store and one way to migrate it.
final class MigrationRounds {
  private let setup: StoreSetup
  private let way: MigrationWay
  private let place: URL
  /// Keeps the old model loaded in this program.
  private let former = NSPersistentStoreCoordinator(managedObjectModel: ledgerModel)
  private let lines: [String]
  private var random: Dice
  private var kills = 0, old = 0, new = 0
  private(set) var complaints: [String] = []

  private var folder: URL { place.appendingPathComponent("store", isDirectory: true) }
  private var original: URL { place.appendingPathComponent("original", isDirectory: true) }
  private var log: URL { place.appendingPathComponent("log") }

  /// Makes the store that each round begins with.
  init(_ setup: StoreSetup, _ way: MigrationWay, seed: UInt64) throws {
    (self.setup, self.way) = (setup, way)
    random = Dice(state: seed)
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    place = URL(fileURLWithPath: base).appendingPathComponent("store-crasher-\(getpid())-\(way)", isDirectory: true)
    try? FileManager.default.removeItem(at: place)
    let folder = place.appendingPathComponent("original", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let coordinator = try setup.open(in: folder)
    let context = try LedgerContext(coordinator)
    var ledger = Ledger(seed: seed, hasFiles: setup.hasFiles)
    for _ in 0..<12 {
      let changes = ledger.advance(withFile: setup.hasFiles && ledger.saves == 5)
      context.apply(changes, save: ledger.saves)
      try context.save()
    }
    try coordinator.removeAllStores()
    lines = ledger.lines
  }

  deinit { try? FileManager.default.removeItem(at: place) }

  var summary: String {
    (["\(setup), \(way): \(kills) kills, \(old) left the old store, \(new) the new one; \(complaints.count) complaints"]
      + complaints.prefix(5).map { "  " + $0 }).joined(separator: "\n")
  }

  func run(_ count: Int?) throws {
    guard let operations = try round(at: 0, .before), operations > 0 else {
      complaints.append("the migration did not come to its end")
      return
    }
    var points = (1...operations).flatMap { operation in FaultyFolder.Moment.allCases.map { (operation, $0) } }
    if let count { points = Array(points.shuffled(using: &random).prefix(count)) }
    for (operation, moment) in points { _ = try round(at: operation, moment) }
  }

  /// Migrates a copy of the store until the process is killed, and checks what is left. Returns the number of
  /// operations; nil if the process was killed.
  private func round(at operation: Int, _ moment: FaultyFolder.Moment) throws -> Int? {
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: original, to: folder)
    try Data().write(to: log)
    let child = try ChildProcess([
      "migrate-once", "--folder", folder.path, "--log", log.path, "--store", "\(setup)", "--way", way.rawValue,
      "--at", "\(operation)", "--moment", "\(moment)",
    ])
    let end = child.wait()
    let text = try String(contentsOf: log, encoding: .utf8)
    let title = "killed \(moment) operation \(operation) (\(text.split(separator: "\n").last ?? "")): "
    switch end {
    case .signal(SIGKILL): kills += 1
    case .exit(0): break
    default: complaints.append(title + "the process ended by \(end)")
    }
    do { try check(isEnd: end == .exit(0)) } catch {
      complaints.append(title + "\((error as NSError).code) \(error.localizedDescription)")
    }
    return text.split(separator: "\n").compactMap { $0.hasPrefix("end ") ? Int($0.dropFirst(4)) : nil }.last
  }

  private func check(isEnd: Bool) throws {
    defer { withExtendedLifetime(former) {} }
    let url = setup.url(in: folder)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: setup.type, at: url)
    if ledgerModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) {
      if isEnd { throw Complaint("the migration came to its end and the store is old") }
      old += 1
      try compare(ledgerModel, [:])
    } else {
      new += 1
    }
    // Opens the store as the next program does, which also removes what the killed one left behind.
    try MigrationWay.automatic.migrate(setup, in: folder)
    try compare(laterLedgerModel, laterLedgerNames)
    if setup.kind == .sqlite {
      let check = try StoreCheck(url, laterLedgerModel)
      let left = check.unreferencedFiles.map { "the file \($0) is still there" }
      if let problem = (check.problems + left).first { throw Complaint(problem) }
    }
    let litter = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
      !name.hasPrefix(url.lastPathComponent) && name != ".S_SUPPORT"
    }
    if let name = litter.first { throw Complaint("the file \(name) was left behind") }
  }

  private func compare(_ model: NSManagedObjectModel, _ names: [String: String]) throws {
    let coordinator = try setup.open(in: folder, model: model)
    let found = try LedgerContext(coordinator, names: names).lines
    try coordinator.removeAllStores()
    if found != lines {
      let difference = found.difference(from: lines).map { "\($0)".prefix(200) }.joined(separator: "; ")
      throw Complaint("other values than before: \(difference)")
    }
  }
}
