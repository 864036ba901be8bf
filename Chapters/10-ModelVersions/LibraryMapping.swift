import CoreData

/// The mapping models between the library's versions.
public enum LibraryMapping {
  //> which-mapping
  /// - Throws: 134190 if neither the two models nor a mapping of ours say what to do.
  public static func between(
    _ old: LibraryVersion, _ new: LibraryVersion
  ) throws -> NSMappingModel {
    if (old, new) == (.three, .four) { return try authors(policy: BookToBookPolicy.self) }
    return try .inferredMappingModel(forSourceModel: old.model, destinationModel: new.model)
  }
  //< which-mapping

  //> mapping
  /// From version 3 to 4. Xcode has an editor for this; in code it is about as long.
  public static func authors(policy: NSEntityMigrationPolicy.Type) throws -> NSMappingModel {
    let (old, new) = (try LibraryVersion.three.model, try LibraryVersion.four.model)

    let books = entity("Book", from: old, to: new)
    books.mappingType = .customEntityMappingType
    books.entityMigrationPolicyClassName = NSStringFromClass(policy)
    books.attributeMappings = ["title", "firstPublished", "isReference"].map { name in
      property(name, NSExpression(format: "$source.\(name)"))
    }
    books.relationshipMappings = [
      property(
        "borrower",
        NSExpression(
          format: "FUNCTION($manager, "
            + "'destinationInstancesForEntityMappingNamed:sourceInstances:', "
            + "'MemberToMember', $source.borrower)"))
    ]

    let members = entity("Member", from: old, to: new)
    members.mappingType = .copyEntityMappingType
    members.attributeMappings = [property("name", NSExpression(format: "$source.name"))]
    // Nothing for the loans: they are the other side of what books have as borrower.
    members.relationshipMappings = []

    let mapping = NSMappingModel()
    mapping.entityMappings = [members, books]
    return mapping
  }
  //< mapping

  private static func entity(
    _ name: String, from old: NSManagedObjectModel, to new: NSManagedObjectModel
  ) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.name = "\(name)To\(name)"
    mapping.sourceEntityName = name
    mapping.destinationEntityName = name
    mapping.sourceEntityVersionHash = old.entityVersionHashesByName[name]
    mapping.destinationEntityVersionHash = new.entityVersionHashesByName[name]
    return mapping
  }

  private static func property(_ name: String, _ value: NSExpression) -> NSPropertyMapping {
    let mapping = NSPropertyMapping()
    mapping.name = name
    mapping.valueExpression = value
    return mapping
  }
}
