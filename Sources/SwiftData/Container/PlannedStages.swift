import CoreData

/// The stages of a migration plan, each with its models.
struct PlannedStages {
  private let stages: [() -> NSMigrationStage]

  /// Throws `SwiftDataError.unknownSchema` where no version of the plan has the checksum of the container's model, and
  /// `backwardMigration` where a stage leads to an earlier version.
  init(_ plan: any SchemaMigrationPlan.Type, forModelWith checksum: String) throws {
    var versions: [ObjectIdentifier: Version] = [:]
    func version(_ type: any VersionedSchema.Type) -> Version {
      if let known = versions[ObjectIdentifier(type)] { return known }
      let made = Version(type)
      versions[ObjectIdentifier(type)] = made
      return made
    }
    for schema in plan.schemas { _ = version(schema) }
    var stages: [() -> NSMigrationStage] = []
    for stage in plan.stages {
      let step =
        switch stage {
        case .lightweight(let from, let to): Step(from: version(from), to: version(to))
        case .custom(let from, let to, let willMigrate, let didMigrate):
          Step(from: version(from), to: version(to), willMigrate: willMigrate, didMigrate: didMigrate)
        }
      guard step.from.schema.version < step.to.schema.version else { throw SwiftDataError.backwardMigration }
      stages.append { step.stage }
    }
    guard versions.values.contains(where: { $0.checksum == checksum }) else { throw SwiftDataError.unknownSchema }
    self.stages = stages
  }

  /// A manager is used for one store; nil for a plan without stages.
  func manager() -> NSStagedMigrationManager? {
    stages.isEmpty ? nil : NSStagedMigrationManager(stages.map { $0() })
  }

  /// A version of the schema; several stages lead to it or from it.
  private final class Version {
    let schema: Schema
    let model: NSManagedObjectModel
    let checksum: String

    init(_ type: any VersionedSchema.Type) {
      schema = Schema(versionedSchema: type)
      model = schema.makeManagedObjectModel()
      checksum = model.versionChecksum
    }

    var reference: NSManagedObjectModelReference {
      NSManagedObjectModelReference(model: model, versionChecksum: checksum)
    }
  }

  private struct Step {
    let from: Version
    let to: Version
    var willMigrate: ((ModelContext) throws -> Void)?
    var didMigrate: ((ModelContext) throws -> Void)?

    var stage: NSMigrationStage {
      let (from, to) = (from.schema, to.schema)
      let made = NSCustomMigrationStage(migratingFrom: self.from.reference, to: self.to.reference)
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
