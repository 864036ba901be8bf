import CoreData

/// The store that a ``ModelConfiguration`` opens: a SQLite store in a file, or in memory.
///
/// A container opens it by itself. Make one to put it behind a ``DataStore`` of your own, which hands requests on:
///
///     let store = try DefaultStore(ModelConfiguration(schema: schema, url: url), migrationPlan: nil)
///     let result = try store.fetch(request)  // in your own store's fetch(_:)
///
/// Your store then has this one's ``identifier``, since it is part of the models' identities. One thread at a time may
/// use it.
public final class DefaultStore: DataStore {
  /// The configuration that opened the store.
  public let configuration: ModelConfiguration
  /// The store's UUID. Another one once the store was erased.
  public private(set) var identifier: String
  /// The models in the store.
  public let schema: Schema
  private let container: ModelContainer

  /// Opens the store. Creates it if it is missing.
  ///
  /// Throws what ``ModelContainer`` throws, and ``SwiftDataError/unknownSchema`` if the configuration has no schema.
  public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard let schema = configuration.schema else { throw SwiftDataError.unknownSchema }
    self.configuration = configuration
    self.schema = schema
    container = try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration])
    // The container has opened the one store of its configuration.
    identifier = container.coordinator.persistentStores[0].identifier
  }

  /// The models that a descriptor describes.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let context = ModelContext(container)
    let objects = try context.asking(request.descriptor) { try context.managedContext.fetch($0) }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: try objects.map(snapshot))
  }

  /// The number of models that a descriptor describes.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try ModelContext(container).fetchCount(request.descriptor)
  }

  /// The identities of the models that a descriptor describes.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try ModelContext(container).fetchIdentifiers(request.descriptor)
  }

  /// Writes all changes, or throws and writes none. A new model with the unique values of a stored one updates that,
  /// and has its identity.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    return try context.performAndWait {
      let policy = ModelMergePolicy()
      context.persistentStoreCoordinator = container.coordinator
      context.mergePolicy = policy
      context.transactionAuthor = request.editingState.author
      var objects: [PersistentIdentifier: NSManagedObject] = [:]
      for snapshot in request.inserted {
        let identifier = snapshot.persistentIdentifier
        guard let entity = container.model.entitiesByName[identifier.entityName] else {
          throw SwiftDataError.unknownSchema
        }
        objects[identifier] = ModelObject(entity: entity, insertInto: context)
      }
      func object(_ identifier: PersistentIdentifier) throws -> NSManagedObject {
        if let known = objects[identifier] { return known }
        guard let url = URL(string: identifier.uri),
          let id = container.coordinator.managedObjectID(forURIRepresentation: url)
        else { throw DataStoreBridge.Refusal("The store \(self.identifier) has no model \(identifier.uri).") }
        let found = try context.existingObject(with: id)
        objects[identifier] = found
        return found
      }
      for snapshot in request.inserted + request.updated {
        try snapshot.write(to: object(snapshot.persistentIdentifier), destination: object)
      }
      for snapshot in request.deleted { context.delete(try object(snapshot.persistentIdentifier)) }
      try context.save()
      var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
      var changed: [PersistentIdentifier: DefaultSnapshot] = [:]
      for new in request.inserted.map(\.persistentIdentifier) {
        guard let object = objects[new] else { continue }
        if object.managedObjectContext != nil {
          remapped[new] = PersistentIdentifier(object.objectID)
        } else if let stored = policy.successor(of: object) {
          remapped[new] = PersistentIdentifier(stored.objectID)
          changed[PersistentIdentifier(stored.objectID)] = try snapshot(of: stored)
        }
      }
      return DataStoreSaveChangesResult(
        for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: changed)
    }
  }

  /// Deletes the store's data. What was saved before has no identity any more: the store gets another ``identifier``.
  public func erase() throws {
    defer { identifier = container.coordinator.persistentStores.first?.identifier ?? identifier }
    try container.erase()
  }

  private func snapshot(of object: NSManagedObject) throws -> DefaultSnapshot {
    try DefaultSnapshot(of: object) { PersistentIdentifier($0.objectID) }
  }
}
