import CoreData

/// The stores that hold a program's models.
///
///     let container = try ModelContainer(for: Book.self, Author.self)
///     let context = ModelContext(container)
///
/// You may use a container on any thread.
public final class ModelContainer: Equatable, @unchecked Sendable {
  // `@unchecked Sendable`: after `init` only `mainContext` and what it keeps change, which belong
  // to the main actor, and the coordinator and `ownStores`, which any thread may use.

  /// The models, including all that their relationships lead to.
  public let schema: Schema
  /// How to migrate stores of earlier versions. If it is nil, the migration is inferred from
  /// the two versions.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// Where the stores are, without those that you write yourself.
  public let configurations: Set<ModelConfiguration>
  let model: NSManagedObjectModel
  let coordinator: NSPersistentStoreCoordinator
  /// The schema's classes.
  let classes: ModelClasses
  /// The entities, by their model types.
  let entities: [ObjectIdentifier: NSEntityDescription]
  /// The stores that conform to ``DataStore``.
  private(set) var dataStores: [DataStoreBridge] = []
  /// The other stores.
  let ownStores: OwnStores

  /// The main actor's context. It saves automatically, and merges what other contexts save.
  @MainActor public var mainContext: ModelContext {
    if let context = ownMainContext ?? sharedBy { return context }
    let context = ModelContext(self, .mainQueueConcurrencyType)
    ownMainContext = context
    return context
  }
  /// Belongs to the main queue.
  nonisolated(unsafe) private(set) var ownMainContext: ModelContext?
  /// The main context that shares the stores of its own container through this one; nil for other containers. Set once,
  /// before anyone else has the container.
  nonisolated(unsafe) weak var sharedBy: ModelContext?

