import Foundation

/// Migration through a new store:
///
/// 1. make a place for the new version, a `NewVersion`: a folder beside the store, locked; or a schema on the server;
/// 2. let a migration manager make the new store there;
/// 3. open the new store and count its objects; check a SQLite file page by page;
/// 4. check that no one else has written to the old store in the meantime;
/// 5. put the new store in place of the old one, in one transaction or by renaming it;
/// 6. remove the place.
///
/// If the process ends before step 5 is complete, the old store is there; after that, the new one. The next opening
/// that asks for a migration removes the place.
extension StoreMigration {
  /// Makes a new store by a mapping model and puts it in place of the old one. The store keeps its UUID and the
  /// client's metadata; its history starts over.
  func replaceStore(from source: NSManagedObjectModel, by mapping: NSMappingModel) throws {
    guard type != NSInMemoryStoreType else { throw Failure.unsupportedFeature("Migrating a store in memory") }
    guard let managerClass = storeClass.migrationManagerClass() as? NSMigrationManager.Type else {
      throw Failure.storeContract(
        store: "\(storeClass)", method: "migrationManagerClass()", what: "it is not a subclass of NSMigrationManager")
    }
    let manager = managerClass.makeDynamically(source: source, destination: destination)
    do {
      try replaceStore(by: mapping, manager)
    } catch {
      throw failure(error, manager)
    }
  }

  private func replaceStore(by mapping: NSMappingModel, _ manager: NSMigrationManager) throws {
    let new = try newVersion(from: manager.sourceModel)
    defer { new.remove() }
    try reached(.folderMade)
    let counts = try fill(new, by: mapping, manager: manager)
    try reached(.filled)
    try check(new, counts: counts)
    try reached(.checked)
    try new.check()
    try new.putInPlace()
    try? reached(.replaced)
  }

  /// Fills the new store with the manager of the store's class. Returns the number of objects of each entity; nil for a
  /// subclass of the manager, which doesn't tell.
  private func fill(
    _ new: any NewVersion, by mapping: NSMappingModel, manager: NSMigrationManager
  ) throws -> [String: Int]? {
    var options = options ?? [:]
    // The history of a store does not include making it.
    for key in [NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey] {
      options[key] = nil
    }
    guard Swift.type(of: manager) == NSMigrationManager.self else {
      // A subclass has only the arguments of the public method.
      manager.replacement = .init(url: new.url, configuration: configuration)
      defer { manager.replacement = nil }
      try manager.migrateStore(
        from: url, sourceType: type, options: options, with: mapping, toDestinationURL: new.url, destinationType: type,
        destinationOptions: options)
      return nil
    }
    manager.usesStoreSpecificMigrationManager = false
    return try manager.migrate(
      MigrationJob(
        mapping: mapping,
        source: .init(url: url, type: type, options: options, isOwn: new.readsOldAsOwn),
        destination: .init(url: new.url, type: type, configuration: configuration, options: options),
        keepsIdentity: true))
  }

  /// The place for the store's new version.
  func newVersion(from source: NSManagedObjectModel) throws -> any NewVersion {
    guard let server else { return try NewFileVersion(of: url, storeClass, options) }
    return try server.newVersion(of: url, from: source, metadata, to: destination, options)
  }

  /// Checks that the new store is complete and can be opened.
  private func check(_ new: any NewVersion, counts: [String: Int]?) throws {
    if let damage = try new.damage() { throw broken("the new version is damaged: \(damage)") }
    var options = options
    options?[NSReadOnlyPersistentStoreOption] = nil
    let job = MigrationJob.Store(
      url: new.url, type: type, configuration: configuration, options: options, isOwn: new.readsNewAsOwn)
    let stack = try MigrationStack(reading: job, destination)
    defer { stack.close() }
    guard let counts else { return }
    try stack.context.performAndWait {
      for (name, found) in try stack.counts().sorted(on: \.key) where found != counts[name] ?? 0 {
        throw broken("the new version has \(found) objects of \(name) instead of \(counts[name] ?? 0)")
      }
    }
  }

  private func broken(_ reason: String) -> Failure { .migrationFailed(url: shownURL, reason: reason, underlying: nil) }

  /// The error for the program: a migration's failure unchanged, any other error as the reason of such a failure.
  private func failure(_ error: any Error, _ manager: NSMigrationManager) -> any Error {
    if let cancellation = manager.state.cancellation, error as NSError === cancellation { return error }
    switch error as? Failure {
    case .migrationViolatesConstraint(_, let entity, let attributes, let values):
      return Failure.migrationViolatesConstraint(url: shownURL, entity: entity, attributes: attributes, values: values)
    case .migrationDestinationStore(_, let underlying):
      return Failure.migrationDestinationStore(url: shownURL, underlying: underlying)
    case .migrationFailed, .migrationCancelled, .policyFailed, .migrationSourceStore, .unsupportedFeature,
      .storeContract:
      return error
    default:
      return Failure.migrationFailed(
        url: shownURL, reason: "its new version could not be made or put in its place", underlying: error.publicError)
    }
  }

  // For tests.

  /// The steps of a replacement.
  enum ReplacingStep: CaseIterable, Sendable { case folderMade, filled, checked, replaced }

  /// Called after each step, so that tests can throw an error or end the process there.
  @TaskLocal static var didReach: (@Sendable (ReplacingStep) throws -> Void)?

  private func reached(_ step: ReplacingStep) throws { try StoreMigration.didReach?(step) }
}

extension NSPersistentStore {
  /// ``migrationManagerClass()``.
  class func managerClassForAllStores() -> AnyClass { NSMigrationManager.self }
}
