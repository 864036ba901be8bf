import Foundation

/// One evaluation of a mapping's expression.
///
/// It evaluates the parts that ask managed objects, the manager, mappings or the policy. The predicate evaluator does
/// the rest: it gets the tree with the values of these parts as constants.
struct MigrationEvaluation {
  /// `SELF`
  private let subject: Any?
  /// nil if the program evaluates the expression itself.
  private let variables: MigrationVariables?
  /// What the program gives then.
  private let given: [String: Any]

  init(_ variables: MigrationVariables) {
    subject = variables.source
    self.variables = variables
    given = [:]
  }

  init(for object: Any?, given: [String: Any]) {
    subject = object
    variables = nil
    self.given = given
  }

  func value(of node: ExpressionNode) throws -> Any? {
    switch node {
    case .constant(let constant): return constant.anyValue
    case .evaluatedObject: return subject
    case .keyPath(let path): return try value(at: path[...], of: subject)
    case .variable(let name): return try variable(name)
    case .nested(let base, let path): return try value(at: path[...], of: try value(of: base))
    case .function(PredicateFunction.methodCall, let arguments):
      if let path = node.keyPathCall { return try value(of: path) }
      return try call(arguments)
    case .aggregate(let members): return try members.map { try value(of: $0) ?? NSNull() }
    case .conditional(let condition, let yes, let no):
      let test = try PredicateEvaluator(try reduced(condition, hiding: []))
      return try value(of: try test.matches(PredicateValue(any: subject)) ? yes : no)
    case .assignment(_, let value): return try self.value(of: value)
    case .fetch(let request, let context, let countOnly):
      let request = PredicateValue(any: try value(of: request))
      return try FetchEvaluation.value(
        request, in: PredicateValue(any: try value(of: context)), countOnly: countOnly
      ).anyValue
    default:
      return try PredicateEvaluator.value(of: try parts(of: node, hiding: []), for: subject)
    }
  }

  private func variable(_ name: String) throws -> Any? {
    let value: Any?? = if let variables { variables.value(of: name) } else { given[name].map { .some($0) } }
    guard let value else {
      throw Failure.malformedPredicate(
        format: "$\(name)", offset: nil,
        what: "the variable $\(name) has no value; those of a mapping are $source, $destination, $manager, "
          + "$entityMapping, $propertyMapping and $entityPolicy")
    }
    return value
  }

  // Key paths.

  private func value(at path: ArraySlice<String>, of start: Any?) throws -> Any? {
    var value = start
    var rest = path
    while let key = rest.first {
      switch value {
      case let object as NSManagedObject:
        // The usual case. The value is not converted, whatever its class.
        value = key == "self" ? object : try object.value(checkedForKey: key)
      case let manager as NSMigrationManager: value = try property(key, of: manager)
      case let mapping as NSEntityMapping: value = try property(key, of: mapping)
      case let mapping as NSPropertyMapping: value = try property(key, of: mapping)
      case let policy as NSEntityMigrationPolicy: value = try PolicyMethods.call(key, of: policy, [])
      case let dictionary as [AnyHashable: Any]: value = dictionary[key]
      default:
        return try CompiledKeyPath(Array(rest)).value(from: PredicateValue(any: value)).anyValue
      }
      rest.removeFirst()
    }
    return value
  }

  private func property(_ key: String, of manager: NSMigrationManager) throws -> Any? {
    switch key {
    case "self": manager
    case "sourceContext": manager.sourceContext
    case "destinationContext": manager.destinationContext
    case "sourceModel": manager.sourceModel
    case "destinationModel": manager.destinationModel
    case "mappingModel": manager.mappingModel
    case "currentEntityMapping": manager.currentEntityMapping
    case "migrationProgress": manager.migrationProgress
    case "userInfo": manager.userInfo
    default: throw unknown(key, "NSMigrationManager")
    }
  }

  private func property(_ key: String, of mapping: NSEntityMapping) throws -> Any? {
    switch key {
    case "self": mapping
    case "name": mapping.name
    case "mappingType": Int(mapping.mappingType.rawValue)
    case "sourceEntityName": mapping.sourceEntityName
    case "sourceEntityVersionHash": mapping.sourceEntityVersionHash
    case "destinationEntityName": mapping.destinationEntityName
    case "destinationEntityVersionHash": mapping.destinationEntityVersionHash
    case "entityMigrationPolicyClassName": mapping.entityMigrationPolicyClassName
    case "userInfo": mapping.userInfo
    default: throw unknown(key, "NSEntityMapping")
    }
  }

  private func property(_ key: String, of mapping: NSPropertyMapping) throws -> Any? {
    switch key {
    case "self": mapping
    case "name": mapping.name
    case "userInfo": mapping.userInfo
    default: throw unknown(key, "NSPropertyMapping")
    }
  }

