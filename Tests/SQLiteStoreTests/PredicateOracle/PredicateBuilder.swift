import CoreData
import Foundation

/// Builds predicates of objects, without the format language.
struct PredicateBuilder {
  let object: (Int) -> Any?

  func predicate(_ predicate: OraclePredicate) -> NSPredicate {
    switch predicate {
    case .truth(let value): return NSPredicate(value: value)
    case .and(let parts): return NSCompoundPredicate(andPredicateWithSubpredicates: parts.map(self.predicate))
    case .or(let parts): return NSCompoundPredicate(orPredicateWithSubpredicates: parts.map(self.predicate))
    case .not(let part): return NSCompoundPredicate(notPredicateWithSubpredicate: self.predicate(part))
    case .compare(let comparison):
      let made = self.comparison(comparison)
      return comparison.modifier == .none ? NSCompoundPredicate(notPredicateWithSubpredicate: made) : made
    }
  }

  private func comparison(_ comparison: OracleComparison) -> NSPredicate {
    let type: FoundationComparisonPredicate.Operator =
      switch comparison.operator {
      case .equal: .equalTo
      case .unequal: .notEqualTo
      case .less: .lessThan
      case .atMost: .lessThanOrEqualTo
      case .greater: .greaterThan
      case .atLeast: .greaterThanOrEqualTo
      case .between: .between
      case .in: .in
      case .begins: .beginsWith
      case .ends: .endsWith
      case .contains: .contains
      case .like: .like
      case .matches: .matches
      }
    let modifier: FoundationComparisonPredicate.Modifier =
      switch comparison.modifier {
      case .direct: .direct
      case .all: .all
      case .any, .none: .any
      }
    let bits: [Character: UInt] = ["c": 1, "d": 2, "n": 4, "w": 16]
    return FoundationComparisonPredicate(
      leftExpression: expression(comparison.left), rightExpression: expression(comparison.right),
      modifier: modifier,
      type: type, options: .init(rawValue: comparison.options.reduce(0) { $0 | bits[$1]! }))
  }

  private func expression(_ expression: OracleExpression) -> FoundationExpression {
    switch expression {
    case .constant(.object(let number)): return FoundationExpression(forConstantValue: object(number))
    case .constant(let constant): return FoundationExpression(forConstantValue: constant.boxed)
    case .path(nil, let path):
      return path.isEmpty
        ? FoundationExpression.expressionForEvaluatedObject()
        : FoundationExpression(forKeyPath: path.joined(separator: "."))
    case .path(let variable?, let path): return keys(path, of: FoundationExpression(forVariable: variable))
    case .list(let members): return FoundationExpression(forAggregate: members.map(self.expression))
    case .arithmetic(let sign, let a, let b):
      let names = ["+": "add:to:", "-": "from:subtract:", "*": "multiply:by:", "/": "divide:by:"]
      return FoundationExpression(
        forFunction: names[sign]!, arguments: [self.expression(a), self.expression(b)])
    case .function(let name, let arguments):
      return FoundationExpression(forFunction: "\(name):", arguments: arguments.map(self.expression))
    case .ternary(let predicate, let a, let b):
      return FoundationExpression(
        forConditional: self.predicate(predicate), trueExpression: self.expression(a),
        falseExpression: self.expression(b))
    case .cast(let value, let type):
      return FoundationExpression(
        forFunction: "castObject:toType:",
        arguments: [self.expression(value), FoundationExpression(forConstantValue: type)])
    case .subquery(let collection, let variable, let predicate, let path):
      return keys(
        path,
        of: FoundationExpression(
          forSubquery: self.expression(collection), usingIteratorVariable: variable,
          predicate: self.predicate(predicate)))
    }
  }

  private func keys(_ path: [String], of base: FoundationExpression) -> FoundationExpression {
    if path.isEmpty { return base }
    return FoundationExpression(
      forFunction: base, selectorName: "valueForKeyPath:",
      arguments: [FoundationExpression(forConstantValue: path.joined(separator: "."))])
  }
}

extension OracleConstant {
  /// As a program hands it over; objects have no value of their own.
  var boxed: Any? {
    switch self {
    case .null, .object: nil
    case .flag(let value): value
    case .int(let value): Int(value)
    case .real(let value): value
    case .decimal(let digits): NSDecimalNumber(string: digits)
    case .text(let value): value
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .uuid(let value): value
    case .link(let value): URL(string: value)
    case .bytes(let bytes): Data(bytes)
    }
  }
}

extension OracleValue {
  /// A value out of a dictionary that was fetched.
  init(any value: Any?) {
    switch value {
    case nil: self = .null
    case let value as NSDecimalNumber: self = .real(value.doubleValue)
    case let value as NSNumber:
      let isReal = "fd".utf8.contains(UInt8(bitPattern: value.objCType.pointee))
      self = isReal ? .real(value.doubleValue) : .int(value.int64Value)
    case let value as String: self = .text(value)
    case let value as Date: self = .real(value.timeIntervalSinceReferenceDate)
    case let value as UUID: self.init(.uuid(value))
    case let value as URL: self = .text(value.absoluteString)
    case let value as Data: self = .bytes(Array(value))
    default: self = .text("an unknown \(type(of: value!))")
    }
  }
}

extension OracleModel {
  func managedObjectModel() -> NSManagedObjectModel {
    var made: [String: NSEntityDescription] = [:]
    for entity in entities {
      let description = NSEntityDescription()
      description.name = entity.name
      made[entity.name] = description
    }
    var relationships: [String: NSRelationshipDescription] = [:]
    for entity in entities {
      for relationship in entity.relationships {
        let description = NSRelationshipDescription()
        description.name = relationship.name
        description.destinationEntity = made[relationship.destination]
        description.maxCount = relationship.isToMany ? 0 : 1
        description.isOrdered = relationship.isOrdered
        description.deleteRule = .nullifyDeleteRule
        relationships[relationship.name] = description
      }
      let attributes = entity.attributes.map { attribute in
        let description = NSAttributeDescription()
        description.name = attribute.name
        description.attributeType = attribute.kind.type
        description.isOptional = attribute.standard.isNull
        var standard = attribute.standard.boxed
        if attribute.kind == .float, case .real(let value) = attribute.standard { standard = Float(value) }
        description.defaultValue = standard
        return description
      }
      made[entity.name]!.properties = attributes + entity.relationships.map { relationships[$0.name]! }
      made[entity.name]!.subentities = entities.filter { $0.parent == entity.name }.map { made[$0.name]! }
    }
    for relationship in entities.flatMap(\.relationships) {
      relationships[relationship.name]!.inverseRelationship = relationships[relationship.inverse]!
    }
    let model = NSManagedObjectModel()
    model.entities = entities.map { made[$0.name]! }
    return model
  }
}

extension OracleKind {
  fileprivate var type: NSAttributeType {
    switch self {
    case .int16: .integer16AttributeType
    case .int32: .integer32AttributeType
    case .int64: .integer64AttributeType
    case .double: .doubleAttributeType
    case .float: .floatAttributeType
    case .decimal: .decimalAttributeType
    case .text: .stringAttributeType
    case .flag: .booleanAttributeType
    case .date: .dateAttributeType
    case .uuid: .UUIDAttributeType
    case .link: .URIAttributeType
    case .bytes: .binaryDataAttributeType
    }
  }
}
