import Foundation

extension NSMigrationManager {
  /// Migrates a store. This is the newer spelling of the method that takes the types as strings.
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

  /// Carries out a job. Throws a `Failure`, a validation error, or the error that the migration was canceled with.
  /// Returns the number of new objects of each entity; nil if the store was migrated without counting.
  @discardableResult
  func migrate(_ job: MigrationJob) throws -> [String: Int]? {
    precondition(run == nil, "A migration manager migrates one store at a time.")
    for type in [job.source.type, job.destination.type] where type == NSInMemoryStoreType {
      throw Failure.unsupportedFeature("Migrating a store in memory")
    }
    state.begin()
    lastMapping = job.mapping
    defer { state.end() }
    var job = job
    job.delta = try delta(of: job)
    try refuseObjects(job)
    if usesStoreSpecificMigrationManager, try migrateInPlace(job) {
      advance(to: 1)
      return nil
    }
    return try migrateThroughObjects(job)
  }

  /// The configuration of a new store: that of the source, by name. nil for all entities, if several configurations
  /// fit, and if mappings lead out of it.
  func configuration(
    of destination: MigrationJob.Store, from source: MigrationJob.Store, _ mapping: NSMappingModel
  ) -> String? {
    let fitting = MigrationStack.configurations(of: source, sourceModel)
    guard fitting.count == 1, let new = destinationModel.entities(forConfigurationName: fitting[0]),
      destination.isSameStore(as: source) || MigrationFile(destination).isNew
    else { return nil }
    let former = Set((sourceModel.entities(forConfigurationName: fitting[0]) ?? []).compactMap(\.name))
    let names = Set(new.compactMap(\.name))
    let staysInside = (mapping.entityMappings ?? []).allSatisfy { mapping in
      guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName else { return true }
      return mapping.mappingType == .removeEntityMappingType || !former.contains(source) || names.contains(destination)
    }
    return staysInside ? fitting[0] : nil
  }

  /// What an inferred mapping stands for; nil for a mapping that the program has made or changed. The mappings of a
  /// model are objects that anyone may change, so they are compared with what the delta implies.
  private func delta(of job: MigrationJob) throws -> ModelDelta? {
    guard job.mapping.isInferred else { return nil }
    var delta = job.mapping.inferredDelta
    if delta == nil {
      // Models that no coordinator has used yet. A mapping that was inferred from others may not fit these.
      try job.reading { try sourceModel.freezeChecked() }
      try job.writing { try destinationModel.freezeChecked() }
      do { delta = try ModelDelta(inferredFrom: sourceModel, to: destinationModel) } catch { warn(.notInferred(error)) }
    }
    return delta.flatMap { NSMappingModel($0) == job.mapping ? $0 : nil }
  }

  private func migrateThroughObjects(_ job: MigrationJob) throws -> [String: Int] {
    guard !job.destination.isSameStore(as: job.source) else {
      throw Failure.migrationFailed(
        url: job.source.shownURL,
        reason: "Its objects can't be migrated one by one into the same file; give the destination another URL",
        underlying: nil)
    }
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
        return try run.counts()
      }
    }
  }

  /// Migrates the file in place, or a copy of it if the destination is another one. Returns false if the job needs a
  /// migration through objects: the mapping is not inferred, or the store's class can't do it.
  private func migrateInPlace(_ job: MigrationJob) throws -> Bool {
    guard let delta = job.delta, job.source.type == job.destination.type,
      let storeClass = (try? NSPersistentStoreCoordinator.storeClass(for: job.source.type))
        as? any (InPlaceMigrating & FileOperating).Type
    else { return false }
    func migrateDestination() throws {
      try job.writing {
        try storeClass.migrateInPlace(
          at: job.destination.url, by: delta, to: ModelLayouts.of(destinationModel),
          configuration: job.destination.configuration, options: job.destination.options)
      }
    }
    if job.destination.isSameStore(as: job.source) {
      if [job.source, job.destination].contains(where: { $0.options?.flag(NSReadOnlyPersistentStoreOption) == true }) {
        throw Failure.readOnlyStore(url: job.destination.shownURL, entity: nil)
      }
      try migrateDestination()
      return true
    }
    let file = MigrationFile(job.destination)
    guard file.isNew else { return false }
    do {
      try job.reading {
        try storeClass.replaceStore(
          at: job.destination.url, job.destination.options, from: job.source.url, job.source.options)
      }
      try migrateDestination()
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
      throw Failure.migrationSourceStore(url: source.shownURL, underlying: error.publicError)
    }
  }

  func writing<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      throw Failure.migrationDestinationStore(url: destination.shownURL, underlying: error.publicError)
    }
  }
}

