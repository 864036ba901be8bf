extension DataModel {
  public struct Relationship: Hashable, Sendable {
    public var name: String
    public var destinationName: String
    public var inverseName: String?
    public var inverseEntityName: String?
    public var isOptional = false
    public var isTransient = false
    public var isOrdered = false
    public var deleteRule = DeleteRule.nullify
    public var minCount = 0
    /// 1 for a to-one relationship, 0 for a to-many relationship without a limit.
    public var maxCount = 1
    public var isIndexed = false
    public var isIndexedBySpotlight = false
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var isSyncable = false
    public var userInfo: [String: String] = [:]

    public init(name: String, destinationName: String) {
      self.name = name
      self.destinationName = destinationName
    }

    public var isToMany: Bool { maxCount != 1 }
  }

  /// The raw values are those of `NSDeleteRule` and of compiled models.
  public enum DeleteRule: Int, Sendable, CaseIterable {
    case noAction = 0
    case nullify = 1
    case cascade = 2
    case deny = 3

    public var editorName: String {
      switch self {
      case .noAction: "No Action"
      case .nullify: "Nullify"
      case .cascade: "Cascade"
      case .deny: "Deny"
      }
    }

    public init?(editorName: String) {
      guard let rule = Self.allCases.first(where: { $0.editorName == editorName }) else { return nil }
      self = rule
    }
  }

  /// A property whose value is the result of a fetch request.
  public struct FetchedProperty: Hashable, Sendable {
    public var name: String
    public var isOptional = true
    public var isSyncable = false
    public var request: FetchRequestTemplate
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: String] = [:]

    public init(name: String, request: FetchRequestTemplate) {
      self.name = name
      self.request = request
    }
  }

  /// A stored fetch request. Predicates are kept as their format strings.
  public struct FetchRequestTemplate: Hashable, Sendable {
    public var name: String
    public var entityName: String
    public var predicateFormat: String?
    /// Why the predicate of a compiled model has no format string; nil if it has one.
    public var unreadablePredicate: String?
    public var fetchLimit = 0
    public var fetchOffset = 0
    public var fetchBatchSize = 0
    public var resultType = ResultType.managedObject
    public var includesSubentities = true
    public var includesPropertyValues = true
    public var includesPendingChanges = true
    public var returnsObjectsAsFaults = true
    public var returnsDistinctResults = false

    public init(name: String, entityName: String, predicateFormat: String? = nil) {
      self.name = name
      self.entityName = entityName
      self.predicateFormat = predicateFormat
    }
  }

  /// The raw values are those of `NSFetchRequestResultType` and of compiled models.
  public enum ResultType: Int, Sendable {
    case managedObject = 0
    case managedObjectID = 1
    case dictionary = 2
    case count = 4
  }
}
