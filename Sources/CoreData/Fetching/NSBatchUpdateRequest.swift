/// What the result of a batch update says. Also known by its Objective-C name.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
  /// That it was done.
  case statusOnlyResultType = 0
  /// The ids of the updated objects.
  case updatedObjectIDsResultType = 1
  /// How many they are.
  case updatedObjectsCountResultType = 2
}

/// Changes attributes of rows in a SQLite store without making objects of them.
///
///     let request = NSBatchUpdateRequest(entityName: "Book")
///     request.predicate = NSPredicate(format: "pages > %d", 500)
///     request.propertiesToUpdate = ["genre": "thick"]
///     request.resultType = .updatedObjectsCountResultType
///     let result = try context.execute(request) as? NSBatchUpdateResult
///     print(result?.result ?? 0)              // how many rows
///
/// Nothing is validated but a value's type, contexts are not told: give them the ids with
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`. Relationships can't be changed.
nonisolated open class NSBatchUpdateRequest: NSPersistentStoreRequest {
  /// Where the request was made with a name: known once it is executed.
  var resolvedEntity: NSEntityDescription?
  /// The name of the entity whose rows are changed.
  public let entityName: String
  /// Which rows; nil for all.
  open var predicate: NSPredicate? {
    get { storedPredicate }
    set { storedPredicate = newValue?.printableTwin ?? newValue }
  }
  // In an initializer Swift would run no observer.
  private final var storedPredicate: NSPredicate?
  /// Whether rows of subentities are changed as well.
  open var includesSubentities = true
  /// What ``NSBatchUpdateResult/result`` is. Default: `statusOnlyResultType`.
  open var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType
  /// Values or expressions, by the name or the description of an attribute. Nil and `NSNull` take the value away.
  open var propertiesToUpdate: [AnyHashable: Any]?

  /// A request for an entity by its name, which the context's model resolves.
  public init(entityName: String) {
    self.entityName = entityName
    resolvedEntity = nil
    super.init()
  }

  /// A request for an entity.
  public init(entity: NSEntityDescription) {
    entityName = entity.name ?? ""
    resolvedEntity = entity
    super.init()
  }

  /// The entity. A request that was made with a name knows it once it has been executed.
  open var entity: NSEntityDescription {
    guard let resolvedEntity else {
      preconditionFailure(
        "The batch update of \(entityName) has no entity yet: it was made with a name, which is looked up when the "
          + "request is executed.")
    }
    return resolvedEntity
  }

  private init(copying other: NSBatchUpdateRequest) {
    entityName = other.entityName
    resolvedEntity = other.resolvedEntity
    storedPredicate = other.predicate
    includesSubentities = other.includesSubentities
    resultType = other.resultType
    propertiesToUpdate = other.propertiesToUpdate
    super.init()
    affectedStores = other.affectedStores
  }

  /// `batchUpdateRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

  /// A copy with the same predicate and properties.
  open override func copy(with zone: NSZone? = nil) -> Any { NSBatchUpdateRequest(copying: self) }
}
