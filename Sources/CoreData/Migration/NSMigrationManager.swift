import Foundation

/// Migrates a store by a mapping model. It works through objects of both models in three passes, with the program's
/// policies; see ``NSEntityMigrationPolicy``.
///
///     let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
///     try manager.migrateStore(
///       from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
///
/// The source store is only read, unless its options let policies write to it. Its objects and the new ones are plain
/// `NSManagedObject`, even where the models name other classes. Memory does not grow with the store: objects come and
/// go in batches.
///
/// A manager migrates one store at a time, and you may use it for several. Call ``cancelMigrationWithError(_:)``,
/// ``migrationProgress`` and ``reportedProgress`` on any thread; everything else belongs to the thread that migrates,
/// and to the policies that it calls.
nonisolated open class NSMigrationManager: NSObject {
  /// The model of the store that is read.
  open var sourceModel: NSManagedObjectModel { givenSource }
  private final let givenSource: NSManagedObjectModel
  /// The model of the store that is written.
  open var destinationModel: NSManagedObjectModel { givenDestination }
  private final let givenDestination: NSManagedObjectModel

  /// Your own data for your policies.
  open var userInfo: [AnyHashable: Any]?

  /// Whether SQLite itself may carry out an inferred mapping, on a copy of the file. That needs two SQLite stores, no
  /// file yet in the place of the new one, and mappings that you have not changed. It uses neither policies nor
  /// contexts, and the models can't be changed any more.
  open var usesStoreSpecificMigrationManager = true

  /// The progress of the migration, an addition to Apple's API. Cancelling it cancels the migration with an error
  /// 134120. Each migration has a new one, and also reports to the calling thread's current `Progress`.
  ///
  /// It is not called `progress`, because some subclasses have a property of that name.
  public final var reportedProgress: Progress { state.progress }

  final let state = MigrationState()
  /// The running migration.
  final var run: MigrationRun?
  final var lastMapping: NSMappingModel?
  /// What the coordinator asks of the new version of a store, beyond the arguments of `migrateStore`; nil in a
  /// migration that the program has started.
  final var replacement: Replacement?

  struct Replacement {
    let url: URL
    let configuration: String?
  }

  /// Makes a manager for migrating stores of one model to another.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    givenSource = sourceModel
    givenDestination = destinationModel
    super.init()
  }

  /// For subclasses that override ``sourceModel`` and ``destinationModel``: a manager of two empty models.
  public override init() {
    givenSource = NSManagedObjectModel()
    givenDestination = NSManagedObjectModel()
    super.init()
  }

  /// `makeDynamically(source:destination:)`.
  @_silgen_name("core_data_make_manager")
  convenience init(dynamically source: NSManagedObjectModel, _ destination: NSManagedObjectModel) {
    self.init(sourceModel: source, destinationModel: destination)
  }

  /// Makes a store of the destination model from one of the source model, which stays as it is.
  ///
  /// If there is a store at the destination already, it gets the new objects in addition to its own. On failure a new
  /// store is removed again; an existing one keeps what was saved to it so far. A new store of a source that has a
  /// configuration's entities only is of the configuration with that name, unless mappings lead out of it.
  ///
  /// Errors: 134150 if the source can't be read, 134160 if the destination can't be written, 134170 with the error of a
  /// policy in it, 134111 if a uniqueness constraint does not allow the new objects, the error that
  /// ``cancelMigrationWithError(_:)`` got, and the validation error of the first objects that break a rule.
  ///
  /// - Parameters:
  ///   - sourceURL: the URL of the source store.
  ///   - sStoreType: its type; not a store in memory.
  ///   - sOptions: options of the source store. It is only read, unless `NSReadOnlyPersistentStoreOption` is false
  ///     there: then policies may save changes of its objects.
  ///   - mappings: the mapping model; nil is an error 134140.
  ///   - dURL: the URL for the destination store.
  ///   - dStoreType: its type; not a store in memory.
  ///   - dOptions: options of the destination store.
  open func migrateStore(
    from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    try publicErrors {
      guard let mappings else {
        throw Failure.missingMapping(
          url: sourceURL, source: sourceModel, destination: destinationModel, underlying: nil)
      }
      let replacement = replacement.flatMap { $0.url == dURL ? $0 : nil }
      let source = MigrationJob.Store(url: sourceURL, type: sStoreType, options: sOptions)
      var destination = MigrationJob.Store(
        url: dURL, type: dStoreType, configuration: replacement?.configuration, options: dOptions)
      if replacement == nil { destination.configuration = configuration(of: destination, from: source, mappings) }
      try migrate(
        MigrationJob(
          mapping: mappings, source: source, destination: destination, keepsIdentity: replacement != nil))
    }
  }

  /// Forgets which objects were made from which. The contexts keep their objects.
  open func reset() { run?.associations.removeAll() }

  /// The mapping model of the running migration, or of the last one.
  open var mappingModel: NSMappingModel {
    guard let mapping = run?.mapping ?? lastMapping else { misuse(.notMigrating("mappingModel")) }
    return mapping
  }

  /// The context with the source objects, during a migration. Use it on its queue.
  open var sourceContext: NSManagedObjectContext { running("sourceContext").source.context }

  /// The context with the new objects, during a migration. Use it on its queue.
  open var destinationContext: NSManagedObjectContext { running("destinationContext").destination.context }

  /// The current entity mapping.
  open var currentEntityMapping: NSEntityMapping {
    guard let mapping = run?.current else { misuse(.notMigrating("currentEntityMapping")) }
    return mapping
  }

  /// The progress from 0 to 1. It never goes backwards, and is 1 when a migration has ended. Any thread.
  open var migrationProgress: Float { Float(state.fraction) }

  /// Is called before the progress changes. Call it yourself if you override ``migrationProgress`` with one of your
  /// own. Other keys have no observers.
  open func willChangeValue(forKey key: String) {
    if key == "migrationProgress" { for observer in state.observers { observer.willChange() } }
  }

  /// Is called after the progress has changed, on the thread that migrates. Override it to follow a migration, or call
  /// it for a progress of your own.
  open func didChangeValue(forKey key: String) {
    if key == "migrationProgress" { for observer in state.observers { observer.didChange() } }
  }

  /// The entity of a mapping's source objects; nil if it has none.
  open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.sourceEntityName.flatMap { (run?.source.model ?? sourceModel).entitiesByName[$0] }
  }

  /// The entity of a mapping's new objects; nil if it has none.
  open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.destinationEntityName.flatMap { (run?.destination.model ?? destinationModel).entitiesByName[$0] }
  }

  /// Records that an object was made from another one. The second pass only visits recorded objects. You may record any
  /// number of objects for one, in any number of mappings.
  open func associate(
    sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    running("associate(sourceInstance:withDestinationInstance:for:)")
      .associations.append(sourceInstance, destination: destinationInstance, mapping: entityMapping)
  }

  /// The objects that a mapping has made so far from these source objects, in their order; nil for all.
  @discardableResult
  open func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    running("destinationInstances(forEntityMappingName:sourceInstances:)")
      .associations.destinations([mappingName], of: sourceInstances)
  }

  /// The source objects from which a mapping has made these objects, in their order; nil for all.
  @discardableResult
  open func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    running("sourceInstances(forEntityMappingName:destinationInstances:)")
      .associations.sources(mappingName, of: destinationInstances)
  }

  /// Ends the migration as soon as the running method of a policy has returned; `migrateStore` then throws this error.
  /// Any thread. Does nothing if no migration is running.
  open func cancelMigrationWithError(_ error: any Error) { state.cancel(error as NSError) }

  /// What a mapping does for each object.
  final func plan(for mapping: NSEntityMapping) -> MappingPlan {
    if let plan = run?.plan, plan.mapping === mapping { return plan }
    let plan = MappingPlan(mapping, self)
    run?.plan = plan
    return plan
  }

  private func running(_ call: StaticString) -> MigrationRun {
    guard let run else { misuse(.notMigrating("\(call)")) }
    return run
  }
}

extension NSMigrationManager {
  /// A manager of this class, by its own initializer; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_manager")
  static func makeDynamically(
    source: __owned NSManagedObjectModel, destination: __owned NSManagedObjectModel
  ) -> NSMigrationManager
}

extension MisuseReport {
  fileprivate static func notMigrating(_ call: String) -> MisuseReport {
    MisuseReport(
      "NSMigrationManager.\(call) was used outside of a migration.",
      how: "Contexts, mappings and associations exist only while migrateStore runs.",
      remedy: "Use it in the methods of an NSEntityMigrationPolicy.")
  }
}
