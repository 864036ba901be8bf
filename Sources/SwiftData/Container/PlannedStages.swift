import CoreData

/// The stages of a migration plan, each with its models.
struct PlannedStages {
  private let stages: [() -> NSMigrationStage]

  /// Throws `SwiftDataError.unknownSchema` where no stage leads to the schema, and `backwardMigration` where one leads
  /// to an earlier version.
  init(_ plan: any SchemaMigrationPlan.Type, for schema: Schema) throws {
    let current = schema.makeManagedObjectModel().versionChecksum
    var stages: [() -> NSMigrationStage] = []
    var known: Set<String> = Set(
      plan.schemas.map { Schema(versionedSchema: $0).makeManagedObjectModel().versionChecksum })
    for stage in plan.stages {
      let step = Step(stage)
      guard step.from.version < step.to.version else { throw SwiftDataError.backwardMigration }
      known.formUnion([step.fromModel.versionChecksum, step.toModel.versionChecksum])
      stages.append { step.stage }
    }
    guard known.contains(current) else { throw SwiftDataError.unknownSchema }
    self.stages = stages
  }

  /// A manager is used for one store; nil for a plan without stages.
  func manager() -> NSStagedMigrationManager? {
    stages.isEmpty ? nil : NSStagedMigrationManager(stages.map { $0() })
  }

  private final class Step {
    let from: Schema
    let to: Schema
    let fromModel: NSManagedObjectModel
    let toModel: NSManagedObjectModel
    let willMigrate: ((ModelContext) throws -> Void)?
    let didMigrate: ((ModelContext) throws -> Void)?
    let isLightweight: Bool

    init(_ stage: MigrationStage) {
      switch stage {
      case .lightweight(let from, let to):
        (self.from, self.to) = (Schema(versionedSchema: from), Schema(versionedSchema: to))
        (willMigrate, didMigrate, isLightweight) = (nil, nil, true)
      case .custom(let from, let to, let willMigrate, let didMigrate):
        (self.from, self.to) = (Schema(versionedSchema: from), Schema(versionedSchema: to))
        (self.willMigrate, self.didMigrate, isLightweight) = (willMigrate, didMigrate, false)
      }
      fromModel = from.makeManagedObjectModel()
      toModel = to.makeManagedObjectModel()
    }

    var stage: NSMigrationStage {
      let (from, to) = (from, to)
      let made = NSCustomMigrationStage(
        migratingFrom: NSManagedObjectModelReference(model: fromModel, versionChecksum: fromModel.versionChecksum),
        to: NSManagedObjectModelReference(model: toModel, versionChecksum: toModel.versionChecksum))
      made.label = "\(from.version) to \(to.version)"
      if let willMigrate {
        made.willMigrateHandler = { manager, _ in try Step.run(willMigrate, manager, from) }
      }
      if let didMigrate { made.didMigrateHandler = { manager, _ in try Step.run(didMigrate, manager, to) } }
      return made
    }

    /// Runs a program's code over the store that is being migrated.
    private static func run(
      _ body: (ModelContext) throws -> Void, _ manager: NSStagedMigrationManager, _ schema: Schema
    ) throws {
      guard let coordinator = manager.container?.persistentStoreCoordinator else {
        preconditionFailure("A stage's handler runs while the store is open.")
      }
      let context = ModelContext(ModelContainer(schema: schema, coordinator: coordinator))
      try body(context)
      if context.hasChanges { try context.save() }
    }
  }
}
