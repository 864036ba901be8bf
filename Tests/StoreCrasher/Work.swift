import ArgumentParser
import CoreData
import DurabilitySupport

/// What a round's process does until it is killed: opens the store, saves, and logs each save.
///
/// Lines of the log: `open N` (the saves that the store has), `save N`, `kill moment operation file`, `end N` (the
/// number of operations), `error code text`.
struct Work: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Saves until it is killed.", shouldDisplay: false)

  @Option var folder: String
  @Option var log: String
  @Option var store: String
  @Option var seed: UInt64
  @Option var saves: Int
  /// The number of saves after which it closes the store and opens it again; 0 for never.
  @Option var reopen: Int
  /// The number of the operation at which it is killed; 0 for none.
  @Option var at: Int
  @Option var moment: String

  func run() throws {
    alarm(60)
    let log = SyncedLog(path: log)
    guard let setup = StoreSetup(store), let moment = Moment(moment) else { throw ValidationError("a bad option") }
    let watched = FaultyFolder(URL(fileURLWithPath: folder, isDirectory: true))
    if at > 0 { watched.kill(at: at, moment.value, report: log.descriptor) }
    do {
      try work(setup, watched.url, log)
      watched.mend()
      log.append("end \(watched.count)")
    } catch {
      log.append("error \((error as NSError).code) \(error.localizedDescription)")
      throw ExitCode(3)
    }
  }

  private func work(_ setup: StoreSetup, _ folder: URL, _ log: SyncedLog) throws {
    var left = saves
    repeat {
      let coordinator = try setup.open(in: folder)
      let context = try LedgerContext(coordinator)
      var ledger = Ledger(seed: seed, hasFiles: setup.hasFiles, saves: context.saves)
      log.append("open \(ledger.saves)")
      for _ in 0..<(reopen > 0 ? min(reopen, left) : left) {
        let changes = ledger.advance()
        context.apply(changes, save: ledger.saves)
        try context.save()
        log.append("save \(ledger.saves)")
        left -= 1
      }
      try coordinator.removeAllStores()
    } while left > 0
  }

  private struct Moment {
    let value: FaultyFolder.Moment

    init?(_ name: String) {
      guard let value = FaultyFolder.Moment.allCases.first(where: { "\($0)" == name }) else { return nil }
      self.value = value
    }
  }
}
