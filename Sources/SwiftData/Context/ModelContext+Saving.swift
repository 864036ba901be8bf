import CoreData

/// Saving, rolling back, and starting over after the stores were erased.
extension ModelContext {
  /// The storage that connects an object with its model; nil if no model was made for the
  /// object.
  private func storage(of object: NSManagedObject) -> ModelStorage? {
    unsafeDowncast(object, to: ModelObject.self).storage
  }

  /// A new model's object. The storage is nil if no model was made for it.
  private struct Insertion {
    let object: ModelObject
    let storage: ModelStorage?
  }

  /// What is left of a deleted model.
  private struct Deletion {
    let storage: ModelStorage?
    let id: NSManagedObjectID
  }

  /// Saves all changes, or none if it throws.
  ///
  /// Throws a `CocoaError`: a model isn't valid, the store has other values than the ones you
  /// changed, or it can't be written.
  public func save() throws {
    // What was inserted and deleted since the last save is no change any more.
    guard hasChanges else { return letGoOfChanged() }
    NotificationCenter.default.post(name: ModelContext.willSave, object: self)
    managedContext.processPendingChanges()
    let isHeard = NotificationObservers.areThere(for: ModelContext.didSave)
    // The deleted models have to be updated after the save. The other lists are needed only if saves have observers,
    // or if a uniqueness constraint can replace a new model by another one.
    let changes =
      isHeard || openContainer.classes.haveUniqueValues
      ? managedContext.listedChanges : (inserted: [], updated: [], deleted: Array(managedContext.deletedObjects))
    // Keep the storages, not the models: the models live until the save ends anyway.
    let inserted = changes.inserted.map {
      Insertion(object: unsafeDowncast($0, to: ModelObject.self), storage: storage(of: $0))
    }
    let updated = changes.updated
    let deleted = changes.deleted.map { Deletion(storage: storage(of: $0), id: $0.objectID) }
    // A model that ends with the save may still be asked by its own `deinit`; files are not read for that.
    for case let storage? in deleted.lazy.map(\.storage) { storage.keepValues(withFiles: !storage.endsWithSave) }
    defer { mergePolicy.forgetSuccessors() }
    do {
      try managedContext.save()
    } catch {
      for deletion in deleted { deletion.storage?.dropValues() }
      throw error
    }
    let replaced = openContainer.classes.haveUniqueValues ? followSuccessors(inserted) : []
    for deletion in deleted { deletion.storage?.detach(deleted: true) }
    guard isHeard else { return letGoOfChanged() }
    let new = inserted.filter { $0.object.managedObjectContext != nil }.map { PersistentIdentifier($0.object.objectID) }
    let old = updated.map { PersistentIdentifier($0.objectID) }
    let known = Set(new + old)
    var userInfo: [AnyHashable: Any] = [
      NotificationKey.insertedIdentifiers.rawValue: new,
      // One that a stored one has replaced, by its unique values, is an update of that.
      NotificationKey.updatedIdentifiers.rawValue: old + replaced.map(\.identifier).filter { !known.contains($0) },
      NotificationKey.deletedIdentifiers.rawValue: deleted.filter { !$0.id.isTemporaryID }.map {
        PersistentIdentifier($0.id)
      },
    ]
    if let token = openContainer.coordinator.currentPersistentHistoryToken(fromStores: nil) {
      userInfo[NotificationKey.historyTokens.rawValue] = DefaultHistoryToken(token.numbers)
    }
    letGoOfChanged()
    NotificationCenter.default.post(name: ModelContext.didSave, object: self, userInfo: userInfo)
  }

  /// Called after a save. From now on each new model whose object another one has replaced, by its unique values,
  /// stands for that. If the program has a model of that already, or if it is of a subclass, the replaced model is
  /// detached.
  ///
  /// - Returns: The models that stand for another object.
  private func followSuccessors(_ inserted: [Insertion]) -> [ModelStorage] {
    var following: [ModelStorage] = []
    for insertion in inserted where insertion.object.managedObjectContext == nil {
      guard let storage = insertion.storage else { continue }
      if let found = mergePolicy.successor(of: insertion.object) as? ModelObject, found.storage?.endsWithSave != false,
        found.entity.name == storage.type.name
      {
        found.storage?.detach(deleted: false)
        storage.attach(found, in: self)
        following.append(storage)
      } else {
        storage.keepValues()
        storage.detach(deleted: false)
      }
    }
    return following.filter { $0.object != nil }
  }

  /// Runs a block, then saves.
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }

  /// Discards all unsaved changes: inserted models leave the context, deleted ones come back,
  /// and changed ones have their saved values again.
  ///
  /// A model that leaves keeps its values for another insertion, and its relationships until this context's next save
  /// or rollback.
  public func rollback() {
    let inserted = insertedObjects.compactMap { ($0 as? ModelObject)?.storage }
    for storage in inserted { storage.keepValues(withRelationships: true) }
    managedContext.rollback()
    for storage in inserted { storage.detach(deleted: false) }
    letGoOfChanged()
    rolledBack = inserted
  }
  /// Lets go of all models if the stores were erased since the last call. Who inserts, fetches or saves calls it first.
  func forgetErased() {
    let count = openContainer.ownStores.erasureCount.load(ordering: .acquiring)
    if count == seenErasures { return }
    seenErasures = count
    rollback()
    // What can be read without a store: the rows are gone.
    for object in managedContext.objectsWithValues {
      if let storage = storage(of: object), storage.model != nil { storage.keepValues(withFiles: false) }
    }
    for object in managedContext.remainingObjects { storage(of: object)?.detach(deleted: true) }
    managedContext.reset()
  }
}
