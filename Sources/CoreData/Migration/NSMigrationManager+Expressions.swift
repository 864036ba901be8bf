import Foundation

/// The methods that the expressions of mapping models call, besides the public ones.
extension NSMigrationManager {
  /// A request for the objects of one source entity, without those of its subentities.
  func fetchRequest(
    forSourceEntityNamed name: String, predicateString: String
  ) throws -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: name)
    request.includesSubentities = false
    if predicateString != "TRUEPREDICATE" { request.predicate = try NSPredicate.parsing(predicateString) }
    return request
  }

  /// The new objects of these source objects, in their order. It asks all mappings whose source entity is the
  /// destination of a source relationship, or a subentity of it.
  ///
  /// - Parameters:
  ///   - name: a relationship of the current mapping's source entity.
  ///   - sourceInstances: the relationship's objects; nil for all objects of these mappings.
  func destinationInstances(
    forSourceRelationshipNamed name: String, sourceInstances: [NSManagedObject]?
  ) throws -> [NSManagedObject] {
    guard let run, let current = run.current else { return [] }
    guard let layout = current.sourceEntityName.flatMap(run.source.layouts.layout(named:)),
      let relationship = layout.property(named: name), relationship.isRelationship
    else {
      throw Failure.unknownKeyPath(
        keyPath: name, entity: current.sourceEntityName ?? "", missing: name,
        names: current.sourceEntityName.flatMap(run.source.layouts.layout(named:))?.propertyNames ?? [])
    }
    let entities = run.source.layouts[relationship.destinations].map(\.name)
    return run.associations.destinations(run.names(ofMappingsFrom: Set(entities)), of: sourceInstances)
  }
}
