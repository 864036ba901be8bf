/// A mapping model as plain values: the content of an `.xcmappingmodel` or of a `.cdm`.
///
/// Values that a source file leaves to its compiler are filled in: names, types, hashes, and the expressions that the
/// editor shows but doesn't write. See `SourceMappingReader`.
public struct MappingModelFile: Hashable, Sendable {
  /// The entity mappings in the order in which a migration runs them.
  public var entityMappings: [EntityMapping] = []

  public init() {}

  /// What a migration makes of the objects of one entity.
  public struct EntityMapping: Hashable, Sendable {
    /// The name, unique in the mapping model.
    public var name: String
    public var type = MappingType.undefined
    public var sourceName: String?
    public var destinationName: String?
    /// The source entity's version hash, 32 bytes.
    public var sourceHash: [UInt8]?
    public var destinationHash: [UInt8]?
    public var attributeMappings: [PropertyMapping] = []
    public var relationshipMappings: [PropertyMapping] = []
    /// The expression that finds the source objects; nil for all objects of the source entity.
    public var sourceExpression: MappingExpression?
    public var policyClassName: String?
    public var userInfo: [String: DataModel.Value] = [:]

    public init(name: String) { self.name = name }
  }

  /// How one property of the new object gets its value.
  public struct PropertyMapping: Hashable, Sendable {
    public var name: String
    /// The expression for the value; nil to leave the property as it is in the new object.
    public var expression: MappingExpression?
    public var userInfo: [String: DataModel.Value] = [:]

    public init(name: String, expression: MappingExpression? = nil) {
      self.name = name
      self.expression = expression
    }
  }

  /// The raw values are those of `NSEntityMappingType` and of compiled mapping models.
  public enum MappingType: Int, Sendable, CaseIterable {
    case undefined = 0
    case custom = 1
    case add = 2
    case remove = 3
    case copy = 4
    case transform = 5

    /// The name in the editor.
    public var editorName: String {
      switch self {
      case .undefined: "Undefined"
      case .custom: "Custom"
      case .add: "Add"
      case .remove: "Remove"
      case .copy: "Copy"
      case .transform: "Transform"
      }
    }
  }
}

/// An expression in a mapping model.
///
/// It is a tree, as in the files. `text` shows it in the format language, as the editor does.
public struct MappingExpression: Hashable, Sendable {
  let tree: ExpressionNode

  /// The expression as text, such as `$source.name` or `FUNCTION($entityPolicy, "join:with:" , $source.first,
  /// $source.last)`.
  public var text: String { tree.modelText }
}

extension MappingExpression {
  private static func constant(_ text: String) -> ExpressionNode { .constant(.string(text)) }

  /// A key path of a variable. For an empty path it is the variable itself.
  static func value(_ path: String, of variable: String) -> MappingExpression {
    MappingExpression(
      tree: ExpressionNode.variable(variable).appending(path.split(separator: ".").map(String.init)))
  }

  /// The source objects: the objects of an entity that meet a predicate.
  static func fetch(_ entity: String, _ predicate: String) -> MappingExpression {
    let request = ExpressionNode.method(
      "fetchRequestForSourceEntityNamed:predicateString:", of: .variable("manager"),
      [constant(entity), constant(predicate)])
    return MappingExpression(
      tree: .fetch(request, value("sourceContext", of: "manager").tree, countOnly: false))
  }

  /// The destination objects made from other source objects, found by the name of a mapping or of a relationship.
  static func destinations(
    _ selector: String, named name: String, of source: MappingExpression
  ) -> MappingExpression {
    MappingExpression(
      tree: .method("\(selector):sourceInstances:", of: .variable("manager"), [constant(name), source.tree]))
  }
}
