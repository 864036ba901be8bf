import CoreData
import ExerciseSupport

/// Words and their meanings, in a dictionary, as a store. It can be read only: every other request throws.
final class GlossaryStore: NSIncrementalStore {
  static let storeType = "Glossary"
  static let meanings = ["fault": "an object without its values", "row": "a line of a table", "stack": "four parts"]

  /// The entity Entry with the texts `word` and `meaning`.
  static func model() -> NSManagedObjectModel {
    let entry = NSEntityDescription()
    entry.name = "Entry"
    entry.properties = ["word", "meaning"].map { name in
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, .stringAttributeType, true)
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entry]
    return model
  }

  override func loadMetadata() throws {
    metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: "6C1B0B5E-GLOSSARY"]
  }

  /// For a fetch request, the objects of the words that its predicate lets pass, by word; other requests, and fetches
  /// of anything but objects, are refused by an error.
  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    // TODO: Answer a fetch with objects, and, in the method below, an object with its values.
    throw Unfinished("a fetch is answered with the objects of the words that it asks for")
  }

  /// The values of a word's object.
  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    throw Unfinished("an object is given its word and its meaning")
  }

  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    throw CocoaError(.persistentStoreUnsupportedRequestType)
  }
}
