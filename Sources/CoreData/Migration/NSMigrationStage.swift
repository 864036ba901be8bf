import Foundation

/// A part of a staged migration: ``NSLightweightMigrationStage`` or ``NSCustomMigrationStage``.
nonisolated open class NSMigrationStage: NSObject {
  /// For the program's own use; errors name the stage by it.
  open var label: String?

  /// For subclasses.
  public override init() { super.init() }

  /// The class and the label, for logs.
  open override var description: String { "\(type(of: self)) \(label ?? "(no label)")" }
}

/// Versions that follow each other by what their models imply.
nonisolated open class NSLightweightMigrationStage: NSMigrationStage {
  private let checksums: [String]

  /// The versions' checksums, oldest first.
  open var versionChecksums: [String] { checksums }

  /// A stage of versions between which no code of the program is needed.
  ///
  /// - Parameter versionChecksums: oldest first, see `NSManagedObjectModel.versionChecksum`. A version whose model is
  ///   found nowhere is passed over where a later one is found.
  public init(_ versionChecksums: [String]) {
    checksums = versionChecksums
    super.init()
  }
}

/// A step from one version to the next during which the program changes data: before, with the older model, and after,
/// with the newer one. The step itself is what the models imply.
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
  /// current model. What it throws ends the migration, with the store as it was.
  open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  /// Called after the step; the manager's container has the store open with the next model.
  open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

  /// A step between two versions; both models have to be found when the migration runs.
  public init(
    migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
  ) {
    current = currentModel
    next = nextModel
    super.init()
  }

  final var hasHandler: Bool { willMigrateHandler != nil || didMigrateHandler != nil }
}
