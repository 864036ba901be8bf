import Foundation

/// Migration through a new store:
///
/// 1. a folder beside the store, locked, for the new version;
/// 2. a migration manager makes the new store there;
/// 3. the new store is opened and counted, SQLite's is checked page by page;
/// 4. nobody else has written to the old store meanwhile;
/// 5. the new one takes its place: in one transaction of SQLite's, or by a renaming;
/// 6. the folder is removed.
///
/// Whoever ends the process before 5 is through leaves the old store, after it the new one; the next opening with
/// migration asked for removes the folder.
extension StoreMigration {
  /// Makes a new store by a mapping model and puts it in the place of the old one. The store keeps its UUID and the
  /// client's metadata; its history starts over.
  func replaceStore(from source: NSManagedObjectModel, by mapping: NSMappingModel) throws {
    try refuseServer("A migration by a mapping model")
    guard type != NSInMemoryStoreType else { throw Failure.unsupportedFeature("Migrating a store in memory") }
    guard let managerClass = storeClass.migrationManagerClass() as? NSMigrationManager.Type else {
      throw Failure.storeContract(
        store: "\(storeClass)", method: "migrationManagerClass()", what: "it is not a subclass of NSMigrationManager")
    }
    let manager = managerClass.init(sourceModel: source, destinationModel: destination)
    do {
      try replaceStore(by: mapping, manager)
    } catch {
      throw failure(error, manager)
    }
  }

  private func replaceStore(by mapping: NSMappingModel, _ manager: NSMigrationManager) throws {
    MigrationFolder.removeAbandoned(beside: url)
    let folder = try MigrationFolder(beside: url)
    defer { folder.remove() }
    let replacement = try replacement()
    try reached(.folderMade)
    let counts = try fill(folder.store, by: mapping, manager: manager, replacement: replacement)
    try reached(.filled)
    try check(folder.store, counts: counts, replacement: replacement)
    try reached(.checked)
    try replacement.check()
    try replacement.putInPlace(folder.store)
    try? reached(.replaced)
  }

  /// Made in any case by the class of manager that the store class wants; how many objects of each entity, where it
  /// can be told.
  private func fill(
    _ new: URL, by mapping: NSMappingModel, manager: NSMigrationManager, replacement: any FileReplacement
  ) throws -> [String: Int]? {
    var options = options ?? [:]
    // The making of a store is no part of its history.
    for key in [NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey] {
      options[key] = nil
    }
    guard Swift.type(of: manager) == NSMigrationManager.self else {
      try manager.migrateStore(
        from: url, sourceType: type, options: options, with: mapping, toDestinationURL: new, destinationType: type,
        destinationOptions: options)
      return nil
    }
    manager.usesStoreSpecificMigrationManager = false
    return try manager.migrate(
      MigrationJob(
        mapping: mapping,
        source: .init(url: url, type: type, options: options, isOwn: replacement.readsOldAsOwn),
        destination: .init(url: new, type: type, configuration: configuration, options: options),
        keepsIdentity: true))
  }

  /// How the store's file gives way. A class of the program's own keeps its store in the one file, or folder, at its
  /// URL.
  func replacement() throws -> any FileReplacement {
    try (storeClass as? any FileOperating.Type)?.replacement(of: url, options) ?? RenamedFile(url: url)
  }

  /// Whether the new store is whole and can be opened.
  private func check(_ new: URL, counts: [String: Int]?, replacement: any FileReplacement) throws {
    guard StoreFiles.isOccupied(new) else {
      throw Failure.unsupportedFeature("Migrating a store of class \(storeClass), which makes no file at its URL,")
    }
    if let damage = try replacement.damage(of: new) { throw broken("the new version is damaged: \(damage)") }
    let job = MigrationJob.Store(
      url: new, type: type, configuration: configuration, isOwn: replacement.readsNewAsOwn)
    let stack = try MigrationStack(reading: job, destination)
    defer { stack.close() }
    guard let counts else { return }
    try stack.context.performAndWait {
      for layout in stack.layouts.layouts where stack.coordinator.holds(stack.store, layout) {
        let request = NSFetchRequest<NSManagedObject>(entityName: layout.name)
        request.includesSubentities = false
        let (found, expected) = (try stack.context.count(for: request), counts[layout.name] ?? 0)
        if found != expected {
          throw broken("the new version has \(found) objects of \(layout.name) instead of \(expected)")
        }
      }
    }
  }

  private func broken(_ reason: String) -> Failure { .migrationFailed(url: url, reason: reason, underlying: nil) }

  /// What a program is told: failures of migrations as they are, everything else as the reason for one.
  private func failure(_ error: any Error, _ manager: NSMigrationManager) -> any Error {
    if let cancellation = manager.state.cancellation, error as NSError === cancellation { return error }
    switch error as? Failure {
    case .migrationViolatesConstraint(_, let entity, let attributes, let values):
      return Failure.migrationViolatesConstraint(url: url, entity: entity, attributes: attributes, values: values)
    case .migrationDestinationStore(_, let underlying):
      return Failure.migrationDestinationStore(url: url, underlying: underlying)
    case .migrationFailed, .migrationCancelled, .policyFailed, .migrationSourceStore, .unsupportedFeature,
      .storeContract:
      return error
    default:
      return Failure.migrationFailed(
        url: url, reason: "its new version could not be made or put in its place", underlying: error.publicError)
    }
  }

  // For tests.

  /// How far a replacement is.
  enum ReplacingStep: CaseIterable, Sendable { case folderMade, filled, checked, replaced }

  /// Called after each step; what it throws, or ends, happens there.
  @TaskLocal static var didReach: (@Sendable (ReplacingStep) throws -> Void)?

  private func reached(_ step: ReplacingStep) throws { try StoreMigration.didReach?(step) }
}

extension NSPersistentStore {
  /// ``migrationManagerClass()``.
  class func managerClassForAllStores() -> AnyClass { NSMigrationManager.self }
}
