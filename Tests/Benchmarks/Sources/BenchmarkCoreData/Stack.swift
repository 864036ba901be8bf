import BenchmarkDriver
import BenchmarkWorkload
import CoreData

/// A compiled model of this driver's bundle.
func model(_ name: String) -> NSManagedObjectModel {
  guard let url = Bundle.module.url(forResource: name, withExtension: "momd"),
    let model = NSManagedObjectModel(contentsOf: url)
  else {
    fail("BenchmarkCoreData: no compiled model \(name).momd in \(Bundle.module.bundlePath)")
  }
  return model
}

/// A coordinator with one store, with the settings that all drivers share stated.
func coordinator(
  _ model: NSManagedObjectModel, _ path: String, synchronous: String = "NORMAL", _ more: [AnyHashable: Any] = [:]
) throws -> NSPersistentStoreCoordinator {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  _ = try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
    options: [
      NSSQLitePragmasOption: [
        "journal_mode": "WAL", "synchronous": synchronous, "cache_size": "-2000", "wal_autocheckpoint": "1000",
      ]
    ].merging(more) { $1 })
  return coordinator
}

/// The stack as a program would set it up, on the main queue.
func openStack(_ run: Run, model name: String = "BenchmarkLibrary") throws -> NSManagedObjectContext {
  let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  context.persistentStoreCoordinator = try coordinator(
    model(name), run.path, synchronous: benchmark_is_durable(run.operation) ? "FULL" : "NORMAL")
  context.undoManager = nil
  return context
}

/// Times reading a model of fifty entities and opening an existing store of it; making the store comes
/// before.
func openFiftyEntities(_ run: Run) throws {
  do {
    let first = try coordinator(model("FiftyEntities"), run.path)
    for store in first.persistentStores { try first.remove(store) }
  }
  var opened: NSPersistentStoreCoordinator?
  run.measure { opened = try coordinator(model("FiftyEntities"), run.path) }
  run.report("entities", opened?.managedObjectModel.entities.count ?? 0)
}

extension Tally {
  /// Reads the seven attributes of a book.
  @inline(__always)
  mutating func add(_ book: Book) {
    add(
      title: book.title, author: book.author, isbn: book.isbn, pages: book.pages, price: book.price,
      published: book.published.timeIntervalSinceReferenceDate, inPrint: book.inPrint)
  }
}

func checksum(_ book: Book) -> UInt64 {
  checksum(
    title: book.title, author: book.author, isbn: book.isbn, pages: book.pages, price: book.price,
    published: book.published.timeIntervalSinceReferenceDate, inPrint: book.inPrint)
}
