import BenchmarkDriver
import CoreData
import SwiftData

/// The driver of models that are plain classes, and of managed objects with the same three properties beside them: both
/// over a store that keeps a history, as a `ModelContainer` makes it.
@main
struct BenchmarkSwiftData {
  static func main() throws {
    let run = Run()
    switch run.variant {
    case "models": try measure(run, Models(path: run.path))
    case "objects": try measure(run, Objects(path: run.path))
    case "observed": try measure(run, Observed())
    default: run.unknownOperation()
    }
  }

  private static func measure(_ run: Run, _ notes: some Notes) throws {
    let books = Library(bookCount: run.size).books
    switch run.operation {
    case "modelinsert":
      run.measure { try notes.insert(books) }
    case "modelfetch":
      try notes.insert(books)
      var count = 0
      run.measure { count = try notes.fetch() }
      run.report("count", count)
    case "modelread":
      try notes.insert(books)
      guard try notes.fetch() == books.count else { fail("\(run.variant): the notes are not all there") }
      _ = notes.read()
      var sum = NoteSum()
      run.measure { sum = notes.read() }
      run.report("sum", "\(sum.bytes)/\(sum.pages)/\(Int(sum.price.rounded()))")
    default: run.unknownOperation()
    }
  }
}

/// What was read, added up.
struct NoteSum {
  var bytes = 0
  var pages = 0
  var price = 0.0

  @inline(__always)
  mutating func add(_ title: String, _ pages: Int64, _ price: Double) {
    bytes &+= title.utf8.count
    self.pages &+= Int(pages)
    self.price += price
  }
}

/// A way of keeping notes.
protocol Notes {
  /// Makes them and saves them.
  func insert(_ books: [BookData]) throws
  /// Fetches all in a context that has none of them, and keeps them. How many there are.
  func fetch() throws -> Int
  /// Reads the three properties of each that was fetched.
  func read() -> NoteSum
}

/// Models, in contexts that belong to this program's only thread.
final class Models: Notes {
  private let container: ModelContainer
  private var context: ModelContext
  private var notes: [Note] = []

  init(path: String) throws {
    container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    context = ModelContext(container)
  }

  func insert(_ books: [BookData]) throws {
    for book in books { context.insert(Note(title: book.title, pages: Int64(book.pages), price: book.price)) }
    try context.save()
  }

  func fetch() throws -> Int {
    context = ModelContext(container)
    notes = try context.fetch(FetchDescriptor<Note>())
    return notes.count
  }

  func read() -> NoteSum {
    var sum = NoteSum()
    for note in notes { sum.add(note.title, note.pages, note.price) }
    return sum
  }
}

/// Managed objects, over the model that the class of the models makes.
final class Objects: Notes {
  private let coordinator: NSPersistentStoreCoordinator
  private var context: NSManagedObjectContext
  private var notes: [NoteObject] = []

  init(path: String) throws {
    guard let model = NSManagedObjectModel.makeManagedObjectModel(for: [Note.self]) else {
      fail("BenchmarkSwiftData: the class has no model")
    }
    model.entitiesByName["Note"]?.managedObjectClassName = NSStringFromClass(NoteObject.self)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
      options: [NSPersistentHistoryTrackingKey: true])
    context = Objects.makeContext(coordinator)
  }

  private static func makeContext(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    context.undoManager = nil
    return context
  }

  func insert(_ books: [BookData]) throws {
    for book in books {
      let note = NoteObject(context: context)
      note.title = book.title
      note.pages = Int64(book.pages)
      note.price = book.price
    }
    try context.save()
  }

  func fetch() throws -> Int {
    context = Objects.makeContext(coordinator)
    notes = try context.fetch(NSFetchRequest<NoteObject>(entityName: "Note"))
    return notes.count
  }

  func read() -> NoteSum {
    var sum = NoteSum()
    for note in notes { sum.add(note.title, note.pages, note.price) }
    return sum
  }
}

/// Objects that are observed and not stored: what observation itself costs.
final class Observed: Notes {
  private var notes: [ObservedNote] = []

  func insert(_ books: [BookData]) {
    notes = books.map { ObservedNote(title: $0.title, pages: Int64($0.pages), price: $0.price) }
  }

  func fetch() -> Int { notes.count }

  func read() -> NoteSum {
    var sum = NoteSum()
    for note in notes { sum.add(note.title, note.pages, note.price) }
    return sum
  }
}
