import CoreData
import Foundation
import ModelVersionsChapter
import TestFiles
import Testing
import UnsavedChangesChapter

//> place
/// Where the store of a test lies.
enum StorePlace: CaseIterable {
  /// The type In Memory: rows without a database.
  case inMemory
  /// A SQLite database without a file.
  case database
  /// A SQLite file, in a folder that goes with the test.
  case file
}
//< place

/// What one test works with: a store of its own.
final class Kitchen {
  //> model
  /// Read once, for all tests.
  static let model: NSManagedObjectModel = {
    guard let url = Bundle.main.url(forResource: "Recipes", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { fatalError("The tests were built without their model.") }
    return model
  }()
  //< model

  //> kitchen
  let coordinator: NSPersistentStoreCoordinator
  private let folder = TemporaryFolder()

  init(_ place: StorePlace = .database, options: [AnyHashable: Any]? = nil) throws {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    let nowhere = URL(fileURLWithPath: "/dev/null")
    try coordinator.addPersistentStore(
      ofType: place == .inMemory ? NSInMemoryStoreType : NSSQLiteStoreType,
      configurationName: nil, at: place == .file ? folder.file("Recipes.sqlite") : nowhere,
      options: options)
  }

  func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// How many objects of an entity are in the store. It asks a context that never saw one.
  func count(of entity: String) async throws -> Int {
    let context = newContext()
    return try await context.perform {
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
    }
  }
  //< kitchen
}

@Suite("Beside the chapters: testing Core Data code")
struct TestingTests {
  //> fresh
  let kitchen: Kitchen
  let context: NSManagedObjectContext

  /// Swift Testing makes a new value of the suite for each of its tests.
  init() throws {
    kitchen = try Kitchen()
    context = kitchen.newContext()
  }
  //< fresh

  //> first-test
  @Test("A tag is made once, however many recipes have it")
  func tags() async throws {
    try await context.perform { [context] in
      let cookbook = Cookbook(context: context)
      try cookbook.add("Pancakes", tags: ["sweet", "quick"])
      try cookbook.add("Porridge", tags: ["sweet"])
      try context.save()
    }
    #expect(try await kitchen.count(of: "Recipe") == 2)
    #expect(try await kitchen.count(of: "Tag") == 2)
  }
  //< first-test

  @Test("A class finds its entity although the model was read a second time")
  func modelReadTwice() throws {
    let url = try #require(Bundle.main.url(forResource: "Recipes", withExtension: "momd"))
    let second = try #require(NSManagedObjectModel(contentsOf: url))
    let other = NSPersistentStoreCoordinator(managedObjectModel: second)
    #expect(second == Kitchen.model && second !== Kitchen.model)
    #expect(Recipe.entity().name == "Recipe")
    withExtendedLifetime((other, kitchen)) {}
  }

  @Test("With two different models a class can't tell which entity is its own, and the program ends")
  func twoModels() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let second = Kitchen.model.copy() as! NSManagedObjectModel
      second.entitiesByName["Recipe"]?.versionHashModifier = "2"
      let coordinators = [Kitchen.model, second].map { NSPersistentStoreCoordinator(managedObjectModel: $0) }
      _ = Recipe.entity()
      withExtendedLifetime(coordinators) {}
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("Failed to find a unique match"))
  }

  @Test("A second tag of one name is refused, wherever the store lies", arguments: StorePlace.allCases)
  func constraint(_ place: StorePlace) async throws {
    let kitchen = try Kitchen(place)
    for isSecond in [false, true] {
      let context = kitchen.newContext()
      try await context.perform {
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue("sweet", forKey: "name")
        if isSecond {
          let error = try #require(throws: NSError.self) { try context.save() }
          #expect(error.code == NSManagedObjectConstraintMergeError)
        } else {
          try context.save()
        }
      }
    }
    #expect(try await kitchen.count(of: "Tag") == 1)
  }

  //> requests
  @Test("Batch requests and a history need SQLite, but no file", arguments: StorePlace.allCases)
  func requests(_ place: StorePlace) async throws {
    let tracking = [NSPersistentHistoryTrackingKey: true as NSNumber]
    let kitchen = try Kitchen(place, options: tracking)
    let context = kitchen.newContext()
    try await context.perform {
      try Cookbook(context: context).add("Pancakes")
      try context.save()
      let batch = NSBatchUpdateRequest(entityName: "Recipe")
      batch.propertiesToUpdate = ["servings": 2]
      let history = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      if place == .inMemory {
        for request in [batch, history] as [NSPersistentStoreRequest] {
          let error = try #require(throws: NSError.self) { try context.execute(request) }
          #expect(error.code == NSPersistentStoreUnsupportedRequestTypeError)
        }
      } else {
        try context.execute(batch)
        let answer = try context.execute(history) as? NSPersistentHistoryResult
        let transactions = answer?.result as? [NSPersistentHistoryTransaction]
        #expect(transactions?.count == 2)
      }
    }
    #expect(try await kitchen.count(of: "Recipe") == 1)
  }
  //< requests

  //> validation
  @Test("A recipe for 30 is refused by its servings, and stays in the context")
  func validation() async throws {
    try await context.perform { [context] in
      let recipe = try Cookbook(context: context).add("Soup", servings: 30)
      recipe.notes = "Use the big pot."
      let error = try #require(throws: NSError.self) { try context.save() }
      #expect(error.code == NSValidationNumberTooLargeError)
      #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "servings")
      #expect(recipe.isInserted)
    }
    #expect(try await kitchen.count(of: "Recipe") == 0)
  }
  //< validation

  //> conflict
  @Test("Of two changes of one recipe the second save is refused, and a policy settles it")
  func conflict() async throws {
    let id = try await context.perform { [context] in
      let recipe = try Cookbook(context: context).add("Pancakes")
      try context.save()
      // Not saved: the context keeps an object that has changes.
      recipe.servings = 5
      return recipe.objectID
    }
    let other = kitchen.newContext()
    try await other.perform {
      let recipe = try #require(try other.existingObject(with: id) as? Recipe)
      recipe.servings = 6
      try other.save()
    }
    try await context.perform { [context] in
      let error = try #require(throws: NSError.self) { try context.save() }
      #expect(error.code == NSManagedObjectMergeError)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      #expect((context.object(with: id) as? Recipe)?.servings == 5)
    }
  }
  //< conflict

  //> merging
  @Test("A context that merges hears of a recipe that another one saves")
  func merging() async throws {
    let reader = kitchen.newContext()
    reader.automaticallyMergesChangesFromParent = true
    try await confirmation("the reader hears of the recipe") { heard in
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: reader, queue: nil
      ) { _ in heard() }
      defer { NotificationCenter.default.removeObserver(observer) }
      try await context.perform { [context] in
        try Cookbook(context: context).add("Pancakes")
        try context.save()
      }
      // The merge is a block in the reader's queue. This one runs after it.
      await reader.perform(schedule: .enqueued) {}
    }
  }
  //< merging

  //> migration
  @Test("A store of version 1 opens as version 2 with all its books")
  @MainActor func migration() throws {
    let folder = TemporaryFolder()
    let file = folder.file(LibraryStore.name)
    try LibraryStore.makeFirstVersion(at: file)
    let store = try LibraryStore(at: file, version: .two, migrates: true)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let books = try store.context.fetch(request)
    #expect(books.count == 5)
    #expect(books.first?.value(forKey: "title") as? String == "Beowulf")
    #expect(books.first?.value(forKey: "isReference") as? Bool == false)
    try store.close()
    #expect(try LibraryVersion(ofStoreAt: file) == .two)
  }
  //< migration
}
