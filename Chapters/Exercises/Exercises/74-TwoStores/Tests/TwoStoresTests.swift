import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("74 Two stores", .serialized)
@MainActor struct TwoStoresTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  @Test("The two files lie in the folder")
  func files() throws {
    let coordinator = try makeTwoStoresCoordinator(model: makeTwoStoresModel(), in: bench.folder)
    let names = coordinator.persistentStores.compactMap { $0.url?.lastPathComponent }.sorted()
    #expect(names == ["Notes.sqlite", "Products.sqlite"])
  }

  @Test("One save puts each object into the file of its entity", arguments: ["Product", "Note"])
  func places(entity: String) throws {
    let context = bench.makeContext(try makeTwoStoresCoordinator(model: makeTwoStoresModel(), in: bench.folder))
    var objects: [String: NSManagedObject] = [:]
    for name in ["Note", "Product"] {
      let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
      object.setValue("A \(name)", forKey: "text")
      objects[name] = object
    }
    try context.save()
    let file = objects[entity]?.objectID.persistentStore?.url?.lastPathComponent
    #expect(file == "\(entity)s.sqlite")
  }

  @Test("Another stack finds both")
  func found() throws {
    let first = bench.makeContext(try makeTwoStoresCoordinator(model: makeTwoStoresModel(), in: bench.folder))
    for name in ["Note", "Product"] {
      NSEntityDescription.insertNewObject(forEntityName: name, into: first).setValue(name, forKey: "text")
    }
    try first.save()
    let second = bench.makeContext(try makeTwoStoresCoordinator(model: makeTwoStoresModel(), in: bench.folder))
    for name in ["Note", "Product"] {
      let count = try second.count(for: NSFetchRequest<NSManagedObject>(entityName: name))
      #expect(count == 1, "objects of \(name)")
    }
  }
}
