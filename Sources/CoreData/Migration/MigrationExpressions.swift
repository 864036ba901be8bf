import Foundation

/// What the variables of a mapping's expressions stand for.
struct MigrationVariables {
  var manager: NSMigrationManager
  var mapping: NSEntityMapping
  /// nil for the source expression of an entity mapping.
  var property: NSPropertyMapping?
  var policy: NSEntityMigrationPolicy
  var source: NSManagedObject?
  var destination: NSManagedObject?
}

/// The expressions of mapping models.
enum MigrationExpressions {
  /// The value of a mapping's expression; variables as documented.
  static func value(of expression: FoundationExpression, _ variables: MigrationVariables) throws -> Any? {
    try value(of: try expressionNode(of: expression), variables)
  }

  /// The source objects' request of an entity mapping's source expression.
  static func sourceRequest(
    of mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws -> NSFetchRequest<NSManagedObject> {
    try manager.fetchRequest(forSourceEntityNamed: mapping.sourceEntityName ?? "", predicateString: "TRUEPREDICATE")
  }

  private static func value(of node: ExpressionNode, _ variables: MigrationVariables) throws -> Any? {
    switch node {
    case .constant(let constant): return constant.anyValue
    case .variable(NSMigrationManagerKey): return variables.manager
    case .variable(NSMigrationSourceObjectKey): return variables.source
    case .variable(NSMigrationDestinationObjectKey): return variables.destination
    case .variable(NSMigrationEntityMappingKey): return variables.mapping
    case .variable(NSMigrationPropertyMappingKey): return variables.property
    case .variable(NSMigrationEntityPolicyKey): return variables.policy
    case .nested(let base, let path): return KeyPathValues.value(of: try value(of: base, variables), path)
    case .function(PredicateFunction.methodCall, let arguments):
      if let path = node.keyPathCall { return try value(of: path, variables) }
      guard case .variable(NSMigrationManagerKey) = arguments[0], arguments.count == 4,
        case .constant(.string(let selector)) = arguments[1]
      else { break }
      let name = try value(of: arguments[2], variables) as? String ?? ""
      let sources = objects(in: try value(of: arguments[3], variables))
      switch selector {
      case "destinationInstancesForEntityMappingNamed:sourceInstances:":
        return variables.manager.destinationInstances(forEntityMappingName: name, sourceInstances: sources)
      case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
        return try variables.manager.destinationInstances(
          forSourceRelationshipNamed: name, sourceInstances: sources)
      default: break
      }
    default: break
    }
    throw Failure.unsupportedFeature("The expression \(PredicatePrinter.print(node)) in a mapping model")
  }

  /// The objects that a relationship's value is about.
  static func objects(in value: Any?) -> [NSManagedObject] {
    switch value {
    case let object as NSManagedObject: [object]
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    case let array as [Any]: array.compactMap { $0 as? NSManagedObject }
    default: []
    }
  }
}