  /// Opens stores for some classes and for all classes that their relationships lead to.
  /// Creates missing stores.
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores for a schema. Creates missing stores.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores for a schema. Creates missing stores. Without configurations there is one
  /// store, named "default".
  ///
  /// Throws a `SwiftDataError` if the configurations or the plan don't fit, among them `backwardMigration` if the plan
  /// leads from the schema to the store's version only. If a store can't be opened for another reason, or the schema
  /// contradicts itself, the error is `loadIssueModelContainer`, and its underlying error is the `CocoaError` that says
  /// why.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    let stated: [any DataStoreConfiguration] = configurations
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: stated)
  }

  /// Opens stores, ``DataStore``s of your own among them, for some classes and for all classes that their relationships
  /// lead to.
  @_disfavoredOverload
  public convenience init(
    for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores for a schema, ``DataStore``s of your own among them.
  @_disfavoredOverload
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores for a schema: files and memory, and ``DataStore``s of your own. Each of these is given the migration
  /// plan, and has to migrate by itself. Without configurations there is one store, named "default".
  ///
  /// Throws what a configuration or a store throws, and a `SwiftDataError` if the configurations don't fit together.
  @_disfavoredOverload
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations stated: [any DataStoreConfiguration]
  ) throws {
    self.schema = schema
    self.migrationPlan = migrationPlan
    let stated = stated.isEmpty ? [ModelConfiguration(schema: schema)] : stated
    let own = stated.compactMap { $0 as? ModelConfiguration }
    for configuration in own { try configuration.validate() }
    configurations = Set(own)
    ownStores = OwnStores()
    classes = ModelClasses(schema)
    let partition = try StorePartition(
      schema, stated.map { ($0.name, $0.schema, ($0 as? ModelConfiguration)?.file) })
    model = schema.makeManagedObjectModel(configurations: partition.entities)
    entities = ModelContainer.entities(of: model, schema)
    do {
      coordinator = try NSPersistentStoreCoordinator(checking: model)
    } catch {
      throw SwiftDataError.unusable(error)
    }
    let stages = try (own.isEmpty ? nil : migrationPlan).map {
      try PlannedStages($0, for: schema, configurations: partition.entities)
    }
    for (configuration, name) in zip(stated, partition.names) {
      let name = partition.isSingle ? nil : name
      guard let configuration = configuration as? ModelConfiguration else {
        dataStores.append(try openDataStore(configuration, name))
        continue
      }
      do {
        ownStores.append(try open(configuration, name, stages), configuration, name)
      } catch let error as CocoaError where error.code == .stagedMigrationBackwardMigration {
        throw SwiftDataError.backward(configuration.url, error)
      } catch {
        throw SwiftDataError.loadIssue(configuration.url, error)
      }
    }
  }

  private func openDataStore<C: DataStoreConfiguration>(
    _ configuration: C, _ name: String?
  ) throws -> DataStoreBridge {
    _ = DataStoreBridge.registration
    var configuration = configuration
    if configuration.schema == nil { configuration.schema = schema }
    let opened = try OpenedDataStore<C.Store>(configuration, migrationPlan: migrationPlan)
    let store = try coordinator.addPersistentStore(
      ofType: DataStoreBridge.storeType, configurationName: name,
      at: URL(string: "datastore:///\(UUID().uuidString)"),
      options: [
        DataStoreBridge.accessOption: opened, DataStoreBridge.typesOption: classes.byName,
      ])
    // The class registered for this type is `DataStoreBridge`, so the coordinator made one.
    return store as! DataStoreBridge
  }

  /// The container for the handlers of a migration stage. Its stores are already open.
  init(schema: Schema, coordinator: NSPersistentStoreCoordinator) {
    self.schema = schema
    self.coordinator = coordinator
    migrationPlan = nil
    configurations = []
    ownStores = OwnStores()
    model = coordinator.managedObjectModel
    entities = ModelContainer.entities(of: model, schema)
    classes = ModelClasses(schema)
  }

  /// The same stores for the main context of a container, which can't own the container that
  /// owns it: neither would ever be freed, and the stores would stay open.
  init(sharingStoresOf container: ModelContainer) {
    schema = container.schema
    migrationPlan = container.migrationPlan
    configurations = container.configurations
    model = container.model
    coordinator = container.coordinator
    classes = container.classes
    entities = container.entities
    dataStores = container.dataStores
    ownStores = container.ownStores
  }

  private static func entities(
    of model: NSManagedObjectModel, _ schema: Schema
  ) -> [ObjectIdentifier: NSEntityDescription] {
    let byName = model.entitiesByName
    return Dictionary(
      uniqueKeysWithValues: schema.types.compactMap { type in byName[type.name].map { (ObjectIdentifier(type), $0) } })
  }

  /// Whether both are the same container.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool {
    left.coordinator === right.coordinator
  }

  /// - Parameter stages: those of the migration plan; nil if the store needs none.
  func open(
    _ configuration: ModelConfiguration, _ name: String?, _ stages: PlannedStages?
  ) throws -> NSPersistentStore {
    var options: [AnyHashable: Any] = [
      NSPersistentHistoryTrackingKey: true,
      NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
      // A file that may not be written cannot be migrated.
      NSMigratePersistentStoresAutomaticallyOption: configuration.allowsSave,
      NSInferMappingModelAutomaticallyOption: true,
      NSReadOnlyPersistentStoreOption: !configuration.allowsSave,
    ]
    // A store in memory is always new.
    if let file = configuration.file {
      if configuration.allowsSave {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      }
      if let manager = stages?.manager() {
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = manager
      } else {
        try refuseOtherModels(file, model.entities(forConfigurationName: name) ?? [])
      }
    }
    return try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: name, at: configuration.url, options: options)
  }

  /// An inferred migration drops the entities that the model lacks. If the store has no entity
  /// of this model, nothing would be left: it probably belongs to another program that didn't
  /// name its store either.
  private func refuseOtherModels(_ url: URL, _ entities: [NSEntityDescription]) throws {
    guard FileManager.default.fileExists(atPath: url.path),
      // If the file can't be read, opening the store reports that next.
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
}

/// Decides which store holds which entities.
private struct StorePartition {
  /// What the configurations are called in the managed object model, in their order. Configurations without a name of
  /// their own are all called "default", so the second of them is "default 2" there.
  let names: [String]
  /// Entity names by these names. Empty if there is one store, because it holds all
  /// entities.
  private(set) var entities: [String: Set<String>] = [:]
  let isSingle: Bool

  /// - Parameter configurations: the name, the models and, if it has one, the file of each
  ///   store.
  init(_ schema: Schema, _ configurations: [(name: String, schema: Schema?, file: URL?)]) throws {
    let all = Set(schema.types.map(\.name))
    for configuration in configurations {
      let own = Set((configuration.schema ?? schema).types.map(\.name))
      guard own.isSubset(of: all) else { throw SwiftDataError.configurationSchemaNotFoundInContainerSchema }
    }
    var names: [String] = []
    let stated = configurations.map(\.name)
    for name in stated {
      let others = (2...).lazy.map { "\(name) \($0)" }
      let isFree = !names.contains(name)
      names.append(isFree ? name : others.first { !names.contains($0) && !stated.contains($0) } ?? name)
    }
    self.names = names
    isSingle = configurations.count == 1
    if isSingle { return }
    let files = configurations.compactMap(\.file)
    // "default" is the name of those that were given none.
    let own = stated.filter { $0 != "default" }
    guard Set(files).count == files.count, Set(own).count == own.count else {
      throw SwiftDataError.duplicateConfiguration
    }
    for (configuration, name) in zip(configurations, names) {
      entities[name] = Set((configuration.schema ?? schema).types.map(\.name))
    }
  }
}
