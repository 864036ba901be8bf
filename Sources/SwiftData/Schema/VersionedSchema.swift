/// The model classes of one version of a program.
///
///     enum FirstVersion: VersionedSchema {
///       static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
///       static var models: [any PersistentModel.Type] { [Book.self] }
///
///       @Model final class Book {
///         var title: String
///         init(title: String) { self.title = title }
///       }
///     }
///
/// A ``SchemaMigrationPlan`` lists the versions.
public protocol VersionedSchema {
  /// The model classes.
  static var models: [any PersistentModel.Type] { get }
  /// The version number.
  static var versionIdentifier: Schema.Version { get }
}

/// The versions that a program's stores may have, and the steps between them.
///
/// If the second version has a class `Book` whose `pages` are 0 by default, and the first has none, nothing else is
/// needed:
///
///     enum Plan: SchemaMigrationPlan {
///       static var schemas: [any VersionedSchema.Type] { [FirstVersion.self, SecondVersion.self] }
///       static var stages: [MigrationStage] {
///         [.lightweight(fromVersion: FirstVersion.self, toVersion: SecondVersion.self)]
///       }
///     }
///
///     // The store of the first version has the book Solaris.
///     let container = try ModelContainer(
///       for: SecondVersion.Book.self, migrationPlan: Plan.self, configurations: ModelConfiguration(url: url))
///     let books = try ModelContext(container).fetch(FetchDescriptor<SecondVersion.Book>())
///     print(books.map { "\($0.title) \($0.pages)" })  // ["Solaris 0"]
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
