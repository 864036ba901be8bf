// Measures one store:
//
//   PostgreSQLBenchmark times URL SIZE      inserts SIZE books, fetches and reads them, and what else takes time
//   PostgreSQLBenchmark trips FOLDER DELAY  counts round trips to the server whose socket is in FOLDER, each of which
//                                           waits DELAY microseconds for its answer
//
// URL is postgresql://… or a file's, for a SQLite store.
import CoreData
import Foundation
import PostgreSQLStore

@main
struct PostgreSQLBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let number = Int(arguments[3]) else {
      FileHandle.standardError.write(Data("PostgreSQLBenchmark times URL SIZE | trips FOLDER DELAY\n".utf8))
      exit(64)
    }
    if arguments[1] == "times", let url = URL(string: arguments[2]) {
      try Times(url, size: number).run()
    } else {
      try Trips(server: arguments[2], delay: UInt32(number)).run()
    }
  }
}

/// A context with one store.
func openContext(_ url: URL) throws -> NSManagedObjectContext {
  guard let file = Bundle.module.url(forResource: "Shop", withExtension: "momd"),
    let model = NSManagedObjectModel(contentsOf: file)
  else { fatalError("the model Shop is not in \(Bundle.module.bundlePath)") }
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  let type = url.isFileURL ? NSSQLiteStoreType : NSPostgreSQLStoreType
  try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
  let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  context.persistentStoreCoordinator = coordinator
  context.undoManager = nil
  return context
}

func books() -> NSFetchRequest<Book> {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: true)]
  return request
}

/// Inserts books without saving, the same that LibpqBenchmark inserts.
func makeBooks(_ size: Int, _ context: NSManagedObjectContext) {
  for number in 0..<size {
    let book = Book(context: context)
    book.title = "A book of some thirty bytes \(number)"
    book.isbn = String(format: "978%010d", (number * 7919) % size)
    book.pages = Int32(100 + number % 900)
    book.price = Double(number % 100) + 0.5
    book.published = Double(number) * 86_400
    book.inPrint = number % 3 == 0
  }
}

/// What the rows of the report are.
struct Times {
  private let context: NSManagedObjectContext
  private let size: Int

  init(_ url: URL, size: Int) throws {
    context = try openContext(url)
    self.size = size
  }

  func run() throws {
    makeBooks(size, context)
    var reading = Reading()
    try context.save()
    reading.report("insert", size)
    for _ in 0..<5 {
      context.reset()
      reading = Reading()
      let found = try context.fetch(books())
      let sum = found.reduce(0) { sum, book in
        sum + book.title.utf8.count + Int(book.pages) + Int(book.price) + (book.inPrint ? 1 : 0) + book.isbn.utf8.count
      }
      reading.report("fetch", sum)
    }
    let few = try context.fetch(first(1000))
    for book in few { book.pages = 1 }
    reading = Reading()
    try context.save()
    reading.report("save1000", few.count)
    reading = Reading()
    for book in few {
      book.pages += 1
      try context.save()
    }
    reading.report("update", few.count)
  }

  private func first(_ count: Int) -> NSFetchRequest<Book> {
    let request = books()
    request.fetchLimit = count
    return request
  }
}

/// Counts round trips. What is counted has been done once before, so statements are prepared.
struct Trips {
  private let relay: Relay
  private let context: NSManagedObjectContext

  init(server: String, delay: UInt32) throws {
    relay = Relay(to: server, delay: delay)
    let url = URL(string: "postgresql:///postgres?host=\(relay.folder)&user=strata&schema=trips")!
    context = try openContext(url)
  }

  func run() throws {
    defer { relay.end() }
    for number in 0..<100 {
      let author = Author(context: context)
      author.name = "a\(number)"
      makeBooks(10, context)
      for case let book as Book in context.insertedObjects where book.writer == nil { book.writer = author }
    }
    try context.save()
    var found = try context.fetch(books())
    try twice("fetch of 1,000") {
      context.reset()
      found = try context.fetch(books())
    }
    try twice("update of one") {
      found[0].pages += 1
      try context.save()
    }
    try twice("save of 1,000 changed") {
      for book in found { book.pages += 1 }
      try context.save()
    }
    try twice("prefetching the books of 100 authors") {
      context.reset()
      let request = NSFetchRequest<Author>(entityName: "Author")
      request.relationshipKeyPathsForPrefetching = ["books"]
      let count = try context.fetch(request).reduce(0) { $0 + ($1.books?.count ?? 0) }
      precondition(count == 1000)
    }
    try twice("insert of one") {
      Author(context: context).name = "new"
      try context.save()
    }
    let batch = NSBatchUpdateRequest(entityName: "Book")
    batch.propertiesToUpdate = ["pages": 7]
    try twice("batch update of 1,000") { _ = try context.execute(batch) }
  }

  private func twice(_ name: String, _ body: () throws -> Void) throws {
    try body()
    let reading = Reading()
    let trips = try relay.trips(body)
    reading.report(name, trips)
  }
}
