import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("56 Split the name", .serialized)
struct SplitTheNameTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  /// The people of a migrated store as `last, first`, by last name.
  private func migrated(_ names: [String?]) throws -> [String] {
    let old = NSPersistentStoreCoordinator(managedObjectModel: PeopleMigration.modelOne())
    let store = try old.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
    let writing = bench.makeContext(old)
    for name in names {
      NSEntityDescription.insertNewObject(forEntityName: "Person", into: writing).setValue(name, forKey: "name")
    }
    try writing.save()
    try old.remove(store)

    let newURL = bench.folder.appendingPathComponent("People.sqlite")
    do {
      try PeopleMigration.migrate(from: bench.storeURL, to: newURL)
    } catch let error as NSError {
      // The migration's error has the policy's own inside, without its sentence.
      let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
      if underlying?.domain == (Unfinished("") as NSError).domain {
        throw Unfinished("each old person has become a new one with first and last name")
      }
      throw error
    }
    let new = NSPersistentStoreCoordinator(managedObjectModel: PeopleMigration.modelTwo())
    try new.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: newURL, options: nil)
    let reading = bench.makeContext(new)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "last", ascending: true)]
    return try withExtendedLifetime(reading) {
      try reading.fetch(request).map { "\($0.value(forKey: "last") ?? "none"), \($0.value(forKey: "first") ?? "none")" }
    }
  }

  @Test("A name of two words becomes a first and a last name")
  func two() throws {
    let people = try migrated(["Jane Austen", "Bram Stoker"])
    #expect(people == ["Austen, Jane", "Stoker, Bram"])
  }

  @Test("Of more words the last one is the last name")
  func three() throws {
    let people = try migrated(["Mary Ann Evans"])
    #expect(people == ["Evans, Mary Ann"])
  }

  @Test("A name of one word is a last name, and a person without a name is still there")
  func one() throws {
    let people = try migrated(["Voltaire", nil])
    #expect(people == ["none, none", "Voltaire, none"])
  }
}
