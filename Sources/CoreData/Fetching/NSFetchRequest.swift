/// The type of a fetch's results. Also known by its Objective-C name.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  /// The options as bits.
  public let rawValue: UInt
  /// Options from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Managed objects, the default.
  public static let managedObjectResultType: NSFetchRequestResultType = []
  /// The objects' ids, without making the objects.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// A dictionary for each row, or for each group of rows: see ``NSFetchRequest/propertiesToFetch``.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// The number of objects, as one `NSNumber`. See also `count(for:)` of ``NSManagedObjectContext``.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// A search for objects of an entity.
///
///     let request = NSFetchRequest<Book>(entityName: "Book")
///     request.predicate = NSPredicate(format: "author.name CONTAINS %@", "Le Guin")
///     request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
///     print(try context.fetch(request).map(\.title))  // ["The Dispossessed", "The Compass Rose"]
///
/// Unsaved changes of the context are taken into account, unless ``includesPendingChanges`` is false.
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
  private var namedEntity: String?
  /// The template or the fetched property that has the request; nil for other requests.
  final var holder: RequestHolder? {
    didSet { keep(entity) }
  }

  /// Whether the request was made for callers that know it as one for any results, though it is one for objects of a
  /// class: see `NSManagedObject.emptyRequest(entityName:)`.
  final var isForAnyResults = false

  // The values of the public settings. Those are computed, because Swift runs no observers of stored properties in an
  // initializer, not even in one of another module's extension.
  // Unchecked, as the count of `indexed` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private final var storedEntity: NSEntityDescription?
  /// Instead of `storedEntity` if a fetched property has the request, or a fetch has found the entity by its name.
  /// Entities own their properties, and a model whose entities were owned by a property would never be freed.
  @exclusivity(unchecked) private final var livingEntity = LivingReference<NSEntityDescription>()
  private final var storedPredicate: NSPredicate?
  private final var storedSortDescriptors: [NSSortDescriptor]?
  private final var storedFetchLimit: Int = 0
  private final var storedFetchOffset: Int = 0
  private final var storedFetchBatchSize: Int = 0
  private final var storedResultType: NSFetchRequestResultType = .managedObjectResultType
  private final var storedIncludesSubentities: Bool = true
  private final var storedIncludesPropertyValues: Bool = true
  private final var storedReturnsObjectsAsFaults: Bool = true
  private final var storedIncludesPendingChanges: Bool = true
  private final var storedReturnsDistinctResults: Bool = false
  private final var storedPropertiesToFetch: [Any]?
  private final var storedPropertiesToGroupBy: [Any]?
  private final var storedHavingPredicate: NSPredicate?
  private final var storedRelationshipKeyPathsForPrefetching: [String]?
  private final var storedShouldRefreshRefetchedObjects: Bool = false

  /// The entity to fetch. If you give only its name, it is looked up in the context's model, and is nil until a fetch
  /// has found it there.
  open var entity: NSEntityDescription? {
    get { storedEntity ?? livingEntity.object }
    set {
      willChange("entity")
      keep(newValue)
    }
  }
  /// The name of the entity, whether the request was made with a name or a description.
  open var entityName: String? { entity?.name ?? namedEntity }

  /// The condition for objects to be found; nil for all. A plain `NSCompoundPredicate` is replaced by an equivalent one
  /// that can be printed and compared.
  open var predicate: NSPredicate? {
    get { storedPredicate }
    set {
      willChange("predicate")
      storedPredicate = newValue?.printableTwin ?? newValue
    }
  }
  /// The order of the results; nil for no particular order.
  open var sortDescriptors: [NSSortDescriptor]? {
    get { storedSortDescriptors }
    set {
      willChange("sortDescriptors")
      storedSortDescriptors = newValue
    }
  }
  /// The maximum number of results; 0 for no limit.
  open var fetchLimit: Int {
    get { storedFetchLimit }
    set {
      willChange("fetchLimit")
      storedFetchLimit = newValue
    }
  }
  /// The number of results to skip.
  open var fetchOffset: Int {
    get { storedFetchOffset }
    set {
      willChange("fetchOffset")
      storedFetchOffset = newValue
    }
  }
  /// How many rows are read at a time as the objects are used; 0 reads all at once.
  open var fetchBatchSize: Int {
    get { storedFetchBatchSize }
    set {
      willChange("fetchBatchSize")
      storedFetchBatchSize = newValue
    }
  }
  /// The type of the results; managed objects by default. `fetch(_:)` throws if that is not the type that the request
  /// is for; ``NSManagedObjectContext/execute(_:)`` takes any.
  open var resultType: NSFetchRequestResultType {
    get { storedResultType }
    set {
      willChange("resultType")
      storedResultType = newValue
    }
  }
  /// Whether objects of subentities are found too.
  open var includesSubentities: Bool {
    get { storedIncludesSubentities }
    set {
      willChange("includesSubentities")
      storedIncludesSubentities = newValue
    }
  }
  /// Whether the rows' values are read together with the objects.
  open var includesPropertyValues: Bool {
    get { storedIncludesPropertyValues }
    set {
      willChange("includesPropertyValues")
      storedIncludesPropertyValues = newValue
    }
  }
  /// Whether objects are returned as faults. With `includesPropertyValues` their values are in memory anyway.
  open var returnsObjectsAsFaults: Bool {
    get { storedReturnsObjectsAsFaults }
    set {
      willChange("returnsObjectsAsFaults")
      storedReturnsObjectsAsFaults = newValue
    }
  }
  /// Whether unsaved changes of the context are taken into account.
  open var includesPendingChanges: Bool {
    get { storedIncludesPendingChanges }
    set {
      willChange("includesPendingChanges")
      storedIncludesPendingChanges = newValue
    }
  }
  /// Whether equal dictionaries are returned once. For dictionary results only.
  open var returnsDistinctResults: Bool {
    get { storedReturnsDistinctResults }
    set {
      willChange("returnsDistinctResults")
      storedReturnsDistinctResults = newValue
    }
  }
  /// Names or descriptions of the properties of dictionary results; nil for all attributes and to-one ids.
  open var propertiesToFetch: [Any]? {
    get { storedPropertiesToFetch }
    set {
      willChange("propertiesToFetch")
      storedPropertiesToFetch = newValue
    }
  }
  /// Names or descriptions of properties. Rows with equal values for these become one dictionary. For dictionary
  /// results only.
  open var propertiesToGroupBy: [Any]? {
    get { storedPropertiesToGroupBy }
    set {
      willChange("propertiesToGroupBy")
      storedPropertiesToGroupBy = newValue
    }
  }
  /// The condition for a group of ``propertiesToGroupBy`` to be returned. Without properties to group by, the fetch
  /// throws an error.
  open var havingPredicate: NSPredicate? {
    get { storedHavingPredicate }
    set {
      willChange("havingPredicate")
      storedHavingPredicate = newValue?.printableTwin ?? newValue
    }
  }
  /// Paths of relationships whose destinations are read together with the objects.
  open var relationshipKeyPathsForPrefetching: [String]? {
    get { storedRelationshipKeyPathsForPrefetching }
    set {
      willChange("relationshipKeyPathsForPrefetching")
      storedRelationshipKeyPathsForPrefetching = newValue
    }
  }
  /// Whether objects that already have values take the new ones of their rows. Unsaved changes are kept.
  open var shouldRefreshRefetchedObjects: Bool {
    get { storedShouldRefreshRefetchedObjects }
    set {
      willChange("shouldRefreshRefetchedObjects")
      storedShouldRefreshRefetchedObjects = newValue
    }
  }
  /// Makes a request without an entity. Set one before you execute it.
  public override init() {
    super.init()
    joinClasses()
  }

  /// Makes a request for the entity with a name, which is looked up in the model of the context that executes it.
  public init(entityName: String) {
    namedEntity = entityName
    super.init()
    joinClasses()
  }

  /// A request with all settings of another one, whose results may be of another type.
  package convenience init<Other>(withAllOf other: NSFetchRequest<Other>) {
    self.init()
    takeAll(from: other)
  }

  /// Here because Apple's framework demands it of subclasses. Requests can't be archived: this ends the program.
  public required init?(coder: NSCoder) {
    misuse("A fetch request can't be read from an archive. Make it with init(entityName:).")
  }

  /// Lets `request as? NSFetchRequest<NSFetchRequestResult>` succeed, as it does where type parameters are erased, and
  /// `as? NSFetchRequest<NSManagedObject>` for a request for objects of a class.
  private func joinClasses() {
    ClassMetadata(NSFetchRequest<ResultType>.self).standBelow(
      NSFetchRequest<any NSFetchRequestResult>.self,
      objects: ResultType.self is NSManagedObject.Type ? NSFetchRequest<NSManagedObject>.self : nil,
      superclass: NSPersistentStoreRequest.self)
  }

  /// `fetchRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// A copy that you can change, even if this is a template.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchRequest<ResultType>()
    copy.takeAll(from: self)
    copy.isForAnyResults = isForAnyResults
    return copy
  }

  /// Copies all settings of another request.
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

  private func keep(_ entity: NSEntityDescription?) {
    let isOfProperty = holder?.isProperty == true
    if isOfProperty, let name = entity?.name { namedEntity = name }
    livingEntity.object = isOfProperty ? entity : nil
    storedEntity = isOfProperty ? nil : entity
  }

  /// A fetch has found the entity that the request names.
  final func foundEntity(_ entity: NSEntityDescription) {
    if storedEntity == nil, holder == nil, livingEntity.object !== entity { livingEntity.object = entity }
  }

  private func willChange(_ member: StaticString) {
    if let holder, holder.isFrozen { misuse(.immutableRequest(of: holder.description, member: "\(member)")) }
  }

  override func found(in context: NSManagedObjectContext) throws -> [Any]? {
    let committed = copy() as! NSFetchRequest<ResultType>
    committed.includesPendingChanges = false
    return try context.fetch(committed.forAnyResults).map { $0 as Any }
  }

  override func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult? {
    try complete(in: context)
  }

  /// Executes the request in the context whose `perform` block this is called in.
  @discardableResult
  open func execute() throws -> [ResultType] {
    guard let context = NSManagedObjectContext.current else {
      misuse("NSFetchRequest.execute() was called outside of a context's perform block.")
    }
    return try results(in: context)
  }

  /// Whether another request, of whatever result type, asks for the same: all settings are equal.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchRequest<any NSFetchRequestResult> else { return false }
    // The texts of two blocks are the same, so predicates and orders are compared themselves.
    return untyped === other
      || predicate == other.predicate && havingPredicate == other.havingPredicate
        && sortDescriptors == other.sortDescriptors && affectedStores == other.affectedStores
        && definition == other.definition
  }
  /// A hash of the entity's name.
  open override var hash: Int { entityName.hashValue }

  /// The entity, the predicate and the order, for logs.
  open override var description: String {
    "<NSFetchRequest> (entity: \(entityName ?? "nil"); predicate: (\(predicate?.quietFormat ?? "nil")); "
      + "sortDescriptors: (\(sortDescriptors?.map { "\($0)" }.joined(separator: ", ") ?? "nil")))"
  }
}
