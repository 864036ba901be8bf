/// What the result of a batch insert contains. Also known by its Objective-C name.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
  /// Whether it succeeded: `true`.
  case statusOnly = 0
  /// The ids of the rows that were written.
  case objectIDs = 1
  /// The number of rows that were written.
  case count = 2
}

/// Inserts rows into a SQLite store without making objects of them.
///
///     let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "Eden"], ["title": "Fiasco"]])
///     request.resultType = .objectIDs
///     let result = try context.execute(request) as? NSBatchInsertResult
///     let ids = result?.result as? [NSManagedObjectID] ?? []
///     print(ids.count)  // 2
///     NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectIDsKey: ids], into: [context])
///
/// The values come from an array of dictionaries or from a handler, which fills in one row at a time and returns true
/// when there are no more. Attributes that are not set have their default values. The request checks that every key is
/// an attribute that can be set, that each value has its type, and that no mandatory attribute is nil. It does not
/// check limits, patterns and relationships, and it can't set relationships. `awakeFromInsert()` and `willSave()` are
/// not called. The context's merge policy decides about a row that breaks a uniqueness constraint. All rows are
/// written, or none.
///
/// Contexts don't notice: give them the ids with `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
/// With several stores the rows go to the first of ``NSPersistentStoreRequest/affectedStores``, or of the
/// coordinator's, that takes the entity.
nonisolated open class NSBatchInsertRequest: NSPersistentStoreRequest {
  /// The name of the entity; empty for a request that was made without one.
  public let entityName: String
  /// The entity. If the request was made with a name, the entity is known once it is executed.
  public internal(set) final var entity: NSEntityDescription?
  /// What ``NSBatchInsertResult/result`` is. Default: `statusOnly`.
  open var resultType: NSBatchInsertRequestResultType = .statusOnly

  /// The values of the rows, by the names of attributes. `NSNull` is nil.
  open var objectsToInsert: [[String: Any]]?
  /// Fills in the values of one row and returns false, or returns true to end. Values that are set in the call that
  /// returns true are dropped.
  ///
  /// Called on the context's queue during the store's write transaction. It may read other contexts if the store has a
  /// write-ahead log, and must not save one. The dictionary is used for all rows, and is empty at each call.
  open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
  /// Like ``dictionaryHandler``, with an object of the entity's class. The object belongs to no context, and has
  /// default values at each call.
  open var managedObjectHandler: ((NSManagedObject) -> Bool)?

  /// Makes a request without an entity, which can't be executed.
  public override init() {
    entityName = ""
    super.init()
  }

  /// Inserts a row for each dictionary. Keys are names of attributes; `NSNull` is nil.
  public init(entityName: String, objects dictionaries: [[String: Any]]) {
    self.entityName = entityName
    objectsToInsert = dictionaries
    super.init()
  }

  /// Inserts a row of the entity for each dictionary. Keys are names of attributes; `NSNull` is nil.
  public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
    entityName = entity.name ?? ""
    self.entity = entity
    objectsToInsert = dictionaries
    super.init()
  }

  /// Inserts rows until the handler returns true; see ``dictionaryHandler``.
  public init(
    entityName: String, dictionaryHandler handler: @escaping (_ dictionary: NSMutableDictionary) -> Bool
  ) {
    self.entityName = entityName
    dictionaryHandler = handler
    super.init()
  }

  /// Inserts rows of the entity until the handler returns true; see ``dictionaryHandler``.
  public init(
    entity: NSEntityDescription, dictionaryHandler handler: @escaping (_ dictionary: NSMutableDictionary) -> Bool
  ) {
    entityName = entity.name ?? ""
    self.entity = entity
    dictionaryHandler = handler
    super.init()
  }

  /// Inserts rows until the handler returns true; see ``managedObjectHandler``.
  public init(
    entityName: String, managedObjectHandler handler: @escaping (_ managedObject: NSManagedObject) -> Bool
  ) {
    self.entityName = entityName
    managedObjectHandler = handler
    super.init()
  }

  /// Inserts rows of the entity until the handler returns true; see ``managedObjectHandler``.
  public init(
    entity: NSEntityDescription, managedObjectHandler handler: @escaping (_ managedObject: NSManagedObject) -> Bool
  ) {
    entityName = entity.name ?? ""
    self.entity = entity
    managedObjectHandler = handler
    super.init()
  }

  private init(copying other: NSBatchInsertRequest) {
    entityName = other.entityName
    entity = other.entity
    resultType = other.resultType
    objectsToInsert = other.objectsToInsert
    dictionaryHandler = other.dictionaryHandler
    managedObjectHandler = other.managedObjectHandler
    super.init()
    affectedStores = other.affectedStores
  }

  /// `batchInsertRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

  /// A copy with the same rows or handlers.
  open override func copy(with zone: NSZone? = nil) -> Any { NSBatchInsertRequest(copying: self) }
}
