import Foundation

/// A part of a staged migration: ``NSLightweightMigrationStage`` or ``NSCustomMigrationStage``.
///
///     let stage = NSLightweightMigrationStage([model.versionChecksum])
///     stage.label = "up to the first release"
///     let manager = NSStagedMigrationManager([stage])
///     let description = NSPersistentStoreDescription(url: url)
///     description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
///     print(stage)  // NSLightweightMigrationStage up to the first release
nonisolated open class NSMigrationStage: NSObject {
  /// A label of your own. Errors name the stage by it.
  open var label: String?

  /// For subclasses.
  public override init() { super.init() }

  /// The class and the label, for logs.
  open override var description: String { "\(type(of: self)) \(label ?? "(no label)")" }
}

/// A stage of versions whose mappings can all be inferred.
nonisolated open class NSLightweightMigrationStage: NSMigrationStage {
  private let checksums: [String]

  /// The versions' checksums, oldest first.
  open var versionChecksums: [String] { checksums }

  /// Makes a stage of versions between which you need no code of your own.
  ///
  /// - Parameter versionChecksums: oldest first, see `NSManagedObjectModel.versionChecksum`. A version whose model is
  ///   not found is skipped if a later one is found.
  public init(_ versionChecksums: [String]) {
    checksums = versionChecksums
    super.init()
  }
}

/// A step from one version to the next in which your code changes data: before the step, with the older model, and
/// after it, with the newer one. The step itself uses an inferred mapping.
///
///     let stage = NSCustomMigrationStage(migratingFrom: version2, to: version3)
///     stage.didMigrateHandler = { manager, _ in
///       let context = manager.container!.newBackgroundContext()
///       try context.performAndWait {
///         try splitNames(in: context)
///         try context.save()
///       }
///     }
nonisolated open class NSCustomMigrationStage: NSMigrationStage {
  private let current: NSManagedObjectModelReference
  private let next: NSManagedObjectModelReference

  /// The version before.
  open var currentModel: NSManagedObjectModelReference { current }
  /// The version after.
  open var nextModel: NSManagedObjectModelReference { next }

  /// Called before the step, on the thread that adds the store; the manager's container has the store open with the
  /// current model. If it throws, the migration ends and the store stays as it was.
  open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  /// Called after the step; the manager's container has the store open with the next model.
  open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

  /// Makes a step between two versions. Both models must be found when the migration runs.
  public init(
    migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
  ) {
    current = currentModel
    next = nextModel
    super.init()
  }

  final var hasHandler: Bool { willMigrateHandler != nil || didMigrateHandler != nil }
}
