extension DataModel {
  public struct Entity: Hashable, Sendable {
    public var name: String
    /// The class as the file names it: nil for NSManagedObject; a leading "." means the module that is
    /// compiled; compiled models hold `Module.Class`.
    public var className: String?
    public var codeGeneration = CodeGeneration.manual
    public var parentName: String?
    public var isAbstract = false
    public var attributes: [Attribute] = []
    public var relationships: [Relationship] = []
    public var fetchedProperties: [FetchedProperty] = []
    /// Lists of attribute names; a list names one constraint.
    public var uniquenessConstraints: [[String]] = []
    public var fetchIndexes: [FetchIndex] = []
    /// Indexes in the form before fetch indexes: lists of property names.
    public var compoundIndexes: [[String]] = []
    /// The name under which an earlier version knew the entity, nil when it is the same.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: String] = [:]
    public var coreSpotlightDisplayNameExpression: String?
    public var isSyncable = false

    public init(name: String) { self.name = name }
  }

  /// Who writes an entity's class.
  public enum CodeGeneration: String, Sendable {
    /// The user writes it.
    case manual
    /// Class and properties are generated ("Class Definition").
    case classDefinition = "class"
    /// The user writes the class, its properties are generated ("Category/Extension").
    case categoryExtension = "category"
  }

  public struct FetchIndex: Hashable, Sendable {
    public var name: String
    public var elements: [Element]
    /// The format of the predicate that limits the index to some rows.
    public var partialIndexPredicate: String?

    public init(name: String, elements: [Element], partialIndexPredicate: String? = nil) {
      self.name = name
      self.elements = elements
      self.partialIndexPredicate = partialIndexPredicate
    }

    /// What every entity has and an element may name like a property: the object, its entity, its id.
    public static let objectKeys: Set<String> = ["self", "entity", "objectID"]

    public struct Element: Hashable, Sendable {
      /// The property's name, nil for a computed element.
      public var propertyName: String?
      /// The format of a computed element's expression.
      public var expression: String?
      public var type: ElementType
      public var isAscending: Bool

      public init(
        propertyName: String?, expression: String? = nil, type: ElementType = .binary,
        isAscending: Bool = true
      ) {
        self.propertyName = propertyName
        self.expression = expression
        self.type = type
        self.isAscending = isAscending
      }
    }

    /// Raw values as in `NSFetchIndexElementType` and in compiled models.
    public enum ElementType: Int, Sendable {
      case binary = 0
      case rTree = 1
    }
  }
}

extension DataModel.Entity {
  /// The fetch indexes of the compiled model: those declared, and one for each attribute or relationship
  /// that has the old `indexed` flag and no index of its own yet, named after it.
  public var compiledFetchIndexes: [DataModel.FetchIndex] {
    var flagged: [String] = []
    for attribute in attributes where attribute.isIndexed { flagged.append(attribute.name) }
    for relationship in relationships where relationship.isIndexed { flagged.append(relationship.name) }
    if flagged.isEmpty { return fetchIndexes }
    // Swift would create a key path through a subscript again at each call.
    let covered = Set(fetchIndexes.filter { $0.elements.count == 1 }.compactMap { $0.elements[0].propertyName })
    return fetchIndexes
      + flagged.filter { !covered.contains($0) }.map {
        DataModel.FetchIndex(name: $0, elements: [.init(propertyName: $0)])
      }
  }
}
