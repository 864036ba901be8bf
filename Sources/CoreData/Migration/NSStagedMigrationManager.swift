import Foundation

/// Migrates a store through several versions of its model, one after the other.
///
///     let manager = NSStagedMigrationManager([
///       NSLightweightMigrationStage([version1, version2]), splitNames, NSLightweightMigrationStage([version4]),
///     ])
///     description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
///
/// The migration starts at the stage that has the store's version, and runs all stages that follow. The last version
/// must be that of the coordinator's model. A version may be the last of a stage and the first of the next.
///
/// Without handlers each step changes the store itself; after an interruption the migration continues at the next
/// opening. With handlers everything is done on a copy beside the store, which replaces it at the end.
nonisolated open class NSStagedMigrationManager: NSObject {
  private let ownStages: [NSMigrationStage]
  /// The container for handlers; nil outside of them. The code in the folder Container makes it from `stack`.
  final var madeContainer: NSObject?
  /// The store at its version, while a handler runs.
  final var stack: StagedStack? {
    didSet { madeContainer = nil }
  }

  /// The stages, in the order in which they run.
  open var stages: [NSMigrationStage] { ownStages }

  /// Makes a manager of these stages, for ``NSPersistentStoreStagedMigrationManagerOptionKey``.
  ///
  /// - Parameter stages: oldest first. It is a misuse if two stages have the same version, except as the end of one and
  ///   the beginning of the next.
  public init(_ stages: [NSMigrationStage]) {
    ownStages = stages
    super.init()
    do { _ = try StagedVersions(stages) } catch {
      misuse(
        MisuseReport(
          "Duplicate version checksums across stages detected.",
          facts: [("Checksum", (error as? StagedVersions.Duplicate)?.checksum ?? "")],
          how: "A store of that version could start at several stages.",
          remedy: "Name each version once. One stage may end with the version at which the next begins."))
    }
  }
}

/// A store that a handler may change.
struct StagedStack {
  let coordinator: NSPersistentStoreCoordinator
  let store: NSPersistentStore
  let options: [AnyHashable: Any]
}
