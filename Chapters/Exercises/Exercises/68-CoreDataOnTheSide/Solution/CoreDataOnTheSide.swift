import CoreData
import ExerciseSupport
import SwiftData

@Model final class Visitor {
  var name: String
  var visits: Int

  init(name: String, visits: Int) {
    self.name = name
    self.visits = visits
  }
}

/// A Core Data container over a file that SwiftData has made, and may have open.
func visitorsStack(at url: URL) throws -> NSPersistentContainer {
  // It is nil for no classes that a ModelContainer opens.
  let model = NSManagedObjectModel.makeManagedObjectModel(for: [Visitor.self])!
  let description = NSPersistentStoreDescription(url: url)
  // What matters: SwiftData finds out by the history what others have saved.
  //= description.shouldMigrateStoreAutomatically = false
  description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
  let container = NSPersistentContainer(name: "Visitors", managedObjectModel: model)
  container.persistentStoreDescriptions = [description]
  nonisolated(unsafe) var failure: (any Error)?
  container.loadPersistentStores { _, error in failure = error }
  if let failure { throw failure }
  return container
}
