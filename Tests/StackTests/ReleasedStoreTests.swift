import CoreData
import Foundation
import Testing

/// What becomes of a store's connections when nobody removes the store, and its coordinator just goes.
@Suite("Stores that are released")
struct ReleasedStoreTests {
  @Test("The last connection has closed, and so taken its log away, when the coordinator is gone")
  func closed() throws {
    let url = StoreKind.sqlite.newURL()
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) } }
    for round in 0..<150 {
      try useOnce(url, round)
      #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"), "round \(round)")
    }
  }

  /// A reader that was used is looked after by a timer 5 milliseconds later; the coordinator goes at about that time.
  private func useOnce(_ url: URL, _ round: Int) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      context.new("Author", ["name": "\(round)"])
      try context.save()
      context.reset()
      #expect(try context.all("Author").count == round + 1)
      for author in try context.all("Author") { _ = author.value(forKey: "books") as? NSSet }
      usleep(UInt32(4_700 + round % 15 * 40))
    }
  }
}
