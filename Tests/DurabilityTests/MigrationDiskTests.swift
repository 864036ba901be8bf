import CoreData
import DurabilitySupport
import Foundation
import TestDice
import Testing

/// Migrations on a disk that becomes full, or that refuses to sync.
@Suite("Migrations on full disks", hasFaultyFiles)
struct MigrationDiskTests {
  static let setups = ["sqlite,wal,files", "sqlite,delete", "xml", "binary"].map { StoreSetup($0)! }
  /// Progressive migrations put their new store elsewhere; what is left to see of them is the replacing.
  static let ways: [MigrationWay] = [.automatic, .staged]

  @Test(
    "Wherever the disk becomes full, the error names a file, the store is the old one or the new one, nothing is left beside it, and with room again it is the new one",
    arguments: setups, ways)
  func fullDisk(_ setup: StoreSetup, _ way: MigrationWay) throws {
    let store = try OldStore(setup)
    // Operations are far more than there is time for: each seed takes others of them.
    var dice = Dice(state: RandomTest.seed("STRATA_DISK_SEED"))
    var skipped = Int.random(in: 0..<3, using: &dice)
    var failures = 0
    while true {
      store.folder.fail(.filling, with: ENOSPC, skipping: skipped)
      let error = failure { try way.migrate(setup, in: store.folder.url) }
      store.folder.mend()
      guard let error else { break }
      failures += 1
      #expect(names(store.folder.url, error), "\(error)")
      // Behind the migration comes the opening, which may find no room for SQLite's own files.
      guard try store.isOld() else { break }
      try store.checkIsOld("after \(skipped): \(error.localizedDescription)")
      skipped += Int.random(in: 5..<17, using: &dice)
    }
    #expect(failures > 0)
    try way.migrate(setup, in: store.folder.url)
    try store.checkIsNew()
  }

  @Test(
    "A disk that refuses to sync leaves the old store or the new one, and the next attempt the new one",
    arguments: setups, ways)
  func syncFailure(_ setup: StoreSetup, _ way: MigrationWay) throws {
    let store = try OldStore(setup)
    for skipped in 0..<4 {
      store.folder.fail(.sync, with: EIO, skipping: skipped, times: 1)
      let error = failure { try way.migrate(setup, in: store.folder.url) }
      store.folder.mend()
      if let error, try store.isOld() {
        #expect(names(store.folder.url, error), "\(error)")
        try store.checkIsOld("after \(skipped)")
      }
    }
    try way.migrate(setup, in: store.folder.url)
    try store.checkIsNew()
  }

  @Test("Whichever removal or sync of a replacement fails, the old store or the new one has all its long values")
  func lateFailure() throws {
    var (skipped, failures) = (0, 0)
    while true {
      let store = try OldStore(StoreSetup("sqlite,delete,files,full")!)
      store.folder.fail([.unlink, .sync], with: EIO, skipping: skipped, times: 1)
      let error = failure { try MigrationWay.progressive.migrate(store.setup, in: store.folder.url) }
      let hasFailed = store.folder.failures > 0
      store.folder.mend()
      if try store.isOld() {
        #expect(error != nil, "after \(skipped)")
        try store.checkIsOld("after \(skipped)")
      } else {
        try store.checkIsNew()
      }
      if !hasFailed { break }
      failures += 1
      skipped += 1
    }
    #expect(failures > 4)
  }

  @Test("A renaming that fails is an error of the store, with the file's name, and the store stays as it was")
  func failedRenaming() throws {
    var skipped = 0
    while true {
      let store = try OldStore(StoreSetup("sqlite,wal,files,full")!)
      store.folder.fail([.rename], with: EIO, skipping: skipped, times: 1)
      let error = failure { try MigrationWay.staged.migrate(store.setup, in: store.folder.url) }
      if store.folder.failures == 0 { break }
      store.folder.mend()
      #expect(error?.domain == NSCocoaErrorDomain && error?.userInfo[NSFilePathErrorKey] != nil, "after \(skipped)")
      try store.checkIsOld("after \(skipped)")
      skipped += 1
    }
    #expect(skipped > 0)
  }
}

/// A store of the ledger's first model. Removed with the value.
private final class OldStore {
  let folder: FaultyFolder
  let setup: StoreSetup
  /// The folder that has nothing but `folder`, and what a progressive migration puts beside it. Not watched, as what
  /// happens in `folder` would count there.
  private let place: URL
  private let lines: [String]
  /// Lets XML and binary stores find the model that they are of.
  private let former = NSPersistentStoreCoordinator(managedObjectModel: ledgerModel)

  init(_ setup: StoreSetup) throws {
    self.setup = setup
    place = try makeFolder().url
    let url = place.appendingPathComponent("store", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folder = FaultyFolder(url)
    let coordinator = try setup.open(in: folder.url)
    let context = try LedgerContext(coordinator)
    var ledger = Ledger(seed: 5, hasFiles: setup.hasFiles)
    for number in 0..<8 {
      context.apply(ledger.advance(withFile: setup.hasFiles && number == 4), save: ledger.saves)
      try context.save()
    }
    try coordinator.removeAllStores()
    lines = ledger.lines
  }

  deinit { try? FileManager.default.removeItem(at: place) }

  func isOld() throws -> Bool {
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: setup.type, at: setup.url(in: folder.url))
    return ledgerModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
  }

  func checkIsOld(_ what: String) throws {
    #expect(try isOld(), "\(what)")
    try check(ledgerModel, [:], what)
  }

  func checkIsNew() throws { try check(laterLedgerModel, laterLedgerNames, "at the end") }

  private func check(_ model: NSManagedObjectModel, _ names: [String: String], _ what: String) throws {
    let coordinator = try setup.open(in: folder.url, model: model)
    #expect(try LedgerContext(coordinator, names: names).lines == lines, "\(what)")
    try coordinator.removeAllStores()
    let own = setup.url(in: folder.url).lastPathComponent
    let litter = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { !$0.hasPrefix(own) && $0 != ".S_SUPPORT" }
    #expect(litter.isEmpty, "\(what)")
  }
}
