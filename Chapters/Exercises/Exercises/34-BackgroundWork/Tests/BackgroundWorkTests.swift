import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// Notes the contexts of one coordinator that have saved, on whatever queue.
private final class SaveWitness: @unchecked Sendable {
  // `@unchecked Sendable`: `seen` is only touched under `lock`.
  private let lock = NSLock()
  private var seen: [NSManagedObjectContextConcurrencyType] = []
  private var token: (any NSObjectProtocol)?

  init(_ coordinator: NSPersistentStoreCoordinator) {
    token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { [weak self, weak coordinator] note in
      guard let context = note.object as? NSManagedObjectContext, context.persistentStoreCoordinator === coordinator
      else { return }
      self?.lock.withLock { self?.seen.append(context.concurrencyType) }
    }
  }

  deinit { if let token { NotificationCenter.default.removeObserver(token) } }

  var types: [NSManagedObjectContextConcurrencyType] { lock.withLock { seen } }
}

/// Holds the first save of a coordinator's contexts until the main queue has had its turn, five seconds at most.
private final class MainQueueTurn: @unchecked Sendable {
  // `@unchecked Sendable`: `result` is only touched under `lock`.
  private let lock = NSLock()
  private let turn = DispatchSemaphore(value: 0)
  private var result: Bool?
  private var token: (any NSObjectProtocol)?

  init(_ coordinator: NSPersistentStoreCoordinator) {
    token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextWillSave, object: nil, queue: nil
    ) { [weak self, weak coordinator] note in
      guard let context = note.object as? NSManagedObjectContext, context.persistentStoreCoordinator === coordinator
      else { return }
      self?.hold(context)
    }
    DispatchQueue.main.async { [turn] in turn.signal() }
  }

  deinit { if let token { NotificationCenter.default.removeObserver(token) } }

  private func hold(_ context: NSManagedObjectContext) {
    guard lock.withLock({ result == nil }) else { return }
    // The main queue can't have a turn while one of its own contexts saves.
    let isElsewhere = context.concurrencyType == .privateQueueConcurrencyType
    let came = isElsewhere && turn.wait(timeout: .now() + 5) == .success
    lock.withLock { result = came }
  }

  /// Whether the main queue had its turn before the save; false too if nothing was saved.
  var cameFirst: Bool { lock.withLock { result == true } }
}

@Suite("34 Work in the background", .serialized)
@MainActor struct BackgroundWorkTests {
  let bench: Bench
  let container: NSPersistentContainer
  let books: [Book]

  /// Three books at 10, 20 and 30.
  init() throws {
    bench = try Bench()
    container = NSPersistentContainer(name: "Bookshop", managedObjectModel: Bench.model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: bench.storeURL)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    var books: [Book] = []
    for price in [10, 20, 30] as [Int64] {
      let book = Book(context: container.viewContext)
      book.title = "At \(price)"
      book.price = price
      books.append(book)
    }
    try container.viewContext.save()
    self.books = books
  }

  @Test("The new prices are in the file, and those of the other books are as they were")
  func saved() async throws {
    try await lowerPrices(of: Array(books.prefix(2)), by: 3, in: container)
    let other = bench.makeContext(try bench.makeCoordinator())
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "price", ascending: true)]
    let prices = try other.fetch(request).map(\.price)
    #expect(prices == [7, 17, 30])
  }

  @Test("A context with a queue of its own has saved them")
  func queue() async throws {
    let witness = SaveWitness(container.persistentStoreCoordinator)
    try await lowerPrices(of: books, by: 3, in: container)
    #expect(!witness.types.isEmpty, "no context has saved")
    #expect(witness.types.allSatisfy { $0 == .privateQueueConcurrencyType }, "a main-queue context has saved")
  }

  @Test("The main queue is free for other things before the prices are saved")
  func free() async throws {
    let turn = MainQueueTurn(container.persistentStoreCoordinator)
    try await lowerPrices(of: books, by: 3, in: container)
    #expect(turn.cameFirst, "the main queue did nothing else until the prices were saved")
  }

  @Test("The view context has no unsaved changes")
  func unchanged() async throws {
    try await lowerPrices(of: books, by: 3, in: container)
    #expect(!container.viewContext.hasChanges)
  }
}
