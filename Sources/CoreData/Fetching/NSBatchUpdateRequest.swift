/// What the result of a batch update contains. Also known by its Objective-C name.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
  /// Whether it succeeded: `true`.
  case statusOnlyResultType = 0
  /// The ids of the updated objects.
  case updatedObjectIDsResultType = 1
  /// The number of updated objects.
  case updatedObjectsCountResultType = 2
}

/// Changes attributes of rows in a SQLite store without making objects of them.
///
///     let request = NSBatchUpdateRequest(entityName: "Book")
///     request.predicate = NSPredicate(format: "pages > %d", 300)
///     request.propertiesToUpdate = ["genre": "thick"]
///     request.resultType = .updatedObjectsCountResultType
///     let result = try context.execute(request) as? NSBatchUpdateResult
///     print(result?.result ?? 0)  // 1
///
/// Only a value's type is checked, nothing else. Contexts don't notice; give them the ids with
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`. Relationships can't be changed.
nonisolated open class NSBatchUpdateRequest: NSPersistentStoreRequest {
  /// If the request was made with a name, the entity is known once it is executed.
  var resolvedEntity: NSEntityDescription?
  /// The name of the entity whose rows change.
  public let entityName: String
  /// The condition for rows to change; nil for all rows.
  open var predicate: NSPredicate? {
    get { storedPredicate }
    set { storedPredicate = newValue?.printableTwin ?? newValue }
  }
  // Swift runs no observers in an initializer.
  private final var storedPredicate: NSPredicate?
  /// Whether rows of subentities change as well.
  open var includesSubentities = true
  /// What ``NSBatchUpdateResult/result`` is. Default: `statusOnlyResultType`.
  open var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType
  /// Values or expressions, by the name or the description of an attribute. nil and `NSNull` set it to nil.
  open var propertiesToUpdate: [AnyHashable: Any]?

  /// Makes a request for the entity with a name, which is looked up in the context's model.
  public init(entityName: String) {
    self.entityName = entityName
    resolvedEntity = nil
    super.init()
  }

  /// Makes a request for an entity.
  public init(entity: NSEntityDescription) {
    entityName = entity.name ?? ""
    resolvedEntity = entity
    super.init()
  }

  /// The entity. If the request was made with a name, the entity is known once it has been executed.
  open var entity: NSEntityDescription {
    guard let resolvedEntity else {
      misuse(
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
