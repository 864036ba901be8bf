import CoreData
import Foundation

/// Two versions of a model in code: a source as a text, and as an object that several entities share.
enum CodeModels {
  static func recipesWithText() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = ["Dish", "Dessert"].map { entity($0, [text("title"), text("source")]) }
    return model
  }

  static func recipesWithSources() -> NSManagedObjectModel {
    let source = entity("Source", [text("name")])
    source.uniquenessConstraints = [["name"]]
    let kinds = ["Dish", "Dessert"].map { name in
      let from = NSRelationshipDescription()
      from.name = "from"
      from.destinationEntity = source
      from.maxCount = 1
      return entity(name, [text("title"), from])
    }
    let model = NSManagedObjectModel()
    model.entities = kinds + [source]
    return model
  }

  /// Copies the titles; the policy does the rest.
  static func mapping(of name: String, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel) -> NSEntityMapping {
    let title = NSPropertyMapping()
    title.name = "title"
    title.valueExpression = NSExpression(format: "$source.title")
    let mapping = NSEntityMapping()
    mapping.name = "\(name)To\(name)"
    mapping.mappingType = .customEntityMappingType
    mapping.sourceEntityName = name
    mapping.sourceEntityVersionHash = old.entitiesByName[name]?.versionHash
    mapping.destinationEntityName = name
    mapping.destinationEntityVersionHash = new.entitiesByName[name]?.versionHash
    mapping.entityMigrationPolicyClassName = NSStringFromClass(RecipeToSourcePolicy.self)
    mapping.attributeMappings = [title]
    return mapping
  }

  /// Opens a store, runs a body in a context, saves, and closes it.
  static func open(_ model: NSManagedObjectModel, _ url: URL, _ body: (NSManagedObjectContext) throws -> Void) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      try body(context)
      try context.save()
    }
    try coordinator.remove(store)
  }

  private static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  private static func text(_ name: String) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = .stringAttributeType
    return attribute
  }
}
