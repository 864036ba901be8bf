internal import DataModelFiles

/// A model out of a store's file, as plain values.
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
      model.versionIdentifiers = metadata[NSStoreModelVersionIdentifiersKey] as? [String] ?? [""]
      let inferred = StoredModel(url: url, model: model, origin: .inferred, hashes: hashes)
      // What is put together from the file has to fit it.
      _ = try inferred.plan(existing)
      return inferred
    }
  }

  /// The model in the cache, if it fits the file; nil where it can't be read, or is of another version.
  private static func cached(
    _ url: URL, connection: Connection, existing: ExistingSchema, hashes: [String: Data]
  ) throws -> StoredModel? {
    guard let bytes = try ModelCache.read(from: connection),
      let values = try? CompiledModelFiles.model(
        mom: bytes, name: url.deletingPathExtension().lastPathComponent, file: url.path
      ).model
    else { return nil }
    let model = cleaned(values)
    let stored = StoredModel(url: url, model: model, origin: .cached, hashes: hashes)
    guard Set(model.entities.map(\.name)).isSuperset(of: hashes.keys), let plan = try? stored.plan(existing)
    else {
      return nil
    }
    // The recipe of some hashes is not known, so that a difference alone proves nothing; a column that the
    // model does not know does.
    let computed = model.entityVersionHashes().mapValues { Data($0) }
    if hashes.allSatisfy({ computed[$0.key] == $0.value }) || existing.isCovered(by: plan) { return stored }
    return nil
  }

  /// What of a cached model a store depends on.
  static func cleaned(_ cached: DataModel) -> DataModel {
    var model = cached
    model.fetchRequestTemplates = []
    for index in model.entities.indices {
      model.entities[index].fetchedProperties.removeAll { $0.request.unreadablePredicate != nil }
      for place in model.entities[index].attributes.indices {
        model.entities[index].attributes[place].validationRules = []
      }
      // What an archive says in fetch indexes it says in flags and groups as well, for frameworks that know no others.
      guard !model.entities[index].fetchIndexes.isEmpty else { continue }
      model.entities[index].compoundIndexes = []
      for place in model.entities[index].attributes.indices {
        model.entities[index].attributes[place].isIndexed = false
      }
    }
    return model
  }

  /// The model's places in the file. Throws where they are not there.
  private func plan(_ existing: ExistingSchema) throws -> SchemaPlan {
    let candidate = NSManagedObjectModel()
    try fill(candidate)
    return try withExtendedLifetime(candidate) {
      try SchemaPlanner.plan(ModelLayouts.of(candidate), configuration: configuration, existing: existing)
    }
  }

  /// The configuration that the file holds, where it holds only a part of the entities.
  private var configuration: String? {
    guard Set(model.entities.map(\.name)) != Set(hashes.keys) else { return nil }
    let exact = model.configurations.first { Set($0.entityNames) == Set(hashes.keys) }
    // An entity may have taken along those below it.
    let wider = model.configurations.first { configuration in
      let names = Set(configuration.entityNames)
      return names.isSubset(of: hashes.keys)
        && hashes.keys.allSatisfy { name in
          model.entity(named: name).map { model.lineage(of: $0).contains { names.contains($0.name) } } ?? false
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
  /// Whether a plan has a use for every column of the file's entities and their join tables.
  fileprivate func isCovered(by plan: SchemaPlan) -> Bool {
    let fixed = ["Z_PK", "Z_ENT", "Z_OPT"]
    return plan.tables.allSatisfy { table in
      Set(columns(of: table.name) ?? []).subtracting(fixed).isSubset(of: table.columns.map(\.name))
    }
  }
}