/// The file that a migration writes.
struct MigrationFile {
  let store: MigrationJob.Store
  /// Whether there was no file before the migration.
  let isNew: Bool
  /// The operations on the store's files; nil for a class of the program's own.
  private let files: (any FileOperating.Type)?
  /// The operations on the store's tables, of a store on a server.
  private let server: (any ServerStore.Type)?

  init(_ store: MigrationJob.Store) {
    self.store = store
    guard let storeClass = try? NSPersistentStoreCoordinator.storeClass(for: store.type),
      store.type != NSInMemoryStoreType
    else {
      isNew = false
      (files, server) = (nil, nil)
      return
    }
    files = storeClass as? any FileOperating.Type
    server = storeClass as? any ServerStore.Type
    // Where it is unknown whether something is there, as on a server that does not answer, nothing is removed.
    if let server {
      isNew = (try? server.isOccupied(store.url)) == false
    } else if let files {
      isNew = (try? files.isOccupied(store.url)) == false
    } else {
      isNew = !StoreFiles.isOccupied(store.url)
    }
  }

  /// Removes the new file of the migration.
  func remove() {
    guard isNew else { return }
    if let server {
      // The migration has failed, and its error is the one to report.
      try? server.destroyStore(at: store.url, nil)
      return
    }
    guard store.url.isFileURL, !store.url.isStoreInMemory else { return }
    if let files { files.removeStore(at: store.url) } else { try? StoreFiles.remove(store.url) }
  }
}

/// Sets the metadata of the store that a migration writes, and decides when its file is written.
struct MigrationWriter {
  let store: NSPersistentStore

  init(_ store: NSPersistentStore) {
    self.store = store
    // Otherwise the file would be written after every few hundred objects.
    (store as? any FileWriting)?.writesFile = false
  }

  /// Copies the client's metadata of the old store. If the new store takes its place, it also gets the UUID.
  func takeMetadata(of source: NSPersistentStore, keepsIdentity: Bool) {
    var metadata: [String: Any] = store.metadata ?? [:]
    metadata.merge((source.metadata ?? [:]).filter { !NSPersistentStore.isOwn($0.key) }) { $1 }
    if keepsIdentity {
      store.identifier = source.identifier
      metadata[NSStoreUUIDKey] = source.identifier
    }
    store.metadata = metadata
  }

  /// Writes everything that the saves have not written.
  func finish() throws {
    // A store without objects may have metadata.
    if let store = store as? NSAtomicStore { return try store.save() }
    guard let rows = store as? any ValueStore else { return }
    (store as? any FileWriting)?.writesFile = true
    _ = try rows.commit(ChangeSet())
  }
}

extension MisuseReport {
  fileprivate static func notInferred(_ error: any Error) -> MisuseReport {
    MisuseReport(
      "A mapping says that it was inferred, and can't be inferred from the manager's models: "
        + Failure.words(of: error),
      how: "It was inferred from other models. Its objects are migrated one by one, as those of a program's mapping.",
      remedy: "Infer it from the models that the manager has; then the store can be migrated in place.")
  }
}
