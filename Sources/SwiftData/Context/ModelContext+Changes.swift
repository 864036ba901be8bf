import CoreData

/// What has changed since the last save.
extension ModelContext {
  /// - Parameter model: the storage's model, if it is at hand.
  func noteChange(of storage: ModelStorage, _ model: (any PersistentModel)? = nil) {
    if storage.retainModel(model, for: self) { changed.append(storage) }
    saveSoon()
  }

  /// Nothing is changed any more.
  func letGoOfChanged() {
    let former = changed.takeAll()
    for storage in former { storage.releaseModel(for: self) }
    for storage in rolledBack { storage.dropRelationships() }
    rolledBack = []
  }

  /// Whether the context has unsaved changes.
  public var hasChanges: Bool {
    forgetErased()
    return managedContext.hasChanges
  }
  /// Core Data has a new object that was deleted among the inserted ones until the event ends.
  var insertedObjects: Set<NSManagedObject> { managedContext.insertedObjects.filter { !$0.isDeleted } }
  /// Inserted models that aren't saved yet.
  public var insertedModelsArray: [any PersistentModel] { insertedObjects.map(anyModel) }
  /// Models with unsaved changes.
  public var changedModelsArray: [any PersistentModel] { managedContext.updatedObjects.map(anyModel) }
  /// Models that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] { managedContext.deletedObjects.map(anyModel) }

  /// Applies delete rules now, and registers the changes so far with the undo manager.
  public func processPendingChanges() { managedContext.processPendingChanges() }
}
