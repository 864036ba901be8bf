import Foundation

extension NSMigrationManager {
  /// The newer spelling.
  public func migrateStore(
    from sourceURL: URL, type sourceType: NSPersistentStore.StoreType, options sourceOptions: [AnyHashable: Any]? = nil,
    mapping: NSMappingModel, to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
    options destinationOptions: [AnyHashable: Any]? = nil
  ) throws {
    try migrateStore(
      from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
      toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
      destinationOptions: destinationOptions)
  }

  /// Carries a job out. Throws a `Failure`, what validation says, or the error that the migration was cancelled with.
  /// Returns the number of objects made of each entity; nil where nobody counted.
  @discardableResult
  func migrate(_ job: MigrationJob) throws -> [String: Int]? {
    precondition(run == nil, "A migration manager migrates one store at a time.")
    for type in [job.source.type, job.destination.type] where type == NSInMemoryStoreType {
      throw Failure.unsupportedFeature("Migrating a store in memory")
    }
    state.begin()
    lastMapping = job.mapping
    defer { state.end() }
    if usesStoreSpecificMigrationManager, try migrateInPlace(job) {
      state.advance(to: 1)
      return nil
    }
    return try migrateThroughObjects(job)
  }

  private func migrateThroughObjects(_ job: MigrationJob) throws -> [String: Int] {
    let source = try job.reading { try MigrationStack(reading: job.source, sourceModel) }
    defer { source.close() }
    let file = MigrationFile(job.destination)
    do {
      let destination = try job.writing { try MigrationStack(writing: job.destination, destinationModel) }
      defer { destination.close() }
      return try fill(destination, from: source, job, isNew: file.isNew)
    } catch {
      file.remove()
      throw error
    }
  }

  private func fill(
    _ destination: MigrationStack, from source: MigrationStack, _ job: MigrationJob, isNew: Bool
  ) throws -> [String: Int] {
    let writer = MigrationWriter(destination.store)
    if isNew { writer.takeMetadata(of: source.store, keepsIdentity: job.keepsIdentity) }
    return try source.context.performAndWait {
      try destination.context.performAndWait {
        let run = try MigrationRun(self, job, source: source, destination: destination)
        self.run = run
        defer { self.run = nil }
        try run.run()
        try job.writing { try writer.finish() }
        return Dictionary(
          uniqueKeysWithValues: zip(destination.layouts.layouts, run.made).map { ($0.name, $1.count) })
      }
    }
  }

  /// What two models imply, between two files of a class that can: on a copy of the file. False where that is not how
  /// it goes.
  private func migrateInPlace(_ job: MigrationJob) throws -> Bool {
    guard let delta = job.mapping.inferredDelta, job.source.type == job.destination.type,
      let storeClass = (try? NSPersistentStoreCoordinator.storeClass(for: job.source.type))
        as? any (InPlaceMigrating & FileOperating).Type
    else { return false }
    let file = MigrationFile(job.destination)
    guard file.isNew else { return false }
    do {
      try job.reading {
        try storeClass.replaceStore(
          at: job.destination.url, job.destination.options, from: job.source.url, job.source.options)
      }
      try job.writing {
        try storeClass.migrateInPlace(
          at: job.destination.url, by: delta, to: ModelLayouts.of(destinationModel),
          configuration: job.destination.configuration, options: job.destination.options)
      }
      return true
    } catch {
      file.remove()
      throw error
    }
  }
}

extension MigrationJob {
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      throw Failure.migrationSourceStore(url: source.url, underlying: error.publicError)
    }
  }

  func writing<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      throw Failure.migrationDestinationStore(url: destination.url, underlying: error.publicError)
    }
  }
}

/// What stands where a migration writes.
struct MigrationFile {
  let store: MigrationJob.Store
  /// Whether nothing did, before.
  let isNew: Bool
  /// Nil for a class of the program's own.
  private let files: (any FileOperating.Type)?

  init(_ store: MigrationJob.Store) {
    self.store = store
    guard let storeClass = try? NSPersistentStoreCoordinator.storeClass(for: store.type),
      store.type != NSInMemoryStoreType
    else {
      isNew = false
      files = nil
      return
    }
    files = storeClass as? any FileOperating.Type
    isNew = (try? files?.isOccupied(store.url)) ?? StoreFiles.isOccupied(store.url) == false
  }

  /// Removes what the migration has made.
  func remove() {
    guard isNew, store.url.isFileURL, store.url.path != "/dev/null" else { return }
    if let files { files.removeStore(at: store.url) } else { try? StoreFiles.remove(store.url) }
  }
}

/// The store that a migration writes: metadata, and when the file is written.
struct MigrationWriter {
  let store: NSPersistentStore

  init(_ store: NSPersistentStore) {
    self.store = store
    // Else the file would be written for every few hundred objects.
    (store as? any FileWriting)?.writesFile = false
  }

  /// What the client has said of the old store; and whose it is, if the new one takes its place.
  func takeMetadata(of source: NSPersistentStore, keepsIdentity: Bool) {
    var metadata: [String: Any] = store.metadata ?? [:]
    metadata.merge((source.metadata ?? [:]).filter { !NSPersistentStore.isOwn($0.key) }) { $1 }
    if keepsIdentity {
      store.identifier = source.identifier
      metadata[NSStoreUUIDKey] = source.identifier
    }
    store.metadata = metadata
  }

  /// Writes what the saves have left.
  func finish() throws {
    // A store without objects may have metadata.
    if let store = store as? NSAtomicStore { return try store.save() }
    guard let rows = store as? any ValueStore else { return }
    (store as? any FileWriting)?.writesFile = true
    _ = try rows.commit(ChangeSet())
  }
}
