import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("53 Read the metadata", .serialized)
struct ReadTheMetadataTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  /// A model with the entity Note, which has one attribute.
  private func notes(_ type: NSAttributeType) -> NSManagedObjectModel {
    let text = NSAttributeDescription()
    (text.name, text.attributeType, text.isOptional) = ("text", type, true)
    let note = NSEntityDescription()
    note.name = "Note"
    note.properties = [text]
    let model = NSManagedObjectModel()
    model.entities = [note]
    return model
  }

  /// A closed file of a model.
  private func makeFile(_ model: NSManagedObjectModel) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
    try coordinator.remove(store)
  }

  @Test("A file fits the model that made it, and another one that says the same")
  func fits() throws {
    try makeFile(notes(.stringAttributeType))
    let found = try storeFits(notes(.stringAttributeType), at: bench.storeURL)
    #expect(found, "the file was made by a model that says the same")
  }

  @Test("A model with the same names and another type does not fit")
  func differs() throws {
    try makeFile(notes(.stringAttributeType))
    let found = try storeFits(notes(.integer64AttributeType), at: bench.storeURL)
    #expect(!found, "the file has a text where the model has a number")
  }

  @Test("The file that is asked stays as it is, byte by byte")
  func unchanged() throws {
    try makeFile(notes(.stringAttributeType))
    let before = try Data(contentsOf: bench.storeURL)
    _ = try storeFits(notes(.integer64AttributeType), at: bench.storeURL)
    let after = try Data(contentsOf: bench.storeURL)
    #expect(after == before)
  }

  @Test("A file that is not there is an error, and is not made")
  func missing() throws {
    #expect(throws: CocoaError.self) { try storeFits(notes(.stringAttributeType), at: bench.storeURL) }
    #expect(!FileManager.default.fileExists(atPath: bench.storeURL.path))
  }
}
