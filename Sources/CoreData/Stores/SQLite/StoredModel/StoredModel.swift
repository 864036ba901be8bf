internal import DataModelFiles

/// A model from a store's file, as plain values.
struct StoredModel {
  let url: URL
  let model: DataModel
  let origin: NSManagedObjectModel.StoreOrigin
  /// The file's version hashes, by entity name.
  let hashes: [String: Data]

  static func read(at url: URL) throws -> StoredModel {
    try SQLiteStore.readingUntouched(url) { connection in
      let metadata = try StoreMetadata.read(at: url, from: connection)
      let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
      let existing = try ExistingSchema(url: url, connection: connection, metadata: metadata)
      if let cached = try cached(url, connection: connection, existing: existing, hashes: hashes) { return cached }
      var inference = try ModelInference(existing, connection, entityNames: Set(hashes.keys))
      var model = try inference.model(named: url.deletingPathExtension().lastPathComponent)
      if let excess = model.excess() { throw existing.misfit("Z_PRIMARYKEY", excess.description) }
      model.versionIdentifiers = metadata[NSStoreModelVersionIdentifiersKey] as? [String] ?? [""]
      let inferred = StoredModel(url: url, model: model, origin: .inferred, hashes: hashes)
      // The inferred model must fit the file.
      _ = try inferred.plan(existing)
      return inferred
    }
  }

  /// The model in the cache, if it fits the file; nil if it can't be read, or is another version.
  private static func cached(
    _ url: URL, connection: Connection, existing: ExistingSchema, hashes: [String: Data]
  ) throws -> StoredModel? {
    guard let bytes = try ModelCache.read(from: connection),
      let values = try? CompiledModelFiles.model(
        mom: bytes, name: url.deletingPathExtension().lastPathComponent, file: url.path, isKept: true
      ).model
    else { return nil }
    let model = cleaned(values)
    let stored = StoredModel(url: url, model: model, origin: .cached, hashes: hashes)
    guard Set(model.entities.map(\.name)).isSuperset(of: hashes.keys), let plan = try? stored.plan(existing)
    else {
      return nil
    }
    // It is not known how some hashes are computed, so a different hash alone proves nothing. A column that the model
    // does not know proves that the model is another version.
    let computed = model.entityVersionHashes().mapValues { Data($0) }
    if hashes.allSatisfy({ computed[$0.key] == $0.value }) || existing.isCovered(by: plan) { return stored }
    return nil
  }

  /// The parts of a cached model that a store depends on.
  static func cleaned(_ cached: DataModel) -> DataModel {
    var model = cached
    model.fetchRequestTemplates = []
    for index in model.entities.indices {
      model.entities[index].fetchedProperties.removeAll { $0.request.unreadablePredicate != nil }
      for place in model.entities[index].attributes.indices {
        model.entities[index].attributes[place].validationRules = []
      }
      // An archive repeats fetch indexes as flags and compound indexes, for frameworks that don't know fetch indexes.
      guard !model.entities[index].fetchIndexes.isEmpty else { continue }
      model.entities[index].compoundIndexes = []
      for place in model.entities[index].attributes.indices {
        model.entities[index].attributes[place].isIndexed = false
      }
    }
    return model
  }

  /// The plan of the model's tables and columns in the file. Throws an error if the file lacks any of them.
  private func plan(_ existing: ExistingSchema) throws -> SchemaPlan {
    let candidate = NSManagedObjectModel()
    try fill(candidate)
    // Whatever a file says is hostile.
    do { try candidate.freezeChecked() } catch {
      throw Failure.unreadableModelFile(url: url, what: (error as NSError).localizedDescription)
    }
    return try withExtendedLifetime(candidate) {
      try SchemaPlanner.plan(ModelLayouts.of(candidate), configuration: configuration, existing: existing)
    }
  }

  /// The configuration that the file holds; nil if it holds all entities.
  private var configuration: String? {
    guard !model.configurations.isEmpty, Set(model.entities.map(\.name)) != Set(hashes.keys) else { return nil }
    let lines = model.lineNames
    let exact = model.configurations.first { Set($0.entityNames) == Set(hashes.keys) }
    // The file may also hold subentities of the configuration's entities.
    let wider = model.configurations.first { configuration in
      let names = Set(configuration.entityNames)
      return names.isSubset(of: hashes.keys)
        && hashes.keys.allSatisfy { name in
          lines[name]?.contains { names.contains($0) } ?? false
        }
    }
    return (exact ?? wider)?.name
  }

  func fill(_ target: NSManagedObjectModel) throws {
    do {
      try ModelBuilder(ModelFile(url: url, model: model)).fill(target)
    } catch let error as InvalidDataModel {
      throw Failure.unreadableModelFile(url: url, what: error.description)
    }
    target.statedVersionHashes = hashes
    target.storedStoreOrigin = origin
  }
}

extension ExistingSchema {
  /// Whether a plan uses every column of the entities' tables in the file, and every join table with its columns. What
  /// a deferred migration has put aside is of the version before.
  fileprivate func isCovered(by plan: SchemaPlan) -> Bool {
    let fixed = ["Z_PK", "Z_ENT", "Z_OPT"]
    var known = Dictionary(plan.tables.map { ($0.name, fixed + $0.columns.map(\.name)) }) { $1 }
    for join in plan.schema.joins { known[join.name] = join.columns }
    let used = tables.keys.filter { known[$0] != nil || isJoinTable($0) }
    return used.allSatisfy { table in
      (columns(of: table) ?? []).allSatisfy {
        known[table]?.contains($0) == true || $0.hasPrefix(DeferredNames.prefix)
      }
    }
  }

  /// Whether a table has the name of a join table: `Z_`, the number of an entity, and the name of a relationship.
  private func isJoinTable(_ name: String) -> Bool {
    let bare = name.utf8.drop { $0 == UInt8(ascii: "\"") }
    return bare.starts(with: "Z_".utf8) && bare.dropFirst(2).first.map { 48...57 ~= $0 } == true
      && !deferredTables.contains(name)
  }
}
