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
    let watch = try ReplacingWatch(storeClass, url)
    try reached(.folderMade)
    let counts = try fill(folder.store, by: mapping, manager)
    try reached(.filled)
    try check(folder.store, counts)
    try reached(.checked)
    try watch.check()
    try putInPlace(folder.store, watch)
    try? reached(.replaced)
  }

  /// Made in any case by the class of manager that the store class wants; how many objects of each entity, where it
  /// can be told.
  private func fill(
    _ new: URL, by mapping: NSMappingModel, _ manager: NSMigrationManager
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
        source: .init(url: url, type: type, options: options, isOwn: isLogged),
        destination: .init(url: new, type: type, configuration: configuration, options: options),
        keepsIdentity: true))
  }

  /// Whether a log of SQLite's would have to be copied if the old store were only to be read.
  private var isLogged: Bool {
    guard storeClass == SQLiteStore.self, case .database(let isLogged)? = try? StoreFileState(url) else { return false }
    return isLogged
  }

  /// Whether the new store is whole and can be opened.
  private func check(_ new: URL, _ counts: [String: Int]?) throws {
    guard StoreFiles.isOccupied(new) else {
      throw Failure.unsupportedFeature("Migrating a store of class \(storeClass), which makes no file at its URL,")
    }
    if storeClass == SQLiteStore.self {
      let found = try Connection(path: new.path, options: Connection.Options()).rows("PRAGMA integrity_check")
      guard found.first?[0] == "ok" else {
        throw broken("the new version is damaged: \(found.compactMap { $0[0] }.prefix(3).joined(separator: ", "))")
      }
    }
    let job = MigrationJob.Store(
      url: new, type: type, configuration: configuration, isOwn: storeClass == SQLiteStore.self)
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

  /// What may fail leaves the store as it was.
  func putInPlace(_ new: URL, _ watch: ReplacingWatch) throws {
    if storeClass == SQLiteStore.self {
      return try SQLiteStore.replaceStore(at: url, options, from: new, nil)
    }
    guard storeClass is AtomicFileStore.Type else { return try StoreFiles.rename(new, to: url) }
    do {
      _ = try WholeFile.write(try WholeFile.read(new.path).bytes, to: url.path, expecting: watch.expectation)
    } catch WholeFile.Problem.unconfirmed {
      // It is there, and the old one gone.
    } catch let problem as WholeFile.Problem {
      throw problem.failure(url, isWriting: true)
    }
  }

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

/// Notices that somebody else has written to a store that is about to be replaced.
struct ReplacingWatch {
  private let url: URL
  private let connection: Connection?
  private let version: String?
  private let stamp: WholeFile.Stamp?

  init(_ storeClass: NSPersistentStore.Type, _ url: URL) throws {
    self.url = url
    guard storeClass == SQLiteStore.self else {
      (connection, version) = (nil, nil)
      stamp = storeClass is AtomicFileStore.Type ? try WholeFile.stamp(url.path) : nil
      return
    }
    stamp = nil
    do {
      let connection = try Connection(path: url.path, options: Connection.Options())
      version = try connection.pragma("data_version")
      self.connection = connection
    } catch let error as SQLiteError {
      throw error.openingFailure(at: url)
    }
  }

  /// Throws if it has happened.
  func check() throws {
    guard let connection else { return }
    let now = try connection.pragma("data_version")
    if now != version { throw Failure.fileChangedElsewhere(url: url) }
  }

  /// For a file that is renamed over; the same.
  var expectation: WholeFile.Expectation { stamp.map { .unchanged($0) } ?? .anything }
}

extension NSPersistentStore {
  /// ``migrationManagerClass()``.
  class func managerClassForAllStores() -> AnyClass { NSMigrationManager.self }
}
