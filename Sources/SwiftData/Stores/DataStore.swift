import Foundation

/// Where models are kept, in a way of one's own: a file of JSON, a server, another database.
///
///     let store = ArchiveConfiguration(name: "archive", fileURL: url)
///     let container = try ModelContainer(for: Note.self, configurations: store)
///
/// A store gives and takes ``DefaultSnapshot``s, the values of one model each; another snapshot type is refused when
/// the container is made. Its methods are called one at a time, on the queue or thread of the context that asks. The
/// container keeps the snapshots that it was given.
public protocol DataStore: AnyObject {
  /// What says where the store is.
  associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
  /// The values of a model: ``DefaultSnapshot``.
  associatedtype Snapshot: DataStoreSnapshot

  /// What the store was opened with.
  var configuration: Configuration { get }
  /// What tells the store from others, the same each time it is opened. It stands in the models' identities.
  var identifier: String { get }
  /// The models that it keeps.
  var schema: Schema { get }

  /// Opens the store, or makes it.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// The models that a descriptor asks for, with predicate, order, limit and offset.
  ///
  /// Throw ``DataStoreError/preferInMemoryFilter`` where the predicate is too much for the store, or
  /// ``DataStoreError/preferInMemorySort`` where the order is: it is asked again without, for all models of the class,
  /// and the rest is done in memory.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  /// How many models a descriptor asks for.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
  /// The identities of the models that a descriptor asks for.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  /// Writes all of the changes, or none and throws. The result names the identity of each inserted model.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>
  /// Removes all models.
  func erase() throws
  /// Called when a context begins to work with the store.
  func initializeState(for editingState: EditingState)
  /// Called when a context has ended.
  func invalidateState(for editingState: EditingState)
  /// Snapshots that the store has at hand, of some of the identities.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Counts what ``fetch(_:)`` gives.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetch(request).fetchedSnapshots.count
  }
  /// Takes them of what ``fetch(_:)`` gives.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }
  /// Refuses: throws ``DataStoreError/unsupportedFeature``.
  public func erase() throws { throw DataStoreError.unsupportedFeature }
  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}
  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}
  /// None.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// Where a ``DataStore`` is, and which models it keeps.
public protocol DataStoreConfiguration: Hashable {
  /// The store that it opens.
  associatedtype Store: DataStore where Store.Configuration == Self
  /// The store's name; another one for each store of a container.
  var name: String { get }
  /// The models that are kept there; nil for all of the container's. The container sets it before it opens the store.
  var schema: Schema? { get set }
  /// Throws what is wrong with it. Called before the store is opened.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Nothing is wrong.
  public func validate() throws {}
}

/// What a ``DataStore`` can't do.
public enum DataStoreError: Error, Hashable {
  /// What was asked for is not supported.
  case unsupportedFeature
  /// The predicate is to be evaluated in memory.
  case preferInMemoryFilter
  /// The order is to be made in memory.
  case preferInMemorySort
  /// The predicate says what the store can't make sense of.
  case invalidPredicate
}

/// The context that asks a ``DataStore``.
public struct EditingState: Hashable, Identifiable, Sendable {
  /// The same value for the same context.
  public let id: UUID
  /// Who makes the context's changes: see ``ModelContext/author``.
  public let author: String?
}

/// A question to a ``DataStore``.
public struct DataStoreFetchRequest<T: PersistentModel> {
  /// What is asked for.
  public let descriptor: FetchDescriptor<T>
  /// The context that asks.
  public let editingState: EditingState
}

/// What a ``DataStore`` has found.
public struct DataStoreFetchResult<T: PersistentModel, Snapshot: DataStoreSnapshot> {
  /// What was asked for.
  public let descriptor: FetchDescriptor<T>
  /// The models, in the order that was asked for.
  public let fetchedSnapshots: [Snapshot]
  /// Models that these lead to, which need not be asked for then.
  public let relatedSnapshots: [PersistentIdentifier: Snapshot]

  /// What was found for a descriptor.
  public init(
    descriptor: FetchDescriptor<T>, fetchedSnapshots: [Snapshot],
    relatedSnapshots: [PersistentIdentifier: Snapshot] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// What a save is to write to a ``DataStore``.
public struct DataStoreSaveChangesRequest<Snapshot: DataStoreSnapshot> {
  /// The context that saves.
  public let editingState: EditingState
  /// New models, with temporary identities, which relationships of other snapshots refer to as well.
  public let inserted: [Snapshot]
  /// Models with other values than before.
  public let updated: [Snapshot]
  /// Models that are to go.
  public let deleted: [Snapshot]
}

/// What a ``DataStore`` has written.
public struct DataStoreSaveChangesResult<Snapshot: DataStoreSnapshot> {
  /// The store that has written.
  public let storeIdentifier: String
  /// The identities of new models, by their temporary ones.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Models that have other values now than the request has given them.
  public let snapshotsToReregister: [PersistentIdentifier: Snapshot]

  /// What was written to a store.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: Snapshot] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
  }
}
