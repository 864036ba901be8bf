import ArgumentParser
import CoreData
import DurabilitySupport

/// One of several processes that make the same new store, or migrate the same old one, as soon as a file "start"
/// exists. In a new store it saves one object.
struct MakeAtOnce: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make-at-once", abstract: "Makes a store together with another process.", shouldDisplay: false)

  @Option var folder: String
  @Option var store: String
  @Option var number: Int

  func run() throws {
    alarm(60)
    if store == "bank" { return try migrateBank() }
    guard let setup = StoreSetup(store) else { throw ValidationError("a bad option") }
    _ = ledgerModel.entities
    waitForStart()
    let coordinator = try setup.open(in: URL(fileURLWithPath: folder))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag.setValue(number, forKey: "number")
      try context.save()
    }
    try coordinator.removeAllStores()
  }

  /// Opens the bank's store with the later model. Only the store's file has the first one.
  private func migrateBank() throws {
    _ = BankModel.later.entities
    waitForStart()
    try BankModel.open(in: URL(fileURLWithPath: folder), BankModel.later).removeAllStores()
  }

  private func waitForStart() {
    while access("\(folder)/start", F_OK) != 0 { usleep(100) }
  }
}

/// Makes the store that such processes migrate.
struct MakeBank: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make-bank", abstract: "Makes a store of the bank's first model.", shouldDisplay: false)

  @Argument var folder: String

  func run() throws { try BankModel.makeStore(in: URL(fileURLWithPath: folder)) }
}
