/// A mapping model as plain values: the content of an `.xcmappingmodel` or of a `.cdm`.
///
/// What a source leaves to its compiler is filled in: names, types, hashes and the expressions that the editor shows
/// without writing them down. See `SourceMappingReader`.
public struct MappingModelFile: Hashable, Sendable {
  /// In the order in which a migration goes through them.
  public var entityMappings: [EntityMapping] = []

  public init() {}

  /// What becomes of the objects of one entity.
  public struct EntityMapping: Hashable, Sendable {
    /// Unique in the mapping model.
    public var name: String
    public var type = MappingType.undefined
    public var sourceName: String?
    public var destinationName: String?
    /// 32 bytes.
    public var sourceHash: [UInt8]?
    public var destinationHash: [UInt8]?
    public var attributeMappings: [PropertyMapping] = []
    public var relationshipMappings: [PropertyMapping] = []
    /// What finds the source objects; nil for all of the source entity.
    public var sourceExpression: MappingExpression?
    public var policyClassName: String?
    public var userInfo: [String: DataModel.Value] = [:]

    public init(name: String) { self.name = name }
  }

  /// Where one property of the new object comes from.
  public struct PropertyMapping: Hashable, Sendable {
    public var name: String
    /// nil leaves the property as the new object has it.
    public var expression: MappingExpression?
    public var userInfo: [String: DataModel.Value] = [:]

    public init(name: String, expression: MappingExpression? = nil) {
      self.name = name
      self.expression = expression
    }
  }

  /// Raw values as in `NSEntityMappingType` and in compiled mapping models.
  public enum MappingType: Int, Sendable, CaseIterable {
    case undefined = 0
    case custom = 1
    case add = 2
    case remove = 3
    case copy = 4
    case transform = 5

    /// The name the editor writes.
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

/// An expression of a mapping model.
///
/// It is a tree, in the files as here; `text` has it in the format language, as the editor shows it.
public struct MappingExpression: Hashable, Sendable {
  let tree: ExpressionNode

  /// Such as `$source.name` or `FUNCTION($entityPolicy, "join:with:" , $source.first, $source.last)`.
  public var text: String { tree.modelText }
}

extension MappingExpression {
  private static func constant(_ text: String) -> ExpressionNode { .constant(.string(text)) }

  /// A key path on a variable; the variable itself for an empty path.
  static func value(_ path: String, of variable: String) -> MappingExpression {
    MappingExpression(
      tree: ExpressionNode.variable(variable).appending(path.split(separator: ".").map(String.init)))
  }

  /// The source objects: those of an entity that meet a predicate.
  static func fetch(_ entity: String, _ predicate: String) -> MappingExpression {
    let request = ExpressionNode.method(
      "fetchRequestForSourceEntityNamed:predicateString:", of: .variable("manager"),
      [constant(entity), constant(predicate)])
    return MappingExpression(
      tree: .fetch(request, value("sourceContext", of: "manager").tree, countOnly: false))
  }

  /// What has become of other source objects, by way of a mapping's name or of a relationship's.
  static func destinations(
    _ selector: String, named name: String, of source: MappingExpression
  ) -> MappingExpression {
    MappingExpression(
      tree: .method("\(selector):sourceInstances:", of: .variable("manager"), [constant(name), source.tree]))
  }
}
