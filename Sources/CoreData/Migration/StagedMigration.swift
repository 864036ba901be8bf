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
      throw Failure.stagedMigrationUnknownVersion(
        url: migration.shownURL, checksum: StagedModels.checksum(of: migration.metadata))
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
    var model = try models.model(at: start) ?? migration.sourceModel()
    var held = Set(migration.storedHashes.keys)
    if let name = migration.configuration,
      !model.isConfiguration(withName: name, compatibleWithStoreMetadata: migration.metadata)
    {
      model = Self.model(model, with: held, in: name)
    }
    var steps: [Step] = []
    var place = start
    for next in versions.indices where next > start {
      guard var found = next == last ? migration.destination : try models.model(at: next) else { continue }
      if next != last, let name = migration.configuration {
        // The configuration of an earlier version may lack what the store has: entities that have another name now, or
        // that are gone. They stay until the last step.
        let known = Set((found.entities(forConfigurationName: name) ?? []).compactMap(\.name))
        let kept = (try? EntityMatch(from: model, to: found))?.names(ofKept: held) ?? []
        held = known.union(kept)
        if !held.isSubset(of: known) { found = Self.model(found, with: held, in: name) }
      }
      let stage = next == place + 1 ? versions[place].stage : nil
      steps.append(Step(source: model, destination: found, stage: stage))
      (place, model) = (next, found)
    }
    return steps
  }

  /// A copy of a version's model with these entities in the store's configuration.
  private static func model(
    _ model: NSManagedObjectModel, with names: Set<String>, in configuration: String
  ) -> NSManagedObjectModel {
    let copy = model.copy() as! NSManagedObjectModel
    copy.setEntities(
      copy.entities.filter { names.contains($0.name ?? "") }, forConfigurationName: configuration)
    return copy
  }
}

extension EntityMatch {
  /// The names that entities of the source have in the destination.
  fileprivate func names(ofKept names: Set<String>) -> Set<String> {
    Set(pairs.filter { names.contains($0.source.name ?? "") }.compactMap(\.destination.name))
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
