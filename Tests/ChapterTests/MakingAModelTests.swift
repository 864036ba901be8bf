import CoreData
import Foundation
import MakingAModelChapter
import StoreFileReader
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

  @Test("A save is refused until the transformer is registered; then the file has what it makes of the value")
  func transformer() throws {
    let file = folder.file("Cups.sqlite")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BrewingModel.make())
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: file, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    //> register
    let cup = NSEntityDescription.insertNewObject(forEntityName: "Cup", into: context)
    cup.setValue(Infusion(seconds: 90, pours: 3), forKey: "infusion")
    let error = try #require(throws: NSError.self) { try context.save() }
    #expect(error.code == 134060)
    #expect(error.localizedDescription.contains("Infusion as text"))

    ValueTransformer.setValueTransformer(
      InfusionTransformer(), forName: InfusionTransformer.name)
    try context.save()
    let reader = try StoreFileReader(contentsOf: file)
    let rows = try reader.rows("SELECT ZINFUSION FROM ZCUP")
    #expect(rows == [[.blob(Data("90x3".utf8))]])
    //< register
    context.reset()
    let read = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Cup")).first)
    #expect((read.value(forKey: "infusion") as? Infusion)?.seconds == 90)
    context.reset()
    try coordinator.remove(store)
    ValueTransformer.setValueTransformer(nil, forName: InfusionTransformer.name)
  }

  @Test("A value whose transformer is not registered ends the program that reads it")
  func transformerMissing() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BrewingModel.make())
      try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
      await MainActor.run {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        ValueTransformer.setValueTransformer(InfusionTransformer(), forName: InfusionTransformer.name)
        let cup = NSEntityDescription.insertNewObject(forEntityName: "Cup", into: context)
        cup.setValue(Infusion(seconds: 90, pours: 3), forKey: "infusion")
        try? context.save()
        context.refresh(cup, mergeChanges: false)
        ValueTransformer.setValueTransformer(nil, forName: InfusionTransformer.name)
        _ = cup.value(forKey: "infusion")
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("Cup.infusion of"))
    #expect(words.contains("no transformer is registered under that name"))
  }

  @Test("The program saves none of its mistakes")
  func program() throws {
    let outcome = try ProgramRunner.run("MakingAModel", ["--fresh"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(!outcome.output.contains(": saved"))
  }
}
