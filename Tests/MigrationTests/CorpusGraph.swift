import CoreData
import Foundation

/// What of a model's entities and properties goes where: of each destination entity its source, and of each of its
/// properties the source's.
struct Correspondence {
  var entities: [String: String] = [:]
  var properties: [String: [String: String]] = [:]
}

/// All objects of a store in plain values. An object is known by its entity and by its place among the entity's own
/// objects in the order of their keys.
struct ObjectGraph {
  struct Name: Hashable, CustomStringConvertible {
    let entity: String
    let place: Int
    var description: String { "\(entity) \(place)" }
  }

  struct Object {
    /// By attribute; no entry for nil.
    var values: [String: NSObject] = [:]
    /// By relationship, in the order of ordered ones.
    var members: [String: [Name]] = [:]
  }

  var objects: [String: [Object]] = [:]

  init() {}

  /// Reads a store through a new stack.
  init(_ coordinator: NSPersistentStoreCoordinator) throws {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    self = try context.performAndWait { try ObjectGraph(context) }
  }

  private init(_ context: NSManagedObjectContext) throws {
    let model = context.persistentStoreCoordinator!.managedObjectModel
    var names: [NSManagedObjectID: Name] = [:]
    var found: [(entity: NSEntityDescription, objects: [NSManagedObject])] = []
    for entity in model.entities where !entity.isAbstract {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name!)
      request.includesSubentities = false
      let objects = try context.fetch(request).sorted { ObjectGraph.key($0) < ObjectGraph.key($1) }
      for (place, object) in objects.enumerated() {
        names[object.objectID] = Name(entity: entity.name!, place: place)
      }
      found.append((entity, objects))
    }
    for (entity, objects) in found {
      self.objects[entity.name!] = objects.map { ObjectGraph.read($0, entity, names) }
      for object in objects { context.refresh(object, mergeChanges: false) }
    }
  }

  static func key(_ object: NSManagedObject) -> Int64 {
    Int64(object.objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
  }

  private static func read(
    _ object: NSManagedObject, _ entity: NSEntityDescription, _ names: [NSManagedObjectID: Name]
  ) -> Object {
    var result = Object()
    for (name, attribute) in entity.attributesByName where !attribute.isTransient {
      if let value = object.value(forKey: name) { result.values[name] = value as? NSObject ?? "\(value)" as NSString }
    }
    for (name, relationship) in entity.relationshipsByName where !relationship.isTransient {
      let value = object.value(forKey: name)
      let members: [NSManagedObject]
      switch value {
      case let set as NSOrderedSet: members = set.array.compactMap { $0 as? NSManagedObject }
      case let set as NSSet: members = set.allObjects.compactMap { $0 as? NSManagedObject }
      case let one as NSManagedObject: members = [one]
      default: members = []
      }
      let list = members.map { names[$0.objectID] ?? Name(entity: "unknown", place: -1) }
      result.members[name] = relationship.isOrdered ? list : list.sorted { "\($0)" < "\($1)" }
    }
    return result
  }

  /// How many objects there are.
  var count: Int { objects.values.reduce(0) { $0 + $1.count } }
}

extension ObjectGraph {
  /// What has to become of the graph by the rules, compared with what did; one line for each difference.
  func differences(
    afterMigrationTo new: ObjectGraph, _ rules: Correspondence, _ old: NSManagedObjectModel,
    _ model: NSManagedObjectModel
  ) -> [String] {
    let migrated = Dictionary(rules.entities.map { ($0.value, $0.key) }) { first, _ in first }
    var differences: [String] = []
    for entity in model.entities where !entity.isAbstract {
      let name = entity.name!
      let found = new.objects[name] ?? []
      guard let source = rules.entities[name], let before = objects[source] else {
        if !found.isEmpty { differences.append("\(name) is new and has \(found.count) objects") }
        continue
      }
      if before.count != found.count {
        differences.append("\(name) has \(found.count) objects, \(source) had \(before.count)")
        continue
      }
      for (place, object) in found.enumerated() {
        for difference in self.differences(
          before[place], object, entity, old.entitiesByName[source]!, rules.properties[name] ?? [:], migrated, place)
        {
          differences.append("\(name) \(place): \(difference)")
        }
      }
    }
    return differences
  }

  private func differences(
    _ before: Object, _ after: Object, _ entity: NSEntityDescription, _ source: NSEntityDescription,
    _ properties: [String: String], _ migrated: [String: String], _ place: Int
  ) -> [String] {
    var differences: [String] = []
    for (name, attribute) in entity.attributesByName
    where !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) {
      var expected = properties[name].flatMap { before.values[$0] }
      if expected == nil, properties[name] == nil || !attribute.isOptional {
        // A new attribute, or a mandatory one that has been nil.
        expected = attribute.defaultValue as? NSObject
      }
      if expected != after.values[name] {
        differences.append(
          "\(name) is \(after.values[name]?.description ?? "nil"), not \(expected?.description ?? "nil")")
      }
    }
    for (name, relationship) in entity.relationshipsByName where !relationship.isTransient {
      guard let former = properties[name] else { continue }
      let expected = (before.members[former] ?? []).compactMap { member in
        migrated[member.entity].map { Name(entity: $0, place: member.place) }
      }
      let isOrderKept = relationship.isOrdered && source.relationshipsByName[former]?.isOrdered == true
      let found = after.members[name] ?? []
      let isSame =
        isOrderKept ? expected == found : Set(expected) == Set(found) && expected.count == found.count
      if !isSame { differences.append("\(name) is \(found), not \(expected)") }
    }
    return differences
  }
}
