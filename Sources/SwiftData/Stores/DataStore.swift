import Foundation

/// A store that you write yourself: a JSON file, a server, another database.
///
///     let store = ArchiveConfiguration(name: "archive", fileURL: url)
///     let container = try ModelContainer(for: Note.self, configurations: store)
///
/// A store exchanges models as ``DefaultSnapshot``s, each with the values of one model. The container throws if the
/// store has another snapshot type. The store's methods are called one at a time, on the thread or queue of the context
/// that asks. The container keeps the snapshots that the store returns.
public protocol DataStore: AnyObject {
  /// The type of the configuration.
  associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
  /// The values of one model. It has to be ``DefaultSnapshot``.
  associatedtype Snapshot: DataStoreSnapshot

  /// The configuration that opened the store.
  var configuration: Configuration { get }
  /// A text that identifies the store. It has to be the same each time the store is opened, because it is part of every
  /// model's identity.
  var identifier: String { get }
  /// The models in the store.
  var schema: Schema { get }

  /// Opens the store. Creates it if it is missing.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// The models that a descriptor describes: apply its predicate, order, limit and offset.
  ///
  /// Throw ``DataStoreError/preferInMemoryFilter`` if your store can't apply the predicate, or
  /// ``DataStoreError/preferInMemorySort`` if it can't sort. The container then asks for all models of the class, and
  /// does the rest in memory.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  /// The number of models that a descriptor describes.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
  /// The identities of the models that a descriptor describes.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  /// Writes all changes, or throws and writes none. The result names the permanent identity of each inserted model.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>
  /// Deletes all models.
  func erase() throws
  /// Called when a context first uses the store.
  func initializeState(for editingState: EditingState)
  /// Called when a context that used the store is gone, and with it the models that outlived it.
  func invalidateState(for editingState: EditingState)
  /// Snapshots that the store has at hand for some of the identities, so that they need no fetch.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Counts the result of ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetch(request).fetchedSnapshots.count
  }
  /// Takes the identities from the result of ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    let found = try fetch(request)
    FetchedForIdentifiers.current?.note(found, by: self)
    return found.fetchedSnapshots.map(\.persistentIdentifier)
  }
  /// Throws ``DataStoreError/unsupportedFeature``.
  public func erase() throws { throw DataStoreError.unsupportedFeature }
  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}
  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}
  /// Returns none.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// Says where a ``DataStore`` is, and which models it holds.
public protocol DataStoreConfiguration: Hashable {
  /// The type of store that it opens.
  associatedtype Store: DataStore where Store.Configuration == Self
  /// The store's name, unique among the stores of a container.
  var name: String { get }
  /// The models in the store; nil for all models of the container. The container sets it before it opens the store.
  var schema: Schema? { get set }
  /// Throws if the configuration is wrong. The container calls it before it opens the store.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Does nothing.
  public func validate() throws {}
}

/// What a ``DataStore`` throws if it can't do something.
public enum DataStoreError: Error, Hashable {
  /// The feature isn't supported.
  case unsupportedFeature
  /// The container should apply the predicate in memory, and sort there as well. It asks again, for all models of the
  /// class.
  case preferInMemoryFilter
  /// The container should sort in memory. It asks again, without an order, a limit and an offset.
  case preferInMemorySort
  /// The store can't make sense of the predicate. The program gets the error as the store threw it.
  case invalidPredicate
}

/// Identifies the context that uses a ``DataStore``.
public struct EditingState: Hashable, Identifiable, Sendable {
  /// A value that is unique to the context.
  public let id: UUID
  /// The author of the context's changes: see ``ModelContext/author``.
  public let author: String?
}

/// A fetch from a ``DataStore``.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The description of the fetch.
  public let descriptor: FetchDescriptor<T>
  /// The context that asks.
  public let editingState: EditingState
}

/// The result of a fetch from a ``DataStore``.
public struct DataStoreFetchResult<T: PersistentModel, Snapshot: DataStoreSnapshot>: Sendable {
  /// The description of the fetch.
  public let descriptor: FetchDescriptor<T>
  /// The models, in the requested order.
  public let fetchedSnapshots: [Snapshot]
  /// Models that the fetched ones lead to, which then need no fetch of their own.
  public let relatedSnapshots: [PersistentIdentifier: Snapshot]

  /// Makes the result of a fetch.
  public init(
    descriptor: FetchDescriptor<T>, fetchedSnapshots: [Snapshot],
    relatedSnapshots: [PersistentIdentifier: Snapshot] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The changes that a save hands to a ``DataStore``.
public struct DataStoreSaveChangesRequest<Snapshot: DataStoreSnapshot>: Sendable {
  /// The context that saves.
  public let editingState: EditingState
  /// Inserted models. They have temporary identities, which relationships of other snapshots use as well.
  public let inserted: [Snapshot]
  /// Models whose values changed.
  public let updated: [Snapshot]
  /// Models to delete.
  public let deleted: [Snapshot]
}

/// The result of a save to a ``DataStore``.
public struct DataStoreSaveChangesResult<Snapshot: DataStoreSnapshot>: Sendable {
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The permanent identities of inserted models, by their temporary ones.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Models whose stored values differ from those in the request.
  public let snapshotsToReregister: [PersistentIdentifier: Snapshot]

  /// Makes the result of a save.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: Snapshot] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
  }
}
