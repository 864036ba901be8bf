import Foundation

/// Migrates a store by a mapping model: through objects of both models, in three passes, with the program's policies;
/// see ``NSEntityMigrationPolicy``.
///
///     let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
///     try manager.migrateStore(
///       from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
///
/// The source store is only read. Its objects and the new ones are plain `NSManagedObject`, even where the models name
/// other classes. Memory does not grow with the store: objects come and go in batches.
///
/// A manager migrates one store at a time, and may be used for several. ``cancelMigrationWithError(_:)``,
/// ``migrationProgress`` and ``reportedProgress`` are for any thread; everything else belongs to the thread that
/// migrates, and to the policies that it calls.
nonisolated open class NSMigrationManager: NSObject {
  /// The model of the store that is read.
  public let sourceModel: NSManagedObjectModel
  /// The model of the store that is written.
  public let destinationModel: NSManagedObjectModel

  /// What the program wants to hand to its policies.
  open var userInfo: [AnyHashable: Any]?

  /// Whether SQLite itself may carry out an inferred mapping, on a copy of the file. That needs two SQLite stores, and
  /// no file yet in the place of the new one. It uses neither policies nor contexts.
  open var usesStoreSpecificMigrationManager = true

  /// How far the migration is. An addition of this framework: cancelling it cancels the migration with an error
  /// 134120. A new one for each migration; a migration also reports to the calling thread's current `Progress`.
  ///
  /// Not called `progress`: that name is left to subclasses, some of which have one of their own.
  public final var reportedProgress: Progress { state.progress }

  final let state = MigrationState()
  /// The migration that goes on.
  final var run: MigrationRun?
  final var lastMapping: NSMappingModel?

  /// A manager for stores of one model that are to become stores of another.
  public required init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
    super.init()
  }

  /// Makes a store of the destination model from one of the source model, which stays as it is.
  ///
  /// A store that is at the destination already gets the new objects in addition to its own. If anything goes wrong, a
  /// store that was made is removed again; one that was there keeps what was saved to it until then.
  ///
  /// Errors: 134150 and 134160 where the source can't be read or the destination not written, 134170 with the error of
  /// a policy in it, 134111 where a uniqueness constraint does not allow the new objects, the error that
  /// ``cancelMigrationWithError(_:)`` got, and what validation says of the first objects that break a rule.
  ///
  /// - Parameters:
  ///   - sourceURL: where the source store lives.
  ///   - sStoreType: its type; not a store in memory.
  ///   - sOptions: of the source store; it is opened to be read only in any case.
  ///   - mappings: the mapping model; nil is an error 134140.
  ///   - dURL: where the destination store is to be.
  ///   - dStoreType: its type; not a store in memory.
  ///   - dOptions: of the destination store.
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
      try migrate(
        MigrationJob(
          mapping: mappings,
          source: .init(url: sourceURL, type: sStoreType, options: sOptions),
          destination: .init(url: dURL, type: dStoreType, options: dOptions)))
    }
  }

  /// Forgets which objects were made of which. The contexts keep their objects.
  open func reset() { run?.associations.removeAll() }

  /// The mapping model of the migration that goes on, or of the last one.
  open var mappingModel: NSMappingModel {
    guard let mapping = run?.mapping ?? lastMapping else { misuse(.notMigrating("mappingModel")) }
    return mapping
  }

  /// Where the source objects are: while a migration goes on, on its queue.
  open var sourceContext: NSManagedObjectContext { running("sourceContext").source.context }

  /// Where the new objects are: while a migration goes on, on its queue.
  open var destinationContext: NSManagedObjectContext { running("destinationContext").destination.context }

  /// The entity mapping that the migration is at.
  open var currentEntityMapping: NSEntityMapping {
    guard let mapping = run?.current else { misuse(.notMigrating("currentEntityMapping")) }
    return mapping
  }

  /// From 0 to 1, never backwards; 1 once a migration is through. Any thread.
  open var migrationProgress: Float { Float(state.fraction) }

  /// The entity of a mapping's source objects; nil where it has none.
  open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.sourceEntityName.flatMap { (run?.source.model ?? sourceModel).entitiesByName[$0] }
  }

  /// The entity of a mapping's new objects; nil where it has none.
  open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.destinationEntityName.flatMap { (run?.destination.model ?? destinationModel).entitiesByName[$0] }
  }

  /// Notes that an object was made of another one: the second pass comes to objects that are noted only. Any number of
  /// objects may be noted for one, in any number of mappings.
  open func associate(
    sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    running("associate(sourceInstance:withDestinationInstance:for:)")
      .associations.append(sourceInstance, destinationInstance, entityMapping)
  }

  /// The objects that a mapping has made of these source objects so far, in their order; for nil, of all.
  open func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    running("destinationInstances(forEntityMappingName:sourceInstances:)")
      .associations.destinations([mappingName], of: sourceInstances)
  }

  /// The source objects of which a mapping has made these objects so far, in their order; for nil, of all.
  open func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    running("sourceInstances(forEntityMappingName:destinationInstances:)")
      .associations.sources(mappingName, of: destinationInstances)
  }

  /// Ends the migration, as soon as the policy's method that runs is through: `migrateStore` throws this error. Any
  /// thread; nothing where no migration goes on.
  open func cancelMigrationWithError(_ error: any Error) { state.cancel(error as NSError) }

  private func running(_ call: StaticString) -> MigrationRun {
    guard let run else { misuse(.notMigrating("\(call)")) }
    return run
  }
}

extension MisuseReport {
  fileprivate static func notMigrating(_ call: String) -> MisuseReport {
    MisuseReport(
      "NSMigrationManager.\(call) was used outside of a migration.",
      how: "Contexts, mappings and associations exist only while migrateStore runs.",
      remedy: "Use it in the methods of an NSEntityMigrationPolicy.")
  }
}
