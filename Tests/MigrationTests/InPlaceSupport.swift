import Foundation
import Inspection
import TestFiles
import Testing

@testable import CoreData

/// Stores that are made with one model and migrated in place to another.
enum InPlace {
  static let options: [AnyHashable: Any] = [
    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
  ]

  // Models.

  static func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType, default value: Any? = nil,
    optional: Bool = true, was: String? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = optional
    attribute.defaultValue = value
    if let was { attribute.renamingIdentifier = was }
    return attribute
  }

  static func external(_ name: String, _ isExternal: Bool = true) -> NSAttributeDescription {
    let attribute = attribute(name, .binaryDataAttributeType)
    attribute.allowsExternalBinaryDataStorage = isExternal
    return attribute
  }

  static func derived(_ name: String, _ type: NSAttributeType, _ format: String) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    attribute.derivationExpression = NSExpression(format: format)
    return attribute
  }

  static func entity(
    _ name: String, _ properties: [NSPropertyDescription] = [], was: String? = nil,
    subentities: [NSEntityDescription] = []
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    entity.subentities = subentities
    if let was { entity.renamingIdentifier = was }
    return entity
  }

  enum Count { case one, many, ordered }

  @discardableResult
  static func relate(
    _ from: NSEntityDescription, _ name: String, _ count: Count, _ to: NSEntityDescription, was: String? = nil
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = to
    relationship.maxCount = count == .one ? 1 : 0
    relationship.isOrdered = count == .ordered
    if let was { relationship.renamingIdentifier = was }
    from.properties.append(relationship)
    return relationship
  }

  static func join(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
    one.inverseRelationship = other
    other.inverseRelationship = one
  }

  static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities.flatMap { $0.inPlaceTree }
    return model
  }

  // Stores.

  /// A context of a store, which is open as long as the body runs.
  static func open<Result>(
    _ url: URL, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil,
    configuration: String? = nil, _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    // What the disk has when the power fails is not asked here.
    var options = options ?? [:]
    options[NSSQLitePragmasOption] = ["synchronous": "OFF"]
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let result = try context.performAndWait { try body(context) }
    try coordinator.remove(store)
    return result
  }

  /// Adds the store to a coordinator with another model, which migrates it, and looks at what came of it.
  static func migrate<Result>(
    _ url: URL, to model: NSManagedObjectModel, _ more: [AnyHashable: Any] = [:], configuration: String? = nil,
    _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    let options = options.merging(more) { $1 }
    try open(url, model, options, configuration: configuration) { _ in }
    try check(url, model, configuration: configuration)
    return try open(url, model, more, configuration: configuration, body)
  }

  /// Whether a migrated file is what a new one of its model is, and nothing is wrong with it.
  static func check(
    _ url: URL, _ model: NSManagedObjectModel, configuration: String? = nil, allowsMore: Bool = false
  ) throws {
    #expect(try StoreCheck(url, model, configuration: configuration).problems == [])
    let other = TemporaryFolder()
    let fresh = other.file("fresh.sqlite")
    try open(fresh, model, configuration: configuration) { _ in }
    let (wanted, found) = (try shape(fresh), try shape(url))
    if allowsMore {
      #expect(Set(wanted).subtracting(found).sorted() == [])
    } else {
      #expect(Set(wanted).subtracting(found).sorted() == [], "missing")
      #expect(Set(found).subtracting(wanted).sorted() == [], "superfluous")
    }
    try open(url, model, configuration: configuration) { context in
      for entity in model.entities(forConfigurationName: configuration) ?? model.entities where !entity.isAbstract {
        for object in try context.all(entity.name!) {
          for (name, property) in entity.propertiesByName
          where (property as? NSAttributeDescription)?.attributeType != .transformableAttributeType {
            _ = object.value(forKey: name)
          }
        }
      }
    }
  }

  /// What there is in a file: tables with their columns, indexes, triggers, entities.
  static func shape(_ url: URL) throws -> [String] {
    let connection = try Connection(path: url.path, options: Connection.Options())
    var lines: [String] = []
    for row in try connection.rows("SELECT type, name, sql FROM sqlite_master") {
      let (type, name) = (row[0] ?? "", row[1] ?? "")
      if name.hasPrefix("A") || name.hasPrefix("sqlite_") || name.contains("TRANSACTION")
        || name.hasPrefix(DeferredNames.prefix)
      {
        continue
      }
      if type == "table" {
        for column in try connection.rows("SELECT name, type, pk FROM pragma_table_info('\(name)')")
        where !(column[0] ?? "").hasPrefix(DeferredNames.prefix) {
          lines.append("\(name): \(column.map { $0 ?? "" }.joined(separator: " "))")
        }
      } else {
        lines.append(MigrationFacts.plain(row[2] ?? ""))
      }
    }
    for row in try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") {
      lines.append(row.map { $0 ?? "NULL" }.joined(separator: " "))
    }
    return lines
  }

  /// The plan that brings a file to a model, without doing it.
  static func plan(_ url: URL, from: NSManagedObjectModel, to: NSManagedObjectModel, defers: Bool = false) throws
    -> [String]
  {
    let connection = try Connection(path: url.path, options: Connection.Options())
    let existing = try ExistingSchema(
      url: url, connection: connection, metadata: StoreMetadata.read(from: connection) ?? [:])
    let before = try SchemaPlanner.plan(ModelLayouts.of(from), configuration: nil, existing: existing)
    let after = try SchemaPlanner.plan(ModelLayouts.of(to), configuration: nil, existing: nil)
    let plan = try MigrationPlanner.plan(
      ModelDelta(inferredFrom: from, to: to), from: before, existing: existing,
      facts: MigrationFacts(connection, before), to: after,
      defers: defers)
    return plan.steps.map(\.sql)
  }

  static func rows(_ url: URL, _ sql: String) throws -> [[String?]] {
    try Connection(path: url.path, options: Connection.Options()).rows(sql)
  }

  static func run(_ url: URL, _ sql: String) throws {
    try Connection(path: url.path, options: Connection.Options()).execute(sql)
  }
}

extension NSEntityDescription {
  /// The entity and all below it.
  fileprivate var inPlaceTree: [NSEntityDescription] { [self] + subentities.flatMap { $0.inPlaceTree } }
}

extension NSManagedObjectContext {
  @discardableResult
  fileprivate func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    object.setValuesForKeys(values)
    return object
  }

  fileprivate func all(_ entity: String) throws -> [NSManagedObject] {
    try fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
  }
}

extension InPlace {
  /// Makes an object.
  @discardableResult
  static func new(_ context: NSManagedObjectContext, _ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject
  {
    context.make(entity, values)
  }

  /// The objects of an entity, by one of its texts.
  static func by(_ context: NSManagedObjectContext, _ entity: String, _ key: String) throws -> [String: NSManagedObject]
  {
    Dictionary(uniqueKeysWithValues: try context.all(entity).map { ($0.value(forKey: key) as? String ?? "", $0) })
  }

  static func names(_ value: Any?, _ key: String = "name") -> [String] {
    if let ordered = value as? NSOrderedSet {
      return ordered.map { ($0 as! NSManagedObject).value(forKey: key) as! String }
    }
    if let set = value as? NSSet { return set.map { ($0 as! NSManagedObject).value(forKey: key) as! String }.sorted() }
    return ((value as? NSManagedObject)?.value(forKey: key) as? String).map { [$0] } ?? []
  }
}
