import Foundation

// The variables of a mapping's expressions, without the `$`.

/// `$manager`: the ``NSMigrationManager``.
public let NSMigrationManagerKey = "manager"
/// `$source`: the `NSManagedObject` that is migrated.
public let NSMigrationSourceObjectKey = "source"
/// `$destination`: the `NSManagedObject` that is made.
public let NSMigrationDestinationObjectKey = "destination"
/// `$entityMapping`: the ``NSEntityMapping``.
public let NSMigrationEntityMappingKey = "entityMapping"
/// `$propertyMapping`: the ``NSPropertyMapping`` that the expression belongs to.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// `$entityPolicy`: the mapping's ``NSEntityMigrationPolicy``.
public let NSMigrationEntityPolicyKey = "entityPolicy"

/// Carries out one entity mapping of a migration. Subclass it for work that expressions can't do.
///
/// A migration goes through its entity mappings three times, always in their order:
///
/// | pass | calls, for each mapping |
/// |---|---|
/// | making objects | `begin`; `createDestinationInstances` for each source object; `endInstanceCreation` |
/// | relating them | `createRelationships` for each object that was associated; `endRelationshipCreation` |
/// | checking them | `performCustomValidation`; `end` |
///
/// One policy object is made for each mapping, by ``init()``. A class that has a designated initializer of its own, or
/// inherits one, has to override that too: Swift ends the program otherwise, with a sentence that names the class. The
/// object lives as long as the migration, so you may keep state in its properties. All calls come one after the other,
/// on the queues of both contexts. An error that a method throws ends the migration with an error 134170 around it, and
/// the new store is removed.
///
/// After every few hundred objects there is a save without validation, and the objects become faults. You may keep
/// using objects that you hold, but their transient values are lost in such a save.
nonisolated open class NSEntityMigrationPolicy: NSObject {
  /// Made by the migration, once for each mapping.
  public override init() { super.init() }

  /// `makeDynamically()`.
  @_silgen_name("core_data_make_policy")
  convenience init(dynamically: Void) { self.init() }

  /// Called before the first object of a mapping. Does nothing.
  open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

  /// Makes the new objects of one source object.
  ///
  /// Makes an object of the mapping's destination entity, sets the attributes that have expressions, and associates the
  /// two objects. Does nothing for a mapping without a destination entity.
  open func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try publicErrors { try makeInstance(for: sInstance, mapping, manager) }
  }

  /// Called after the last object of a mapping was made. Does nothing.
  open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Sets the relationships of one new object that have expressions. By now all objects of all mappings exist.
  open func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try publicErrors { try relate(dInstance, mapping: mapping, manager: manager) }
  }

  /// Called after the last object of a mapping got its relationships. Does nothing.
  open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// Override it for your own checks. The model's own checks follow after all mappings. Does nothing.
  open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// The last call for a mapping. Does nothing.
  open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}
}

extension NSEntityMigrationPolicy {
  /// A policy of this class, by its own ``init()``; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_policy")
  static func makeDynamically() -> NSEntityMigrationPolicy
}

extension NSEntityMigrationPolicy {
  private func makeInstance(
    for source: NSManagedObject, _ mapping: NSEntityMapping, _ manager: NSMigrationManager
  ) throws {
    let plan = manager.plan(for: mapping)
    guard let entity = plan.entity else { return }
    if entity.isAbstract, let run = manager.run {
      let names = (mapping: mapping.name ?? "without a name", entity: entity.name ?? "")
      throw Failure.migrationFailed(
        url: run.job.source.shownURL,
        reason: "the mapping \(names.mapping) makes objects of \(names.entity), which is abstract", underlying: nil)
    }
    let destination = NSManagedObject(entity: entity, insertInto: manager.destinationContext)
    var variables = MigrationVariables(
      manager: manager, mapping: mapping, policy: self, source: source, destination: destination)
    for attribute in plan.attributes {
      if let copy = attribute.copy, source.layout.property(named: copy.source.name) === copy.source {
        destination.take(copy.source, from: source, into: copy.destination)
        continue
      }
      if let elements = attribute.elements, source.layout.property(named: elements.source.name) === elements.source {
        try destination.take(elements, from: source)
        continue
      }
      variables.property = attribute.mapping
      let value = try MigrationExpressions.value(of: attribute.expression, variables)
      if value == nil, let data = attribute.data, source.layout.property(named: data.source.name) === data.source,
        destination.takeUnreadable(data.source, from: source, into: data.destination)
      {
        continue
      }
      try destination.setValue(value, checkedForKey: attribute.name)
    }
    manager.associate(sourceInstance: source, withDestinationInstance: destination, for: mapping)
  }

  private func relate(
    _ destination: NSManagedObject, mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let plan = manager.plan(for: mapping)
    if plan.relationships.isEmpty { return }
    var variables = MigrationVariables(
      manager: manager, mapping: mapping, policy: self, destination: destination)
    variables.source =
      manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [destination]).first
    for property in plan.relationships {
      let name = property.name
      var members: [NSManagedObject]
      let relationship: NSRelationshipDescription
      if let followed = property.followed, let source = variables.source, let run = manager.run,
        run.current === mapping,
        let own = property.relationship, source.layout.property(named: followed.source.name) === followed.source
      {
        relationship = own
        members = run.associations.destinations(followed.mappings, of: source.destinations(followed.source))
      } else {
        variables.property = property.mapping
        let value = try MigrationExpressions.value(of: property.expression, variables)
        guard let own = destination.entity.relationshipsByName[name] else {
          try destination.setValue(value, checkedForKey: name)
          continue
        }
        relationship = own
        members = MigrationExpressions.objects(in: value)
      }
      // An inferred mapping leaves out objects that the relationship can no longer have. In the program's own mapping
      // they are an error.
      if manager.mappingModel.isInferred, let entity = relationship.destinationEntity {
        members.removeAll { !$0.entity.isKindOf(entity: entity) }
      }
      if !relationship.isToMany {
        try destination.setValue(members.first, checkedForKey: name)
      } else if relationship.isOrdered {
        try destination.setValue(NSOrderedSet(array: members), checkedForKey: name)
      } else {
        try destination.setValue(NSSet(array: members), checkedForKey: name)
      }
    }
  }
}
