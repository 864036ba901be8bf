import Foundation

/// The values of the variables in a mapping's expressions.
struct MigrationVariables {
  var manager: NSMigrationManager
  var mapping: NSEntityMapping
  /// nil for the source expression of an entity mapping.
  var property: NSPropertyMapping?
  var policy: NSEntityMigrationPolicy
  var source: NSManagedObject?
  var destination: NSManagedObject?

  /// The value of a variable by its name; nil for an unknown name.
  func value(of name: String) -> Any?? {
    switch name {
    case NSMigrationSourceObjectKey: .some(source)
    case NSMigrationManagerKey: .some(manager)
    case NSMigrationDestinationObjectKey: .some(destination)
    case NSMigrationEntityMappingKey: .some(mapping)
    case NSMigrationPropertyMappingKey: .some(property)
    case NSMigrationEntityPolicyKey: .some(policy)
    default: nil
    }
  }
}

/// The expressions of mapping models.
///
/// They use the predicate language, with variables for the objects that take part in a migration. They can call methods
/// of the migration manager and of a policy by name (``NSEntityMigrationPolicy/register(_:on:_:)``). `SELF` and plain
/// keys refer to the source object.
enum MigrationExpressions {
  /// The value of a mapping's expression. A collection of objects is not converted; the policy turns it into the value
  /// of a relationship.
  ///
  /// - Throws: `Failure.mappingExpression`, naming the expression, the mapping and the property.
  static func value(of expression: FoundationExpression, _ variables: MigrationVariables) throws -> Any? {
    do {
      return try MigrationEvaluation(variables).value(of: try expressionNode(of: expression))
    } catch {
      throw failure(error, expression: expression, mapping: variables.mapping, property: variables.property)
    }
  }

  /// The request for the source objects of an entity mapping. It is the request of the mapping's source expression, or
  /// else one for all objects of the source entity, without those of its subentities.
  static func sourceRequest(
    of mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws -> NSFetchRequest<NSManagedObject> {
    guard let expression = mapping.sourceExpression else {
      return try manager.fetchRequest(
        forSourceEntityNamed: mapping.sourceEntityName ?? "", predicateString: "TRUEPREDICATE")
    }
    do {
      let variables = MigrationVariables(manager: manager, mapping: mapping, policy: NSEntityMigrationPolicy())
      var node = try expressionNode(of: expression)
      if case .fetch(let request, _, countOnly: false) = node { node = request }
      switch try MigrationEvaluation(variables).value(of: node) {
      case let request as NSFetchRequest<NSManagedObject>: return request
      case let request as NSFetchRequest<any NSFetchRequestResult>: return request.ofObjects()
      default: throw Failure.malformedFetchRequest(entity: mapping.sourceEntityName, what: "it is not a fetch request")
      }
    } catch {
      throw failure(error, expression: expression, mapping: mapping, property: nil)
    }
  }

  /// The objects in a value for a relationship.
  static func objects(in value: Any?) -> [NSManagedObject] {
    switch value {
    case let object as NSManagedObject: [object]
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    case let array as [Any]: array.compactMap { $0 as? NSManagedObject }
    default: []
    }
  }

  private static func failure(
    _ error: any Error, expression: FoundationExpression, mapping: NSEntityMapping, property: NSPropertyMapping?
  ) -> Failure {
    .mappingExpression(
      "\(expression)", mapping: mapping.name ?? "without a name", property: property?.name,
      underlying: error.publicError)
  }
}

extension NSFetchRequest {
  /// A copy of the request that fetches managed objects.
  fileprivate func ofObjects() -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(withAllOf: self)
    request.resultType = .managedObjectResultType
    return request
  }
}
