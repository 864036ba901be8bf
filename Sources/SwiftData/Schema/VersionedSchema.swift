/// The models of one version of a program.
public protocol VersionedSchema {
  /// The model classes.
  static var models: [any PersistentModel.Type] { get }
  /// The version's number.
  static var versionIdentifier: Schema.Version { get }
}

/// The versions that a program's stores may be of, and how one becomes the next.
public protocol SchemaMigrationPlan {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps, oldest first.
  static var stages: [MigrationStage] { get }
}

/// A step from one version to the next.
public enum MigrationStage: @unchecked Sendable {
  // `@unchecked Sendable`: plans keep their stages in static properties; their code runs while a container is opened,
  // on the thread that opens it, one stage after the other.

  /// What became of what follows from the two versions.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// The same, with code that is run before, in the earlier version, and after, in the later one.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
}
