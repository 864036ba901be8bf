import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("55 Rename with an identifier", .serialized)
struct RenameWithIdentifierTests {
  let bench: Bench

  init() throws {
    bench = try Bench()
    let coordinator = try openContacts(at: bench.storeURL, model: ContactModel.one())
    let context = bench.makeContext(coordinator)
    let contact = NSEntityDescription.insertNewObject(forEntityName: "Contact", into: context)
    contact.setValue("Ada", forKey: "name")
    contact.setValue("020 1815", forKey: "tel")
    try context.save()
    try coordinator.remove(coordinator.persistentStores[0])
  }

  @Test("Version two has a name and a phone, and tel is gone")
  func attributes() throws {
    let contact = try #require(try ContactModel.two().entitiesByName["Contact"])
    #expect(contact.attributesByName.keys.sorted() == ["name", "phone"])
  }

  @Test("After the migration the number is under the new name")
  func values() throws {
    let context = bench.makeContext(try openContacts(at: bench.storeURL, model: try ContactModel.two()))
    let contacts = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Contact"))
    let lines = contacts.map { "\($0.value(forKey: "name") ?? "nobody"), \($0.value(forKey: "phone") ?? "no number")" }
    #expect(lines == ["Ada, 020 1815"])
  }
}
