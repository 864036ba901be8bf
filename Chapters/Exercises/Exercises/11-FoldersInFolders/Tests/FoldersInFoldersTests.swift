import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("11 Folders in folders", .serialized)
@MainActor struct FoldersInFoldersTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let home: NSManagedObject
  let work: NSManagedObject
  let letters: NSManagedObject

  /// home > work > letters, and home > music, saved.
  init() throws {
    bench = try Bench()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try FolderModel().model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
    let context = bench.makeContext(coordinator)
    func make(in parent: NSManagedObject?) -> NSManagedObject {
      let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
      if let parent { folder.setValue(parent, forKey: "parent") }
      return folder
    }
    self.context = context
    home = make(in: nil)
    work = make(in: home)
    letters = make(in: work)
    _ = make(in: home)
    try context.save()
  }

  private func savedCount() throws -> Int {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Folder")
    request.includesPendingChanges = false
    return try context.count(for: request)
  }

  @Test("A folder knows the folders in it, and each of these its parent")
  func inverses() throws {
    #expect((home.value(forKey: "children") as? NSSet)?.count == 2, "folders in home")
    #expect(letters.value(forKey: "parent") as? NSManagedObject === work, "the parent of letters is not work")
  }

  @Test("A folder at the top has no parent")
  func top() throws { #expect(home.value(forKey: "parent") == nil) }

  @Test("A folder is deleted with the folders in it, and with those in these")
  func down() throws {
    context.delete(home)
    try context.save()
    let count = try savedCount()
    #expect(count == 0, "folders that are left")
  }

  @Test("A folder that is deleted leaves its parent, and what else is in there")
  func notUp() throws {
    context.delete(work)
    try context.save()
    let count = try savedCount()
    #expect(count == 2, "folders that are left: home, and music in it")
    #expect((home.value(forKey: "children") as? NSSet)?.count == 1, "folders in home")
  }
}
