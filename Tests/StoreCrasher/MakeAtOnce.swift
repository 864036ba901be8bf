import ArgumentParser
import CoreData
import DurabilitySupport

/// One of two processes that make the same new store, when a file "start" says so; it saves one object.
struct MakeAtOnce: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make-at-once", abstract: "Makes a store together with another process.", shouldDisplay: false)

  @Option var folder: String
  @Option var store: String
  @Option var number: Int

  func run() throws {
    alarm(60)
    guard let setup = StoreSetup(store) else { throw ValidationError("a bad option") }
    _ = ledgerModel.entities
    while access("\(folder)/start", F_OK) != 0 { usleep(100) }
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
}
