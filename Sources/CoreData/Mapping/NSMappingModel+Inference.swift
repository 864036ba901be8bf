import Foundation

extension NSMappingModel {
  /// The mapping that two models imply. If a change needs a mapping model of your own, throws an error with the code
  /// 134190, whose `userInfo` has `entity`, `property` and `reason`.
  ///
  /// The mappings are named `IEM_Copy_Entity`, `IEM_Transform_Entity`, `IEM_Add_Entity` and `IEM_Remove_Entity`, after
  /// the destination's entity where there is one. Parents come before children, removed entities last. The models are
  /// not frozen by this.
  @discardableResult
  public class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    try publicErrors { NSMappingModel(try ModelDelta(inferredFrom: sourceModel, to: destinationModel)) }
  }

  /// The mappings that carry out a delta.
  convenience init(_ delta: ModelDelta) {
    self.init()
    let added = Set(delta.added.map(ObjectIdentifier.init))
    var mappings: [NSEntityMapping] = []
    for entity in delta.destination.entitiesInStoreOrder {
      if let pair = delta.pair(ofDestination: entity) {
        mappings.append(NSEntityMapping(pair))
      } else if added.contains(ObjectIdentifier(entity)) {
        let mapping = NSEntityMapping()
        mapping.mappingType = .addEntityMappingType
        mapping.nameAsInferred("Add", entity)
        mapping.destinationEntityName = entity.storedName
        mapping.destinationEntityVersionHash = entity.versionHash
        mappings.append(mapping)
      }
    }
    for entity in delta.removed {
      let mapping = NSEntityMapping()
      mapping.mappingType = .removeEntityMappingType
      mapping.nameAsInferred("Remove", entity)
      mapping.sourceEntityName = entity.storedName
      mapping.sourceEntityVersionHash = entity.versionHash
      mappings.append(mapping)
    }
    entityMappings = mappings
    isInferred = true
    if delta.source.isFrozen, delta.destination.isFrozen { inferredDelta = delta }
  }
}

extension NSEntityMapping {
  /// Clients tell inferred mappings from others by the first four letters.
  fileprivate func nameAsInferred(_ kind: String, _ entity: NSEntityDescription) {
    name = "IEM_\(kind)_\(entity.storedName ?? "")"
  }

  /// No source expression means all source objects of the entity itself.
  fileprivate convenience init(_ pair: ModelDelta.EntityPair) {
    self.init()
    sourceEntityName = pair.source.storedName
    sourceEntityVersionHash = pair.source.versionHash
    destinationEntityName = pair.destination.storedName
    destinationEntityVersionHash = pair.destination.versionHash
    mappingType =
      sourceEntityVersionHash == destinationEntityVersionHash
      ? .copyEntityMappingType : .transformEntityMappingType
    nameAsInferred(mappingType == .copyEntityMappingType ? "Copy" : "Transform", pair.destination)
    userInfo = pair.namesOfProperties
    let properties = pair.destination.properties.filter {
      $0.takesPartInMigration && !($0 is NSDerivedAttributeDescription)
    }.sorted { $0.storedName.utf16.lexicographicallyPrecedes($1.storedName.utf16) }
    attributeMappings = properties.compactMap { $0 as? NSAttributeDescription }.map { attribute in
      NSPropertyMapping(
        attribute.storedName,
        pair.source(of: attribute.storedName).map { attribute.valueExpression(of: $0) })
    }
    relationshipMappings = properties.filter { $0 is NSRelationshipDescription }.map { relationship in
      NSPropertyMapping(
        relationship.storedName,
        pair.source(of: relationship.storedName).map(NSRelationshipDescription.valueExpression(of:)))
    }
  }
}

extension ModelDelta.EntityPair {
  /// What becomes of the properties, as sets of names: the destination's, and of those that are gone the source's.
  fileprivate var namesOfProperties: [AnyHashable: Any] {
    var (mapped, added, former) = (Set<String>(), Set<String>(), Set<String>())
    for property in destination.properties where property.takesPartInMigration {
      let name = property.storedName
      if let before = self.source(of: name) {
        mapped.insert(name)
        former.insert(before.storedName)
      } else {
        added.insert(name)
      }
    }
    let removed = source.properties.filter(\.takesPartInMigration).map(\.storedName).filter { !former.contains($0) }
    return ["mappedProperties": mapped, "addedProperties": added, "removedProperties": Set(removed)]
  }
}

extension NSPropertyMapping {
  /// - Parameter node: the value; nil for a new property, which keeps its default value.
  fileprivate convenience init(_ name: String, _ node: ExpressionNode?) {
    self.init()
    self.name = name
    valueExpression = node.map(NodeExpression.make)
  }
}

extension NSAttributeDescription {
  /// `$source.name`. If the source may have no value and the destination needs one, nil becomes the default value.
  fileprivate func valueExpression(of former: NSPropertyDescription) -> ExpressionNode {
    let value = ExpressionNode.nested(.variable("source"), [former.storedName])
    guard former.isOptional, !isOptional else { return value }
    let isThere = PredicateNode.comparison(Comparison(value, .notEqualTo, .constant(.null)))
    return .conditional(isThere, value, .nested(.variable("destination"), [storedName]))
  }
}

extension NSRelationshipDescription {
  /// `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "name", $source.name)`:
  /// the migrated objects, whichever of the hierarchy's mappings made them.
  fileprivate static func valueExpression(of former: NSPropertyDescription) -> ExpressionNode {
    .function(
      PredicateFunction.methodCall,
      [
        .variable("manager"),
        .constant(.string("destinationInstancesForSourceRelationshipNamed:sourceInstances:")),
        .constant(.string(former.storedName)),
        .nested(.variable("source"), [former.storedName]),
      ])
  }
}
