/// The settings of a request that are the context's business, not the store's.
struct FetchOptions {
  let stores: [NSPersistentStore]?
  var pendingChanges: Bool
  let asFaults: Bool
  let refreshing: Bool
  let batchSize: Int
  let prefetching: [String]
  /// What the stores have answered already; nil to ask them.
  var answers: [StoreAnswer]?

  /// Those with which a parent answers its child.
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

  /// What the stores are asked: for keys alone where rows are read in portions.
  func asStoresSee(_ description: FetchDescription) -> FetchDescription {
    guard batchSize > 0, case .rows = description.output else { return description }
    var keysOnly = description
    keysOnly.output = .references
    return keysOnly
  }
}
