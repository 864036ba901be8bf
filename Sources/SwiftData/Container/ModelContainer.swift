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
  let modelTypes: [String: ModelType]
  /// Whether an object may be of a subclass of the model that is asked for.
  let hasSubclasses: Bool

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
  /// Throws `SwiftDataError` for configurations and plans that do not fit, and `CocoaError` for files that do not open.
  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    self.schema = schema
    self.migrationPlan = migrationPlan
    let configurations = configurations.isEmpty ? [ModelConfiguration(schema: schema)] : configurations
    self.configurations = Set(configurations)
    modelTypes = Dictionary(uniqueKeysWithValues: schema.types.map { ($0.name, $0) })
    hasSubclasses = schema.types.contains { $0.supertype != nil }
    let partition = try StorePartition(schema, configurations)
    model = schema.makeManagedObjectModel(configurations: partition.entities)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let stages = try migrationPlan.map { try PlannedStages($0, for: schema) }
    for configuration in configurations {
      try open(configuration, partition.name(of: configuration), stages)
    }
  }

  /// The container that a stage of a migration is given: its stores are open already.
  init(schema: Schema, coordinator: NSPersistentStoreCoordinator) {
    self.schema = schema
    self.coordinator = coordinator
    migrationPlan = nil
    configurations = []
    model = coordinator.managedObjectModel
    modelTypes = Dictionary(uniqueKeysWithValues: schema.types.map { ($0.name, $0) })
    hasSubclasses = schema.types.contains { $0.supertype != nil }
  }

  /// Whether they are the same.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }

  private func open(_ configuration: ModelConfiguration, _ name: String?, _ stages: PlannedStages?) throws {
    if configuration.isStoredInMemoryOnly {
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: name, at: nil,
        options: [NSReadOnlyPersistentStoreOption: !configuration.allowsSave])
      return
    }
    var options: [AnyHashable: Any] = [
      NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true, NSReadOnlyPersistentStoreOption: !configuration.allowsSave,
    ]
    if configuration.allowsSave {
      try FileManager.default.createDirectory(
        at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
    } else {
      // A file that may not be written cannot be migrated.
      options[NSMigratePersistentStoresAutomaticallyOption] = false
    }
    if let manager = stages?.manager() { options[NSPersistentStoreStagedMigrationManagerOptionKey] = manager }
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: name, at: configuration.url, options: options)
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
  private let isSingle: Bool

  init(_ schema: Schema, _ configurations: [ModelConfiguration]) throws {
    let all = Set(schema.types.map(\.name))
    for configuration in configurations {
      let own = Set((configuration.schema ?? schema).types.map(\.name))
      guard own.isSubset(of: all) else { throw SwiftDataError.configurationSchemaNotFoundInContainerSchema }
    }
    isSingle = configurations.count == 1
    if isSingle { return }
    let files = configurations.filter { !$0.isStoredInMemoryOnly }.map(\.url)
    guard Set(files).count == files.count, Set(configurations.map(\.name)).count == configurations.count else {
      throw SwiftDataError.duplicateConfiguration
    }
    for configuration in configurations {
      entities[configuration.name] = Set((configuration.schema ?? schema).types.map(\.name))
    }
  }

  func name(of configuration: ModelConfiguration) -> String? { isSingle ? nil : configuration.name }
}
