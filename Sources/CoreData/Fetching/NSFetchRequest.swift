/// What a fetch returns. Also known by its Objective-C name.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  /// The options as bits.
  public let rawValue: UInt
  /// Options from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Managed objects; what a fetch returns unless it says something else.
  public static let managedObjectResultType: NSFetchRequestResultType = []
  /// The objects' ids, without objects being made.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// A dictionary for each row, or for each group of rows: see ``NSFetchRequest/propertiesToFetch``.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// How many objects there are: one `NSNumber`. See also ``NSManagedObjectContext/count(for:)``.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// A search for objects of an entity.
///
///     let request = NSFetchRequest<Book>(entityName: "Book")
///     request.predicate = NSPredicate(format: "author.name == %@", "Kafka")
///     request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
///     let books = try context.fetch(request)
///
/// Unsaved changes of the context take part, unless ``includesPendingChanges`` is false.
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
  private var namedEntity: String?
  /// The model that has the request as a template, or for a fetched property; nil for all others.
  final var place: RequestPlace?

  /// The entity whose objects are looked for; resolved by its name in the context's model when only that is given.
  @exclusivity(unchecked) open var entity: NSEntityDescription? { willSet { willChange("entity") } }
  /// The name of the entity, whether the request was made with a name or a description.
  open var entityName: String? { entity?.name ?? namedEntity }

  /// Which objects; nil for all. A plain `NSCompoundPredicate` becomes one of the same meaning that prints and compares.
  @exclusivity(unchecked) open var predicate: NSPredicate? {
    willSet { willChange("predicate") }
    didSet { if let twin = predicate?.printableTwin { predicate = twin } }
  }
  /// In which order; nil for none in particular.
  @exclusivity(unchecked) open var sortDescriptors: [NSSortDescriptor]? { willSet { willChange("sortDescriptors") } }
  /// How many at most; 0 for no limit.
  @exclusivity(unchecked) open var fetchLimit = 0 { willSet { willChange("fetchLimit") } }
  /// How many to skip.
  @exclusivity(unchecked) open var fetchOffset = 0 { willSet { willChange("fetchOffset") } }
  /// In what portions rows are read as the objects are used; 0 for all at once.
  @exclusivity(unchecked) open var fetchBatchSize = 0 { willSet { willChange("fetchBatchSize") } }
  /// What the fetch returns. Default: managed objects.
  @exclusivity(unchecked) open var resultType: NSFetchRequestResultType = .managedObjectResultType {
    willSet { willChange("resultType") }
  }
  /// Whether objects of subentities are found as well.
  @exclusivity(unchecked) open var includesSubentities = true { willSet { willChange("includesSubentities") } }
  /// Whether the rows' values are read along with the objects.
  @exclusivity(unchecked) open var includesPropertyValues = true { willSet { willChange("includesPropertyValues") } }
  /// Whether objects come as faults; with `includesPropertyValues` their values are at hand all the same.
  @exclusivity(unchecked) open var returnsObjectsAsFaults = true { willSet { willChange("returnsObjectsAsFaults") } }
  /// Whether unsaved changes of the context take part.
  @exclusivity(unchecked) open var includesPendingChanges = true { willSet { willChange("includesPendingChanges") } }
  /// Whether equal dictionaries come once; for dictionary results only.
  open var returnsDistinctResults = false { willSet { willChange("returnsDistinctResults") } }
  /// Names or descriptions of the properties of dictionary results; nil for all attributes and to-one ids.
  open var propertiesToFetch: [Any]? { willSet { willChange("propertiesToFetch") } }
  /// Names or descriptions of properties: rows that agree in them become one dictionary. For dictionary results only.
  open var propertiesToGroupBy: [Any]? { willSet { willChange("propertiesToGroupBy") } }
  /// Which groups of ``propertiesToGroupBy`` are returned. Without properties to group by the fetch throws.
  open var havingPredicate: NSPredicate? {
    willSet { willChange("havingPredicate") }
    didSet { if let twin = havingPredicate?.printableTwin { havingPredicate = twin } }
  }
  /// Paths of relationships whose destinations are read along.
  @exclusivity(unchecked) open var relationshipKeyPathsForPrefetching: [String]? {
    willSet { willChange("relationshipKeyPathsForPrefetching") }
  }
  /// Whether objects that have their values already take the rows' ones; unsaved changes stay on top.
  @exclusivity(unchecked) open var shouldRefreshRefetchedObjects = false {
    willSet { willChange("shouldRefreshRefetchedObjects") }
  }
  /// A request without an entity, which has to be set before it is executed.
  public override init() { super.init() }

  /// A request for an entity by its name, which is looked up in the model of the context that executes it.
  public init(entityName: String) {
    namedEntity = entityName
    super.init()
  }

  /// `fetchRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// A copy that can be changed, of a template as well.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchRequest<ResultType>()
    copy.takeAll(from: self)
    return copy
  }

  /// Takes every setting of another request.
  func takeAll<Other>(from other: NSFetchRequest<Other>) {
    namedEntity = other.entityName
    entity = other.entity
    predicate = other.predicate
    sortDescriptors = other.sortDescriptors
    fetchLimit = other.fetchLimit
    fetchOffset = other.fetchOffset
    fetchBatchSize = other.fetchBatchSize
    resultType = other.resultType
    includesSubentities = other.includesSubentities
    includesPropertyValues = other.includesPropertyValues
    returnsObjectsAsFaults = other.returnsObjectsAsFaults
    includesPendingChanges = other.includesPendingChanges
    returnsDistinctResults = other.returnsDistinctResults
    propertiesToFetch = other.propertiesToFetch
    propertiesToGroupBy = other.propertiesToGroupBy
    havingPredicate = other.havingPredicate
    relationshipKeyPathsForPrefetching = other.relationshipKeyPathsForPrefetching
    shouldRefreshRefetchedObjects = other.shouldRefreshRefetchedObjects
    affectedStores = other.affectedStores
  }

  private func willChange(_ member: StaticString) {
    if let place, place.isFrozen { misuse(.immutableRequest(of: place.description, member: "\(member)")) }
  }

  override func found(in context: NSManagedObjectContext) throws -> [Any]? {
    let committed = copy() as! NSFetchRequest<ResultType>
    committed.includesPendingChanges = false
    return try context.fetch(committed)
  }

  /// Fetches in the context whose `perform` block this is called in.
  open func execute() throws -> [ResultType] {
    guard let context = NSManagedObjectContext.current else {
      fatalError("NSFetchRequest.execute() was called outside of a context's perform block.")
    }
    return try context.fetch(self)
  }

  /// The entity, the predicate and the order, for logs.
  open override var description: String {
    "<NSFetchRequest> (entity: \(entityName ?? "nil"); predicate: (\(predicate?.quietFormat ?? "nil")); "
      + "sortDescriptors: (\(sortDescriptors?.map { "\($0)" }.joined(separator: ", ") ?? "nil")))"
  }
}