  private func unknown(_ key: String, _ type: String) -> Failure {
    .unknownKeyPath(keyPath: key, entity: type, missing: key)
  }

  // Methods.

  /// Evaluates `FUNCTION(operand, "selector:", …)`.
  private func call(_ parts: [ExpressionNode]) throws -> Any? {
    guard parts.count >= 2, case .constant(.string(let selector)) = parts[1] else {
      throw Failure.unsupportedFeature("FUNCTION without a selector")
    }
    let operand = try value(of: parts[0])
    let arguments = try parts.dropFirst(2).map { try value(of: $0) }
    if let key = arguments.first as? String {
      switch selector {
      case "valueForKey:", "objectForKey:": return try value(at: [key], of: operand)
      case "valueForKeyPath:": return try value(at: key.split(separator: ".").map(String.init)[...], of: operand)
      default: break
      }
    }
    switch operand {
    case let manager as NSMigrationManager: return try call(selector, of: manager, arguments)
    case let policy as NSEntityMigrationPolicy: return try PolicyMethods.call(selector, of: policy, arguments)
    default:
      let constants = ([operand] + arguments).map { ExpressionNode.constant(PredicateConstant(any: $0 as Any)) }
      return try PredicateEvaluator.value(
        of: .function(PredicateFunction.methodCall, [constants[0], parts[1]] + constants.dropFirst()),
        for: subject)
    }
  }

  private func call(_ selector: String, of manager: NSMigrationManager, _ arguments: [Any?]) throws -> Any? {
    guard arguments.count == selector.filter({ $0 == ":" }).count else {
      throw Failure.unsupportedFeature("\(selector) with \(arguments.count) arguments")
    }
    func name() -> String { arguments[0] as? String ?? "" }
    switch selector {
    case "destinationInstancesForEntityMappingNamed:sourceInstances:":
      return manager.destinationInstances(
        forEntityMappingName: name(), sourceInstances: MigrationExpressions.objects(in: arguments[1]))
    case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
      return try manager.destinationInstances(
        forSourceRelationshipNamed: name(), sourceInstances: MigrationExpressions.objects(in: arguments[1]))
    case "sourceInstancesForEntityMappingNamed:destinationInstances:":
      return manager.sourceInstances(
        forEntityMappingName: name(), destinationInstances: MigrationExpressions.objects(in: arguments[1]))
    case "fetchRequestForSourceEntityNamed:predicateString:":
      return try manager.fetchRequest(
        forSourceEntityNamed: name(), predicateString: arguments[1] as? String ?? "TRUEPREDICATE")
    default:
      if arguments.isEmpty { return try property(selector, of: manager) }
      throw Failure.unsupportedFeature("FUNCTION($manager, \"\(selector)\")")
    }
  }

  // The trees for the predicate evaluator.

  /// The node with all its parts reduced to constants, except parts that use a SUBQUERY's own variable.
  private func parts(of node: ExpressionNode, hiding hidden: Set<String>) throws -> ExpressionNode {
    if case .subquery(let collection, let variable, let predicate) = node {
      return .subquery(
        try reduced(collection, hiding: hidden), variable: variable,
        try reduced(predicate, hiding: hidden.union([variable])))
    }
    return try node.mapChildren(
      { try reduced($0, hiding: hidden) }, conditions: { try reduced($0, hiding: hidden) })
  }

  private func reduced(_ node: ExpressionNode, hiding hidden: Set<String>) throws -> ExpressionNode {
    if node.isConstant { return node }
    if node.mentions(hidden) { return try parts(of: node, hiding: hidden) }
    return .constant(PredicateConstant(any: try value(of: node) as Any))
  }

  private func reduced(_ node: PredicateNode, hiding hidden: Set<String>) throws -> PredicateNode {
    try node.mapChildren({ try reduced($0, hiding: hidden) }, conditions: { try reduced($0, hiding: hidden) })
  }
}

// The expressions that a policy evaluates itself, with the variables that it gives, can ask the manager and the policy.

extension NSMigrationManager: ExpressionEvaluating {
  func value(of expression: ExpressionNode, for object: Any?, variables: [String: Any]) throws -> Any? {
    try MigrationEvaluation(for: object, given: variables).value(of: expression)
  }
}

extension NSEntityMigrationPolicy: ExpressionEvaluating {
  func value(of expression: ExpressionNode, for object: Any?, variables: [String: Any]) throws -> Any? {
    try MigrationEvaluation(for: object, given: variables).value(of: expression)
  }
}

extension ExpressionNode {
  /// Whether it contains one of these variables.
  fileprivate func mentions(_ names: Set<String>) -> Bool {
    if names.isEmpty { return false }
    // A substitution changes a tree exactly if the tree contains the variable.
    let marks = Dictionary(uniqueKeysWithValues: names.map { ($0, ExpressionNode.variable("\($0) ")) })
    return substituting(marks) != self
  }
}
