import ArgumentParser
import CoreData
import DurabilitySupport

extension MigrationWay: ExpressibleByArgument {}

/// What a process of `Migrations` does: migrates the store, until it is killed. Its log has a line `end N`, `kill …` or
/// `error …`.
struct MigrateOnce: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Migrates until it is killed.", shouldDisplay: false)

  @Option var folder: String
  @Option var log: String
  @Option var store: String
  @Option var way: MigrationWay
  /// The number of the operation at which it is killed; 0 for none.
  @Option var at: Int
  @Option var moment: String

  func run() throws {
    alarm(60)
    let log = SyncedLog(path: log)
    guard let setup = StoreSetup(store), let moment = FaultyFolder.Moment.allCases.first(where: { "\($0)" == moment })
    else { throw ValidationError("a bad option") }
    // Some stores do not contain their model. For them the old model must be loaded in this program.
    let former = NSPersistentStoreCoordinator(managedObjectModel: ledgerModel)
    defer { withExtendedLifetime(former) {} }
    let watched = FaultyFolder(URL(fileURLWithPath: folder, isDirectory: true))
    if at > 0 { watched.kill(at: at, moment, report: log.descriptor) }
    do {
      try way.migrate(setup, in: watched.url)
      watched.mend()
      log.append("end \(watched.count)")
    } catch {
      log.append("error \((error as NSError).code) \(error.localizedDescription)")
      throw ExitCode(3)
    }
  }
}
