import CoreData

/// The stores of a program's models.
///
///     let container = try ModelContainer(for: Book.self, Author.self)
///     let context = ModelContext(container)
///
/// May be used on any thread.
public final class ModelContainer: Equatable, @unchecked Sendable {
  // `@unchecked Sendable`: nothing changes after `init` but `mainContext`, which is the main actor's, and the
  // coordinator, which may be used on any thread.

  /// The models, with all that they refer to.
  public let schema: Schema
  /// How stores of earlier versions become stores of this one; nil where it follows from the versions.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The stores.
  public let configurations: Set<ModelConfiguration>
  let model: NSManagedObjectModel
  let coordinator: NSPersistentStoreCoordinator
  /// The schema's classes.
  let classes: ModelClasses
  /// The entities, by their model types.
  let entities: [ObjectIdentifier: NSEntityDescription]
  /// The stores of one's own.
  let dataStores: [DataStoreBridge]

  /// The main actor's context, which saves by itself and takes up what other contexts save.
  @MainActor public private(set) lazy var mainContext = ModelContext(self, .mainQueueConcurrencyType)

  /// Opens stores of some classes, and of all that they refer to; makes those that are not there.
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores of a schema; makes those that are not there.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores of a schema; makes those that are not there. Without configurations it is one, "default".
  ///
  /// Throws `SwiftDataError`: for configurations and plans that do not fit, and `loadIssueModelContainer` for a store
  /// that does not open, with the `CocoaError` that tells why as the underlying error.
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    self.schema = schema
    self.migrationPlan = migrationPlan
    let configurations = configurations.isEmpty ? [ModelConfiguration(schema: schema)] : configurations
    for configuration in configurations { try configuration.check() }
    self.configurations = Set(configurations)
    classes = ModelClasses(schema)
    dataStores = []
    let partition = try StorePartition(
      schema, configurations.map { ($0.name, $0.schema, $0.isStoredInMemoryOnly ? nil : $0.url) })
    model = schema.makeManagedObjectModel(configurations: partition.entities)
    entities = ModelContainer.entities(of: model, schema)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let stages = try migrationPlan.map { try PlannedStages($0, for: schema) }
    for configuration in configurations {
      do {
        try open(configuration, partition.isSingle ? nil : configuration.name, stages)
      } catch {
        throw SwiftDataError.loadIssue(configuration.url, error)
      }
    }
  }

  /// Opens stores of one's own of some classes, and of all that they refer to: see ``DataStore``.
  @_disfavoredOverload
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores of one's own: see ``DataStore``.
  @_disfavoredOverload
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores of one's own: see ``DataStore``. They are given the migration plan, and migrate by themselves.
  ///
  /// Throws what a configuration or a store throws, and `SwiftDataError` for configurations that do not fit.
  @_disfavoredOverload
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations stated: [any DataStoreConfiguration]
  ) throws {
    self.schema = schema
    self.migrationPlan = migrationPlan
    configurations = []
    classes = ModelClasses(schema)
    let partition = try StorePartition(schema, stated.map { ($0.name, $0.schema, nil) })
    model = schema.makeManagedObjectModel(configurations: partition.entities)
    entities = ModelContainer.entities(of: model, schema)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    _ = DataStoreBridge.registration
    func opened<C: DataStoreConfiguration>(_ configuration: C) throws -> any DataStoreAccess {
      var configuration = configuration
      if configuration.schema == nil { configuration.schema = schema }
      return try OpenedDataStore<C.Store>(configuration, migrationPlan: migrationPlan)
    }
    var stores: [DataStoreBridge] = []
    for configuration in stated {
      let store = try coordinator.addPersistentStore(
        ofType: DataStoreBridge.storeType, configurationName: partition.isSingle ? nil : configuration.name,
        at: URL(string: "datastore:///\(UUID().uuidString)"),
        options: [
          DataStoreBridge.accessOption: try opened(configuration), DataStoreBridge.typesOption: classes.byName,
        ])
      // The coordinator makes what is registered for the type.
      stores.append(store as! DataStoreBridge)
    }
    dataStores = stores
  }

  /// The container that a stage of a migration is given: its stores are open already.
  init(schema: Schema, coordinator: NSPersistentStoreCoordinator) {
    self.schema = schema
    self.coordinator = coordinator
    migrationPlan = nil
    configurations = []
    dataStores = []
    model = coordinator.managedObjectModel
    entities = ModelContainer.entities(of: model, schema)
    classes = ModelClasses(schema)
  }

  private static func entities(
    of model: NSManagedObjectModel, _ schema: Schema
  ) -> [ObjectIdentifier: NSEntityDescription] {
    let byName = model.entitiesByName
    return Dictionary(
      uniqueKeysWithValues: schema.types.compactMap { type in byName[type.name].map { (ObjectIdentifier(type), $0) } })
  }

  /// Whether they are the same.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }

  private func open(
    _ configuration: ModelConfiguration, _ name: String?, _ stages: PlannedStages?
  ) throws {
    if configuration.isStoredInMemoryOnly {
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: name, at: nil,
        options: [NSReadOnlyPersistentStoreOption: !configuration.allowsSave])
      return
    }
    var options: [AnyHashable: Any] = [
      NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
      NSReadOnlyPersistentStoreOption: !configuration.allowsSave,
    ]
    if configuration.allowsSave {
      try FileManager.default.createDirectory(
        at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
    } else {
      // A file that may not be written cannot be migrated.
      options[NSMigratePersistentStoresAutomaticallyOption] = false
    }
    if let manager = stages?.manager() {
      options[NSPersistentStoreStagedMigrationManagerOptionKey] = manager
    } else {
      try refuseOtherModels(configuration.url, model.entities(forConfigurationName: name) ?? [])
    }
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: name, at: configuration.url, options: options)
  }

  /// An inferred migration drops the entities that a model lacks. Of a store that has no other entities nothing would
  /// be left: it is another program's, perhaps one that did not name its store either.
  private func refuseOtherModels(_ url: URL, _ entities: [NSEntityDescription]) throws {
    guard FileManager.default.fileExists(atPath: url.path),
      // What can't be read is told of when the store is opened, which is next.
      let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    else { return }
    let stored = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]).keys)
    let own = Set(entities.compactMap(\.name))
    if stored.isEmpty || !stored.isDisjoint(with: own) { return }
    throw CocoaError(
      .persistentStoreIncompatibleVersionHash,
      userInfo: [
        NSFilePathErrorKey: url.path,
        NSLocalizedDescriptionKey: "The store \(url.path) has none of the schema's models. It has "
          + "\(stored.sorted().joined(separator: ", ")), and the schema \(own.sorted().joined(separator: ", ")). Name "
          + "another file, or give a migration plan.",
      ])
  }

  /// The same as ``erase()``; what stands in its way is written to standard error.
  public func deleteAllData() {
    do { try erase() } catch {
      warn(
        MisuseReport(
          "A container's data could not be deleted.", facts: [("Error", error.localizedDescription)],
          how: "deleteAllData() cannot throw.", remedy: "Call erase(), which throws the error."))
    }
  }

  /// Closes the stores and empties their files, which stay. The container and its contexts are of no use any more.
  public func erase() throws {
    for store in dataStores { try store.erase() }
    for store in coordinator.persistentStores {
      let (url, type) = (store.url, store.type)
      try coordinator.remove(store)
      if let url, type == NSSQLiteStoreType {
        try coordinator.destroyPersistentStore(at: url, ofType: type, options: nil)
      }
    }
  }
}

/// Which entities are in which store.
private struct StorePartition {
  /// By the configurations' names; empty for a single store, which has all.
  private(set) var entities: [String: Set<String>] = [:]
  let isSingle: Bool

  /// - Parameter configurations: each store's name, its models, and its file, if it has one.
  init(_ schema: Schema, _ configurations: [(name: String, schema: Schema?, file: URL?)]) throws {
    let all = Set(schema.types.map(\.name))
    for configuration in configurations {
      let own = Set((configuration.schema ?? schema).types.map(\.name))
      guard own.isSubset(of: all) else { throw SwiftDataError.configurationSchemaNotFoundInContainerSchema }
    }
    isSingle = configurations.count == 1
    if isSingle { return }
    let files = configurations.compactMap(\.file)
    guard Set(files).count == files.count, Set(configurations.map(\.name)).count == configurations.count else {
      throw SwiftDataError.duplicateConfiguration
    }
    for configuration in configurations {
      entities[configuration.name] = Set((configuration.schema ?? schema).types.map(\.name))
    }
  }
}
