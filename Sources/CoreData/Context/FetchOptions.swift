/// The settings of a request that concern the context, not the store.
struct FetchOptions {
  let stores: [NSPersistentStore]?
  var pendingChanges: Bool
  let asFaults: Bool
  let refreshing: Bool
  let batchSize: Int
  let prefetching: [String]
  /// An answer that the stores have given already; nil to ask them.
  var answers: [StoreAnswer]?

  /// The options with which a parent answers its child.
  init(stores: [NSPersistentStore]?) {
    self.stores = stores
    pendingChanges = true
    asFaults = true
    refreshing = false
    batchSize = 0
    prefetching = []
  }

  init<Result>(_ request: NSFetchRequest<Result>) {
    stores = request.affectedStores
    pendingChanges = request.includesPendingChanges
    asFaults = request.returnsObjectsAsFaults
    refreshing = request.shouldRefreshRefetchedObjects
    batchSize = request.fetchBatchSize
    prefetching = request.relationshipKeyPathsForPrefetching ?? []
  }

  /// The description that the stores are given. It asks for keys alone if rows are read in batches, which a fetch that
  /// refreshes objects does not do.
  func asStoresSee(_ description: FetchDescription) -> FetchDescription {
    guard batchSize > 0, !refreshing, case .rows = description.output else { return description }
    var keysOnly = description
    keysOnly.output = .references
    return keysOnly
  }
}
