import CoreData
import Foundation
import PostgreSQLStore
import PostgreSQLTestServer
import Testing

/// Where no server can be started, the suites say so and are skipped.
let hasServer = ConditionTrait.enabled(
  if: TestServer.shared != nil, "No PostgreSQL server can be started here: install the package postgresql.")

/// A coordinator with a store on the tests' server, and a context.
final class Shelf {
  let url: URL
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext

  init(_ model: NSManagedObjectModel, at url: URL? = nil, options: [AnyHashable: Any]? = nil) throws {
    self.url = url ?? TestServer.shared!.newStoreURL()
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSPostgreSQLStoreType, configurationName: nil, at: self.url, options: options)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  deinit { coordinator.persistentStores.forEach { try? coordinator.remove($0) } }

  var store: PostgreSQLStore { coordinator.persistentStores[0] as! PostgreSQLStore }

  func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// A second coordinator on the same tables: as good as another process.
  func elsewhere() throws -> Shelf { try Shelf(coordinator.managedObjectModel, at: url) }

  /// How many round trips something takes.
  func trips(_ body: () throws -> Void) rethrows -> Int {
    let before = store.trips
    try body()
    return store.trips - before
  }
}

extension NSManagedObjectContext {
  @discardableResult
  func new(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    object.setValuesForKeys(values)
    return object
  }

  func all(_ entity: String, _ format: String? = nil, sort: String? = nil) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = sort.map { [NSSortDescriptor(key: $0, ascending: true)] }
    return try fetch(request)
  }
}

func attribute(
  _ name: String, _ type: NSAttributeType, optional: Bool = true, _ change: (NSAttributeDescription) -> Void = { _ in }
) -> NSAttributeDescription {
  let attribute = NSAttributeDescription()
  attribute.name = name
  attribute.attributeType = type
  attribute.isOptional = optional
  change(attribute)
  return attribute
}

func relate(
  _ one: (NSEntityDescription, String, isToMany: Bool, isOrdered: Bool),
  _ other: (NSEntityDescription, String, isToMany: Bool, isOrdered: Bool)
) {
  let ends = [one, other].map { end -> NSRelationshipDescription in
    let description = NSRelationshipDescription()
    (description.name, description.maxCount, description.isOrdered) = (end.1, end.isToMany ? 0 : 1, end.isOrdered)
    return description
  }
  (ends[0].destinationEntity, ends[1].destinationEntity) = (other.0, one.0)
  (ends[0].inverseRelationship, ends[1].inverseRelationship) = (ends[1], ends[0])
  one.0.properties += [ends[0]]
  other.0.properties += [ends[1]]
}

/// Authors with an ordered list of books; books with tags; novels are books; a work is a book or a novel's place in a
/// series; counters for races.
func libraryModel() -> NSManagedObjectModel {
  let model = NSManagedObjectModel()
  func entity(_ name: String, _ attributes: [NSAttributeDescription]) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes
    return entity
  }
  let author = entity("Author", [attribute("name", .stringAttributeType)])
  let book = entity(
    "Book",
    [
      attribute("title", .stringAttributeType), attribute("pages", .integer16AttributeType),
      attribute("copies", .integer32AttributeType), attribute("sold", .integer64AttributeType),
      attribute("isRead", .booleanAttributeType), attribute("weight", .doubleAttributeType),
      attribute("rating", .floatAttributeType), attribute("added", .dateAttributeType),
      attribute("price", .decimalAttributeType), attribute("id", .UUIDAttributeType),
      attribute("link", .URIAttributeType),
      attribute("cover", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
      attribute("notes", .transformableAttributeType) {
        $0.valueTransformerName = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
      },
    ])
  let novel = entity("Novel", [attribute("genre", .stringAttributeType)])
  book.subentities = [novel]
  let tag = entity("Tag", [attribute("name", .stringAttributeType)])
  tag.uniquenessConstraints = [["name"]]
  let counter = entity("Counter", [attribute("count", .integer64AttributeType, optional: false)])
  relate((author, "books", true, true), (book, "author", false, false))
  relate((book, "tags", true, false), (tag, "books", true, false))
  relate((novel, "sequel", false, false), (novel, "prequel", false, false))
  relate((author, "favourite", false, false), (book, "admirers", true, false))
  model.entities = [author, book, novel, tag, counter]
  return model
}
