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
    guard let fetch = request as? NSFetchRequest<NSFetchRequestResult>, let entity = fetch.entity, let context,
      fetch.resultType == .managedObjectResultType
    else { throw CocoaError(.persistentStoreUnsupportedRequestType) }
    let words = Self.meanings.keys.sorted().filter { fetch.predicate?.evaluate(with: values(of: $0)) ?? true }
    // What matters: an id and no values. The object is a fault until its values are read.
    //= return words.map { context.object(with: newObjectID(for: entity, referenceObject: $0.uppercased())) }
    return words.map { context.object(with: newObjectID(for: entity, referenceObject: $0)) }
  }

  /// The values of a word's object.
  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    guard let word = referenceObject(for: objectID) as? String, Self.meanings[word] != nil else {
      throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError)
    }
    return NSIncrementalStoreNode(objectID: objectID, withValues: values(of: word), version: 1)
  }

  private func values(of word: String) -> [String: Any] {
    ["word": word, "meaning": Self.meanings[word] ?? ""]
  }

  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    throw CocoaError(.persistentStoreUnsupportedRequestType)
  }
}
