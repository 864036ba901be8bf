import Foundation

/// The migration of a store through the stages of a manager.
struct StagedMigration {
  let migration: StoreMigration
  let manager: NSStagedMigrationManager

  struct Step {
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    let stage: NSCustomMigrationStage?
  }

  /// The staged migration manager in the options; nil if they have none.
  ///
  /// - Throws: `Failure.stagedMigration` if the option holds something else.
  static func manager(in options: [AnyHashable: Any]?) throws -> NSStagedMigrationManager? {
    guard let value = options?[NSPersistentStoreStagedMigrationManagerOptionKey], !(value is NSNull) else { return nil }
    guard let manager = value as? NSStagedMigrationManager else {
      throw Failure.stagedMigration(
        reason: "the option \(NSPersistentStoreStagedMigrationManagerOptionKey) is a \(Swift.type(of: value)), not an "
          + "NSStagedMigrationManager")
    }
    return manager
  }

  func run() throws {
    let steps = try steps()
    // Checks all steps before the first one changes anything.
    for step in steps { _ = try migration.delta(from: step.source, to: step.destination) }
    if steps.contains(where: { $0.stage?.hasHandler ?? false }) {
      try StagedCopy(migration: migration, manager: manager).run(steps)
    } else {
      for step in steps { try migration.step(to: step.destination, at: migration.url, from: step.source) }
    }
  }

  // MARK: The steps

  private func steps() throws -> [Step] {
    let versions = try StagedVersions(manager.stages).versions
    guard let last = versions.indices.last else {
      throw Failure.stagedMigration(reason: "the manager has no stages, or stages without versions")
    }
    let models = StagedModels(versions: versions, destination: migration.destination)
    guard let start = models.place(of: migration.metadata, configuration: migration.configuration) else {
      throw Failure.stagedMigration(
        reason: "the store's version, \(StagedModels.checksum(of: migration.metadata)), is in none of the stages")
    }
    let target = versions.firstIndex { $0.checksum == migration.destination.versionChecksum }
    if let target, start > target {
      throw Failure.stagedMigrationBackward(
        reason: "the store is of a later version, \(versions[start].checksum), than the model, "
          + versions[target].checksum)
    }
    guard target == last, start < last else {
      throw Failure.stagedMigration(
        reason: "the last stage ends at the version \(versions[last].checksum), but the model is of the version "
          + migration.destination.versionChecksum)
    }
    let source = try models.model(at: start) ?? migration.sourceModel()
    var steps: [Step] = []
    var (place, model) = (start, source)
    for next in versions.indices where next > start {
      guard let found = next == last ? migration.destination : try models.model(at: next) else { continue }
      let stage = next == place + 1 ? versions[place].stage : nil
      steps.append(Step(source: model, destination: found, stage: stage))
      (place, model) = (next, found)
    }
    return steps
  }
}

extension StoreMigration {
  /// Migrates one step from a version to another, by the inferred mapping.
  func step(to destination: NSManagedObjectModel, at url: URL, from source: NSManagedObjectModel) throws {
    try destination.freezeChecked()
    var options = self.options ?? [:]
    options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
    // The next step needs the work that this one would defer.
    options[NSPersistentStoreDeferredLightweightMigrationOptionKey] = nil
    let step = StoreMigration(
      storeClass: storeClass, type: type, url: url, configuration: configuration, options: options,
      metadata: try storeClass.metadataForPersistentStore(with: url), destination: destination)
    try step.migrateByInference(from: source)
  }
}
