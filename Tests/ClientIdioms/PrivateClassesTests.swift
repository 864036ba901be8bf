import CoreData
import Foundation
import Testing

/// The classes of a test's own model are often private to its file, or nested in its suite.
private final class Jar: NSManagedObject {
  @NSManaged var label: String?
  @NSManaged private(set) var size: Int64
  @NSManaged var lids: Set<Lid>
  @NSManaged func addToLids(_ value: Lid)

  func fill() { size += 1 }
}

private final class Lid: NSManagedObject { @NSManaged var jar: Jar? }

@Suite("Private and nested classes")
struct PrivateClassesTests {
  final class Rack: NSManagedObject {
    fileprivate enum Part { final class Board: NSManagedObject { @NSManaged var length: Double } }
    @NSManaged var name: String
  }

  private func entity(_ name: String, _ type: NSManagedObject.Type, _ properties: [NSPropertyDescription])
    -> NSEntityDescription
  {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = NSStringFromClass(type)
    entity.properties = properties
    return entity
  }

  private func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    if type != .stringAttributeType { attribute.defaultValue = 0 }
    return attribute
  }

  private func context() throws -> NSManagedObjectContext {
    let (lids, jar) = (NSRelationshipDescription(), NSRelationshipDescription())
    let jars = entity(
      "Jar", Jar.self, [attribute("label", .stringAttributeType), attribute("size", .integer64AttributeType)])
    let covers = entity("Lid", Lid.self, [])
    for (relationship, name, destination, inverse) in [(lids, "lids", covers, jar), (jar, "jar", jars, lids)] {
      relationship.name = name
      relationship.destinationEntity = destination
      relationship.inverseRelationship = inverse
    }
    jar.maxCount = 1
    jars.properties.append(lids)
    covers.properties.append(jar)
    let model = NSManagedObjectModel()
    model.entities = [
      jars, covers, entity("Rack", Rack.self, [attribute("name", .stringAttributeType)]),
      entity("Board", Rack.Part.Board.self, [attribute("length", .doubleAttributeType)]),
    ]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test("Their @NSManaged properties are read and set, their relationships lead to objects of private classes")
  func properties() throws {
    let context = try context()
    try context.performAndWait {
      let jar = try #require(NSEntityDescription.insertNewObject(forEntityName: "Jar", into: context) as? Jar)
      jar.label = "jam"
      jar.fill()
      jar.lids = [Lid(context: context)]
      jar.addToLids(Lid(context: context))
      #expect(jar.lids.count == 2 && jar.lids.allSatisfy { $0.jar === jar })
      try context.save()
      context.reset()
      let found = try #require(try context.fetch(NSFetchRequest<Jar>(entityName: "Jar")).first)
      #expect(found.label == "jam" && found.size == 1 && found.lids.count == 2)
      #expect(Jar.entity().name == "Jar")
    }
  }

  @Test("Nested classes are found by the names that NSStringFromClass gives")
  func nested() throws {
    let context = try context()
    context.performAndWait {
      let rack = NSEntityDescription.insertNewObject(forEntityName: "Rack", into: context)
      #expect((rack as? Rack)?.name == "")
      let board = NSEntityDescription.insertNewObject(forEntityName: "Board", into: context) as? Rack.Part.Board
      board?.length = 2.5
      #expect(board?.value(forKey: "length") as? Double == 2.5)
    }
    #expect(NSStringFromClass(Rack.self) == "ClientIdioms.PrivateClassesTests.Rack")
    #expect(NSStringFromClass(Recipe.self) == "ClientIdioms.Recipe")
  }

  @Test("Key paths to their properties have names")
  func keyPaths() {
    #expect(NSExpression(forKeyPath: \Jar.label).keyPath == "label")
    #expect(NSSortDescriptor(keyPath: \Jar.size, ascending: true).key == "size")
    #expect(NSExpression(forKeyPath: \Lid.jar?.label).keyPath == "jar.label")
    #expect(NSExpression(forKeyPath: \Rack.name).keyPath == "name")
  }
}
