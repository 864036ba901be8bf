import CoreData

/// The stages of a migration plan, each with its two models.
struct PlannedStages {
  private let stages: [() -> NSMigrationStage]

  /// - Parameter configurations: the names of the schema's entities in each of several stores. Earlier versions have
  ///   them as well; what they have besides is where their stores have it.
  ///
  /// Throws `SwiftDataError.unknownSchema` if no stage leads to the schema, and `backwardMigration` if a stage leads
  /// back to where another began. The stages' order counts, and not the versions' numbers.
  init(
    _ plan: any SchemaMigrationPlan.Type, for schema: Schema, configurations: [String: Set<String>]
  ) throws {
    var versions: [ObjectIdentifier: Version] = [:]
    func version(_ type: any VersionedSchema.Type) -> Version {
      if let made = versions[ObjectIdentifier(type)] { return made }
      let made = Version(type, configurations)
      versions[ObjectIdentifier(type)] = made
      return made
    }
    for type in plan.schemas { _ = version(type) }
    var stages: [() -> NSMigrationStage] = []
    var passed: Set<String> = []
    for stage in plan.stages {
      let step = Step(stage, version)
      if passed.contains(step.to.checksum) { throw SwiftDataError.backwardMigration }
      passed.insert(step.from.checksum)
      stages.append { step.stage }
    }
    let current = schema.makeManagedObjectModel().versionChecksum
    guard versions.values.contains(where: { $0.checksum == current }) else { throw SwiftDataError.unknownSchema }
    self.stages = stages
  }

  /// A new manager, because each can migrate one store only. Nil if the plan has no stages.
  func manager() -> NSStagedMigrationManager? {
    stages.isEmpty ? nil : NSStagedMigrationManager(stages.map { $0() })
  }

  /// A version of the schema with its model. It is made once, because a plan names each version several times.
  private final class Version {
    let schema: Schema
    let checksum: String
    private let model: NSManagedObjectModel

    init(_ type: any VersionedSchema.Type, _ configurations: [String: Set<String>]) {
      schema = Schema(versionedSchema: type)
      model = schema.makeManagedObjectModel(configurations: configurations)
      checksum = model.versionChecksum
    }

    var reference: NSManagedObjectModelReference {
      NSManagedObjectModelReference(model: model, versionChecksum: checksum)
    }
  }

  private final class Step {
    let from: Version
    let to: Version
    let willMigrate: ((ModelContext) throws -> Void)?
    let didMigrate: ((ModelContext) throws -> Void)?

    init(_ stage: MigrationStage, _ version: (any VersionedSchema.Type) -> Version) {
      switch stage {
      case .lightweight(let from, let to):
        (self.from, self.to) = (version(from), version(to))
        (willMigrate, didMigrate) = (nil, nil)
      case .custom(let from, let to, let willMigrate, let didMigrate):
        (self.from, self.to) = (version(from), version(to))
        (self.willMigrate, self.didMigrate) = (willMigrate, didMigrate)
      }
    }

    var stage: NSMigrationStage {
      let (older, newer) = (from.schema, to.schema)
      let made = NSCustomMigrationStage(migratingFrom: from.reference, to: to.reference)
      made.label = "\(older.version) to \(newer.version)"
      if let willMigrate {
        made.willMigrateHandler = { manager, _ in try Step.run(willMigrate, manager, older) }
      }
      if let didMigrate { made.didMigrateHandler = { manager, _ in try Step.run(didMigrate, manager, newer) } }
      return made
    }

    /// Runs the program's handler on the store that is being migrated, and saves what it changed.
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
