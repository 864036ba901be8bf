/// The common part of both kinds of custom stores.
extension NSPersistentStore {
  /// Takes the UUID from the metadata that the subclass has set. Throws an error that says what is missing.
  final func takeUUID() throws {
    let found = metadata ?? [:]
    guard let type = found[NSStoreTypeKey] as? String, !type.isEmpty else {
      throw broken("loadMetadata()", "the metadata has no \(NSStoreTypeKey)")
    }
    guard let uuid = found[NSStoreUUIDKey] as? String, !uuid.isEmpty else {
      throw broken("loadMetadata()", "the metadata has no \(NSStoreUUIDKey)")
    }
    guard URL(string: "x-coredata://\(uuid)/Entity/p1")?.host != nil else {
      throw broken("loadMetadata()", "the \(NSStoreUUIDKey) \"\(uuid)\" can't stand in a URL")
    }
    identity.uuid = uuid
    // An identifier that the subclass has set while it loaded is no news to it.
    hasNewMetadata = false
  }

  /// Throws if the store's metadata is of another version of the model. Metadata without hashes gets those of this
  /// model, which are written with the next save; so does metadata whose version is to be ignored.
  final func checkVersion(of model: NSManagedObjectModel) throws {
    let hashes = model.versionHashesByName(forConfigurationName: configuration) ?? [:]
    guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else {
      metadata.merge(ModelMetadata.entries(for: model, configuration: configuration)) { $1 }
      return
    }
    let difference = Failure.Difference(stored: stored, model: hashes)
    if difference.isEmpty { return }
    if options?.flag(NSIgnorePersistentStoreVersioningOption) == true {
      // From now on the store belongs to this model.
      if !isReadOnly { metadata.merge(ModelMetadata.entries(for: model, configuration: configuration)) { $1 } }
      return
    }
    // If the class can read a file's metadata before opening it, the migration has been done by now.
    if let url, options?.flag(NSMigratePersistentStoresAutomaticallyOption) == true {
      throw Failure.migrationUnavailable(url: url, metadata: metadata, difference: difference)
    }
    throw Failure.incompatibleModel(url: url, metadata: metadata, difference: difference)
  }

  /// Runs a save, which writes the metadata as well. If it fails, they wait for the next one.
  final func writingMetadata(_ body: () throws -> SaveOutcome) throws -> SaveOutcome {
    let isNew = hasNewMetadata
    hasNewMetadata = false
    var isSaved = false
    defer { if !isSaved, isNew { hasNewMetadata = true } }
    let outcome = try body()
    if case .saved = outcome { isSaved = true }
    return outcome
  }

  /// Makes URIs show references.
  final func followReferences(_ references: ReferenceTable, makes: Bool) {
    identity.referenceText = { references.text(of: $0) }
    identity.referenceKey = { text, layout in references.key(ofText: text, of: layout, makes: makes) }
  }

  final func id(
    of entity: NSEntityDescription, reference: Any, in layouts: ModelLayouts, _ references: ReferenceTable
  ) -> NSManagedObjectID {
    guard let layout = layouts.layout(of: entity) else {
      misuse(
        "The entity \(entity.name ?? "without a name") is not part of the model of the store \(identity.uuid).")
    }
    return NSManagedObjectID(layout: layout, key: references.key(for: reference, of: layout), store: identity)
  }

  final func reference(of id: NSManagedObjectID, in references: ReferenceTable) -> Any {
    guard id.storeIdentity === identity || id.storeIdentity?.uuid == identity.uuid,
      let reference = references.reference(of: id.key, id.layout)
    else {
      misuse("\(id) is not an id of the store \(identity.uuid), so the store has no reference object for it.")
    }
    return reference
  }
}
