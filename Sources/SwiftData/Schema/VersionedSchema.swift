/// The model classes of one version of a program.
public protocol VersionedSchema {
  /// The model classes.
  static var models: [any PersistentModel.Type] { get }
  /// The version number.
  static var versionIdentifier: Schema.Version { get }
}

/// The versions that a program's stores may have, and the steps between them.
public protocol SchemaMigrationPlan {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps between the versions, oldest first.
  static var stages: [MigrationStage] { get }
}

/// A step from one version to another.
public enum MigrationStage: @unchecked Sendable {
  // `@unchecked Sendable`: plans keep their stages in static properties. The code in them runs while a container opens,
  // on the thread that opens it, one stage at a time.

  /// Migrates by what can be inferred from the two versions.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// Migrates the same way, and runs code before it, with the earlier version's models, and after it, with the later
  /// version's.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)
}
