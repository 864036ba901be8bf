import CoreData
import Foundation
import MakingAModelChapter
import TestFiles
import Testing

@Suite("Beside the chapters: making a model", .serialized)
@MainActor
struct MakingAModelTests {
  let folder = TemporaryFolder()

  @Test("A model in code keeps both ends of its relationship, and its rule")
  func inCode() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelInCode.make())
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
    shelf.setValue("Top", forKey: "name")
    let pot = NSEntityDescription.insertNewObject(forEntityName: "Pot", into: context)
    pot.setValue(shelf, forKey: "shelf")
    #expect((shelf.value(forKey: "pots") as? Set<NSManagedObject>) == [pot])
    try context.save()
    pot.setValue(4.5, forKey: "litres")
    let error = try #require(throws: NSError.self) { try context.save() }
    #expect(error.code == NSManagedObjectValidationError)
  }

  @Test("The shop has the values that were saved, what was derived, and nothing that is transient")
  func values() throws {
    let stack = try TeaShopStack(folder: folder.url)
    let tea = stack.tea("GR-001", "Crème")
    tea.isSelected = true
    tea.origin = ["country": "Nepal"]
    try stack.context.save()
    stack.context.reset()
    let found = try #require(try stack.context.fetch(NSFetchRequest<Tea>(entityName: "Tea")).first)
    #expect(found.searchName == "creme" && !found.isSelected)
    #expect(found.origin?["country"] as? String == "Nepal" && found.grams == 100)
    try stack.close()
  }

  @Test("The program saves none of its mistakes")
  func program() throws {
    let outcome = try ProgramRunner.run("MakingAModel", ["--fresh"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(!outcome.output.contains(": saved"))
  }
}
