import CoreData

/// A ``DataStore`` with its generic types erased.
protocol DataStoreAccess: AnyObject {
  var identifier: String { get }
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> FoundSnapshots
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
  /// The identities, and the snapshots of their models if the store had to fetch them.
  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> (identifiers: [PersistentIdentifier], found: FoundSnapshots?)
  func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  func erase() throws
  func initializeState(for state: EditingState)
  func invalidateState(for state: EditingState)
  func cachedSnapshot(_ identifier: PersistentIdentifier, _ state: EditingState) throws -> DefaultSnapshot?
}

struct FoundSnapshots {
  let snapshots: [DefaultSnapshot]
  let related: [PersistentIdentifier: DefaultSnapshot]

  /// - Parameter result: of a store whose snapshots are `DefaultSnapshot`s.
  fileprivate init<T: PersistentModel, Snapshot: DataStoreSnapshot>(_ result: DataStoreFetchResult<T, Snapshot>) {
    snapshots = result.fetchedSnapshots as! [DefaultSnapshot]
    related = result.relatedSnapshots as! [PersistentIdentifier: DefaultSnapshot]
  }
}

/// What a data store fetches when it is asked for identities and has no shorter way. Without it, the values of the
/// models would be fetched again.
final class FetchedForIdentifiers: @unchecked Sendable {
  // `@unchecked Sendable`: used by the thread that asks the store, while it asks.

  @TaskLocal static var current: FetchedForIdentifiers?

  private unowned let store: AnyObject
  private(set) var found: FoundSnapshots?

  fileprivate init(_ store: AnyObject) { self.store = store }

  /// Keeps what the store that is asked has fetched. One that it asks in turn may have other snapshots.
  func note<T: PersistentModel, Snapshot: DataStoreSnapshot>(
    _ result: DataStoreFetchResult<T, Snapshot>, by store: AnyObject
  ) {
    if store === self.store { found = FoundSnapshots(result) }
  }
}

final class OpenedDataStore<Store: DataStore>: DataStoreAccess {
  private let store: Store

  init(_ configuration: Store.Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    try configuration.validate()
    guard Store.Snapshot.self == DefaultSnapshot.self else {
      throw DataStoreBridge.Refusal(
        "\(Store.self) keeps \(Store.Snapshot.self)s. Only DefaultSnapshot is supported as a DataStore's Snapshot.")
    }
    store = try Store(configuration, migrationPlan: migrationPlan)
  }

  var identifier: String { store.identifier }

  // The casts hold, because `init` checked that the snapshots are `DefaultSnapshot`s.

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> FoundSnapshots {
    FoundSnapshots(try store.fetch(request))
  }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try store.fetchCount(request)
  }
  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> (identifiers: [PersistentIdentifier], found: FoundSnapshots?) {
    let fetched = FetchedForIdentifiers(store)
    let identifiers = try FetchedForIdentifiers.$current.withValue(fetched) { try store.fetchIdentifiers(request) }
    return (identifiers, fetched.found)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let result = try store.save(
      DataStoreSaveChangesRequest(
        editingState: request.editingState, inserted: request.inserted as! [Store.Snapshot],
        updated: request.updated as! [Store.Snapshot], deleted: request.deleted as! [Store.Snapshot]))
    return DataStoreSaveChangesResult(
      for: result.storeIdentifier, remappedIdentifiers: result.remappedIdentifiers,
      snapshotsToReregister: result.snapshotsToReregister as! [PersistentIdentifier: DefaultSnapshot])
  }

  func erase() throws { try store.erase() }
  func initializeState(for state: EditingState) { store.initializeState(for: state) }
  func invalidateState(for state: EditingState) { store.invalidateState(for: state) }

  func cachedSnapshot(_ identifier: PersistentIdentifier, _ state: EditingState) throws -> DefaultSnapshot? {
    try store.cachedSnapshots(for: [identifier], editingState: state)[identifier] as! DefaultSnapshot?
  }
}

/// The descriptor of the fetch that is under way. Core Data passes only its own request to a store.
final class AskedDescriptor: @unchecked Sendable {
  // `@unchecked Sendable`: only the fetch that it belongs to reads it, while the thread that made it waits.

  @TaskLocal static var current: AskedDescriptor?

  private let descriptor: Any
  private let predicate: NSPredicate?
  private let order: [NSSortDescriptor]

  init(_ descriptor: Any, predicate: NSPredicate?, order: [NSSortDescriptor]) {
    self.descriptor = descriptor
    self.predicate = predicate
    self.order = order
  }

  /// The descriptor, if the request that reached a store belongs to the context's fetch; otherwise nil.
  func descriptor<T: PersistentModel>(
    of other: NSFetchRequest<any NSFetchRequestResult>, _: T.Type
  ) -> FetchDescriptor<T>? {
    guard var descriptor = descriptor as? FetchDescriptor<T>, predicate === other.predicate else { return nil }
    if other.resultType == .countResultType {
      // What is only counted need not be sorted.
      descriptor.sortBy = []
    } else if !order.elementsEqual(other.sortDescriptors ?? [], by: ===) {
      return nil
    }
    descriptor.fetchLimit = other.fetchLimit > 0 ? other.fetchLimit : nil
    descriptor.fetchOffset = other.fetchOffset > 0 ? other.fetchOffset : nil
    return descriptor
  }
}
