import CoreData
import ExerciseSupport
import StoreFileReader
import Testing

@testable import Exercises

@Suite("62 Rows of an entity", .serialized)
@MainActor struct RowsOfAnEntityTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  /// Exhibits are paintings and sculptures; `others` are entities of the same model that come before them.
  private func model(_ others: [String]) -> NSManagedObjectModel {
    func entity(_ name: String) -> NSEntityDescription {
      let entity = NSEntityDescription()
      (entity.name, entity.managedObjectClassName) = (name, "NSManagedObject")
      return entity
    }
    let (exhibit, painting, sculpture) = (entity("Exhibit"), entity("Painting"), entity("Sculpture"))
    exhibit.isAbstract = true
    exhibit.subentities = [painting, sculpture]
    let model = NSManagedObjectModel()
    model.entities = [exhibit, painting, sculpture] + others.map(entity)
    return model
  }

  /// A closed file with three paintings and a sculpture.
  private func museum(_ others: [String] = []) throws -> StoreFileReader {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(others))
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
    let context = bench.makeContext(coordinator)
    for name in ["Painting", "Sculpture", "Painting", "Painting"] {
      _ = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }
    try context.save()
    try coordinator.remove(store)
    return try StoreFileReader(contentsOf: bench.storeURL)
  }

  @Test("Three of four exhibits are paintings")
  func paintings() throws {
    let count = try rowCount(of: "Painting", under: "Exhibit", in: museum())
    #expect(count == 3)
  }

  @Test("One is a sculpture")
  func sculpture() throws {
    let count = try rowCount(of: "Sculpture", under: "Exhibit", in: museum())
    #expect(count == 1)
  }

  @Test("In a model with more entities the numbers are others, and the counts are the same")
  func moved() throws {
    let count = try rowCount(of: "Painting", under: "Exhibit", in: museum(["Artist", "Beam"]))
    #expect(count == 3)
  }
}
