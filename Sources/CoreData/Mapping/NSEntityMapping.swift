import Foundation

/// What a migration does with the objects of an entity.
public enum NSEntityMappingType: UInt, Sendable {
  /// Not specified.
  case undefinedEntityMappingType = 0
  /// The program's own policy decides.
  case customEntityMappingType = 1
  /// The entity is new, so there are no objects to migrate.
  case addEntityMappingType = 2
  /// The entity is gone, and its objects are dropped.
  case removeEntityMappingType = 3
  /// The objects stay as they are.
  case copyEntityMappingType = 4
  /// The objects stay, with changed properties.
  case transformEntityMappingType = 5
}

/// How a migration makes objects of one entity from those of another.
///
///     let name = NSPropertyMapping()
///     name.name = "name"
///     name.valueExpression = NSExpression(format: "$source.name")
///     let mapping = NSEntityMapping()
///     mapping.mappingType = .transformEntityMappingType
///     mapping.sourceEntityName = "Author"
///     mapping.destinationEntityName = "Writer"
///     mapping.attributeMappings = [name]
///     print(mapping.name!)  // Author->Writer
///
/// Don't change it while a migration uses it.
nonisolated open class NSEntityMapping: NSObject {
  private var givenName: String?

  /// The name, unique in the mapping model. By convention `SourceToDestination`; as long as none is given,
  /// `Source->Destination`.
  open var name: String! {
    get { givenName ?? "\(sourceEntityName ?? "")->\(destinationEntityName ?? "")" }
    set { givenName = newValue }
  }

  /// What happens to the objects. Default: not specified.
  open var mappingType: NSEntityMappingType = .undefinedEntityMappingType

  /// The entity in the source model; nil for a new entity.
  open var sourceEntityName: String?
  /// The version hash of the source entity, 32 bytes. A mapping model is only found for models with these hashes.
  open var sourceEntityVersionHash: Data?

  /// The entity in the destination model; nil for one that is gone.
  open var destinationEntityName: String?
  /// The version hash of the destination entity, 32 bytes; see ``sourceEntityVersionHash``.
  open var destinationEntityVersionHash: Data?

  /// How each attribute of the new object gets its value.
  open var attributeMappings: [NSPropertyMapping]?
  /// How each relationship of the new object gets its destinations.
  open var relationshipMappings: [NSPropertyMapping]?

  /// The source objects; nil for all objects of the source entity, without its subentities'.
  open var sourceExpression: FoundationExpression?

  /// The class of the policy, `Module.Class`; nil for ``NSEntityMigrationPolicy``.
  open var entityMigrationPolicyClassName: String?

  /// Your own notes about the mapping. Your policy can read them.
  open var userInfo: [AnyHashable: Any]?

  /// An empty mapping.
  public override init() { super.init() }

  /// Whether the other mapping has the same name and type, is for the same entities with the same version hashes, and
  /// maps the same properties the same way.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSEntityMapping else { return false }
    return self === other
      || name == other.name && mappingType == other.mappingType && sourceEntityName == other.sourceEntityName
        && sourceEntityVersionHash == other.sourceEntityVersionHash
        && destinationEntityName == other.destinationEntityName
        && destinationEntityVersionHash == other.destinationEntityVersionHash
        && (attributeMappings ?? []) == (other.attributeMappings ?? [])
        && (relationshipMappings ?? []) == (other.relationshipMappings ?? [])
        && ModelEquality.sameText(sourceExpression, other.sourceExpression)
        && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
        && ModelEquality.same(userInfo, other.userInfo)
  }

  /// A hash of the name only, which is quick.
  open override var hash: Int { name.hashValue }

  /// The name and the two entities, for logs.
  open override var description: String {
    "NSEntityMapping \(name!): \(sourceEntityName ?? "nothing") to \(destinationEntityName ?? "nothing")"
  }
}
