import CoreData

/// Models that are read, changed and saved together.
///
/// A context, and its models, are used by one thread or actor at a time: by whoever made it, or by the main actor for
/// ``ModelContainer/mainContext``. Models do not keep their context alive.
public final class ModelContext: Equatable {
  /// Where the models are stored.
  public let container: ModelContainer
  /// The context of Core Data's that does the work.
  package let managedContext: NSManagedObjectContext
  /// Models with changes live until these are saved: an insert, and what is not persistent, would be lost.
  @exclusivity(unchecked) private var changed: [ModelStorage] = []
  /// Where a save that nobody has asked for may be run; nil for a context that belongs to whoever uses it.
  var autosaveQueue: ((@escaping @Sendable () -> Void) -> Void)?
  @exclusivity(unchecked) private var isAutosaveScheduled = false

  /// A context that belongs to whoever makes it.
  public convenience init(_ container: ModelContainer) {
    // Core Data's kind without a queue, which is deprecated there.
    self.init(container, NSManagedObjectContextConcurrencyType(rawValue: 0)!)
  }

  init(_ container: ModelContainer, _ concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.container = container
    managedContext = NSManagedObjectContext(concurrencyType: concurrencyType)
    managedContext.persistentStoreCoordinator = container.coordinator
    managedContext.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    managedContext.undoManager = nil
    managedContext.userInfo[ModelContext.editingStateKey] = editingStateID
    managedContext.followInverses { object, name in
      unsafeDowncast(object, to: ModelObject.self).storage?.noteInverse(name)
    }
    for store in container.dataStores { store.beginState(editingState) }
    guard concurrencyType == .mainQueueConcurrencyType else { return }
    managedContext.automaticallyMergesChangesFromParent = true
    autosaveQueue = { block in DispatchQueue.main.async(execute: block) }
    autosaveEnabled = true
  }

  deinit {
    for store in container.dataStores { store.endState(editingState) }
    for object in managedContext.registeredObjects { (object as? ModelObject)?.storage?.abandon() }
    letGoOfChanged()
  }

  static let editingStateKey = "SwiftDataEditingState"
  private let editingStateID = UUID()
  /// What stores of one's own know the context by.
  public var editingState: EditingState { EditingState(id: editingStateID, author: author) }

  /// Whether they are the same.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

  /// Whether a save follows changes by itself, when the main queue, or the model actor's, next has time. What stands in
  /// its way is written to standard error.
  ///
  /// True for the main context, false for any other. A context that is changed elsewhere has no queue to save on: it
  /// says so on standard error, and waits for `save()`.
  @exclusivity(unchecked) public var autosaveEnabled = false {
    didSet { if autosaveEnabled, hasChanges { scheduleAutosave() } }
  }

  /// What changes are registered with, to be undone; nil by default.
  public var undoManager: UndoManager? {
    get { managedContext.undoManager }
    set { managedContext.undoManager = newValue }
  }

  /// Who makes the context's changes, in the stores' history.
  public var author: String? {
    get { managedContext.transactionAuthor }
    set { managedContext.transactionAuthor = newValue }
  }

  // Models and their objects.

  /// The model for an object, made if there is none.
  func model<M: PersistentModel>(of object: NSManagedObject, _: M.Type) -> M {
    model(of: object, storedIn: DefaultBackingData<M>.self)
  }

  /// - Parameter kind: the class's storage. To name it costs the runtime a look-up, which many objects share.
  func model<M: PersistentModel>(
    of object: NSManagedObject, storedIn kind: any BackingData<M>.Type
  ) -> M {
    let object = unsafeDowncast(object, to: ModelObject.self)
    // An object is of its entity's class, and an entity of one model type, or of one that
    // inherits from it.
    if let model = object.storage?.model(as: M.self) { return model }
    if container.classes.haveSubclasses, object.entity.name != ModelType.of(M.self).name {
      return unsafeDowncast(anyModel(of: object), to: M.self)
    }
    let data = kind.init(for: M.self)
    let storage = data.reference
    storage.attach(object, in: self)
    let model = M(backingData: data)
    storage.setModel(model)
    return model
  }

  func anyModel(of object: NSManagedObject) -> any PersistentModel {
    guard let type = container.classes.byName[object.entity.name ?? ""] else {
      preconditionFailure("A context has objects of its schema's entities only.")
    }
    func open<M: PersistentModel>(_: M.Type) -> any PersistentModel { model(of: object, M.self) }
    return open(type.type)
  }

  /// The object for a model, which is inserted if it was not.
  func object<M: PersistentModel>(of model: M) -> ModelObject {
    insert(model)
    // `insert` has attached it.
    return model.storage.object!
  }

  /// Inserts a model, and with it all that it refers to. A model of this context stays what it is, and one that was to
  /// be deleted stays.
  public func insert<T: PersistentModel>(_ model: T) {
    let storage = model.storage
    // Its insertion was undone: it begins again with the values that it has.
    if storage.hasLeft { storage.detach(keeping: storage.valuesOfAttributes(), deleted: false) }
    if let object = storage.object {
      if storage.context !== self { misuse(.otherContext(storage, "insert(_:)")) }
      if object.isDeleted { managedContext.insert(object) }
      return
    }
    guard let entity = container.entities[ObjectIdentifier(storage.type)] else {
      misuse(.notInSchema(storage.type, container))
    }
    let object = ModelObject(entity: entity, insertInto: managedContext)
    let values = storage.attach(object, in: self)
    storage.setModel(model)
    let properties = storage.type.properties
    for place in values.indices {
      if let value = values[place] { properties[place].access.writeAny(value, object, storage) }
    }
    noteChange(of: storage)
  }

  /// Deletes a model when the context is next saved. A model that was never inserted stays as it is.
  public func delete<T: PersistentModel>(_ model: T) {
    let storage = model.storage
    guard let object = storage.object, !storage.hasLeft else { return }
    if storage.context !== self { misuse(.otherContext(storage, "delete(_:)")) }
    noteChange(of: storage)
    managedContext.delete(object)
  }

  /// Deletes all models of a class that a predicate is true of, when the context is next saved.
  ///
  /// - Parameter includeSubclasses: whether those of classes that inherit from it are deleted too.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    let request = try request(FetchDescriptor<T>(predicate: predicate))
    request.includesSubentities = includeSubclasses
    for object in try managedContext.fetch(request) { delete(self.model(of: object, T.self)) }
  }

  /// A model by its identity; its values are read when they are asked for, and it may turn out to be gone by then.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if let model = changedModel(persistentModelID) { return model }
    guard let objectID = objectID(of: persistentModelID) else {
      misuse(
        MisuseReport(
          "No store of the container has a model of this identity.", facts: [("Identity", persistentModelID.uri)],
          how: "It is of another store, or of a model that was never saved.",
          remedy: "Save the model before its identity is handed on, or use registeredModel(for:)."))
    }
    return anyModel(of: managedContext.object(with: objectID))
  }

  /// A model by its identity, if the context has it already.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    if let model = changedModel(persistentModelID) { return model as? T }
    guard let objectID = objectID(of: persistentModelID),
      let object = managedContext.registeredObject(for: objectID) as? ModelObject
    else { return nil }
    return object.storage?.model as? T
  }

  func objectID(of identifier: PersistentIdentifier) -> NSManagedObjectID? {
    if let objectID = identifier.objectID,
      objectID.persistentStore?.persistentStoreCoordinator === container.coordinator
    {
      return objectID
    }
    if identifier.isTemporary { return changedModel(identifier)?.storage.object?.objectID }
    if let store = container.dataStores.first(where: { $0.isOwn(identifier) }) { return store.objectID(of: identifier) }
    return URL(string: identifier.uri).flatMap(container.coordinator.managedObjectID(forURIRepresentation:))
  }

  private func changedModel(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
    guard identifier.isTemporary else { return nil }
    return changed.first { $0.identifier == identifier }?.model
  }

  // Changes.

  func noteChange(of storage: ModelStorage) {
    if storage.keepModel(for: self) { changed.append(storage) }
    if autosaveEnabled { scheduleAutosave() }
  }

  private func letGoOfChanged() {
    let former = changed
    changed = []
    for storage in former { storage.letGoOfModel(for: self) }
  }

  private func scheduleAutosave() {
    if isAutosaveScheduled { return }
    isAutosaveScheduled = true
    nonisolated(unsafe) weak let context = self
    if let autosaveQueue { return autosaveQueue { context?.saveByItself() } }
    if isOnMainQueue() { return DispatchQueue.main.async { context?.saveByItself() } }
    // Said once: no save will follow that could set `isAutosaveScheduled` back.
    warn(
      MisuseReport(
        "A context that should save by itself has no queue to do so.",
        facts: [("Context", "made by ModelContext(_:), and changed off the main queue")],
        how: "autosaveEnabled is true, and the context belongs to whoever uses it.",
        remedy: "Call save(), or use the container's mainContext or a @ModelActor."))
  }

  private func saveByItself() {
    isAutosaveScheduled = false
    guard autosaveEnabled, hasChanges else { return }
    do {
      try save()
    } catch {
      warn(
        MisuseReport(
          "A context could not save by itself.", facts: [("Error", "\(error)")],
          how: "autosaveEnabled is true, and nobody waits for such a save.",
          remedy: "Correct the models, or set autosaveEnabled to false and call save()."))
    }
  }

  /// Whether there is anything to save.
  public var hasChanges: Bool { managedContext.hasChanges }
  /// The models that will be written for the first time.
  public var insertedModelsArray: [any PersistentModel] { managedContext.insertedObjects.map(anyModel) }
  /// The models that were changed since they were saved.
  public var changedModelsArray: [any PersistentModel] { managedContext.updatedObjects.map(anyModel) }
  /// The models that will be deleted.
  public var deletedModelsArray: [any PersistentModel] { managedContext.deletedObjects.map(anyModel) }

  /// Applies delete rules, and registers what was changed with the undo manager.
  public func processPendingChanges() { managedContext.processPendingChanges() }

  /// What stands between an object and its model; nil for an object that no program has as a model.
  private func storage(of object: NSManagedObject) -> ModelStorage? {
    unsafeDowncast(object, to: ModelObject.self).storage
  }

  /// Writes all changes to the stores, or none, and throws what is in the way.
  public func save() throws {
    guard hasChanges else { return }
    NotificationCenter.default.post(name: ModelContext.willSave, object: self)
    managedContext.processPendingChanges()
    let isHeard = NotificationObservers.areThere(for: ModelContext.didSave)
    // Deletions concern models; of the others only observers hear, and new ones may give way to stored ones.
    let changes =
      isHeard || container.classes.haveUniqueValues
      ? managedContext.listedChanges : (inserted: [], updated: [], deleted: Array(managedContext.deletedObjects))
    // Their storages: the models themselves live until the save is over, and updated objects may have none.
    let inserted = changes.inserted.map { (unsafeDowncast($0, to: ModelObject.self), storage(of: $0)) }
    let updated = changes.updated.map { (unsafeDowncast($0, to: ModelObject.self), storage(of: $0)) }
    let deleted = changes.deleted.map { object in
      // Only of models that a program may still have.
      (
        (object as? ModelObject)?.storage, (object as? ModelObject)?.storage?.valuesOfAttributes() ?? [],
        object.objectID
      )
    }
    try managedContext.save()
    for (object, storage) in inserted where object.managedObjectContext == nil {
      if let storage { followStored(storage) }
    }
    for (storage, values, _) in deleted { storage?.detach(keeping: values, deleted: true) }
    guard isHeard else { return letGoOfChanged() }
    let userInfo: [AnyHashable: Any] = [
      NotificationKey.insertedIdentifiers.rawValue: inserted.map {
        $1?.identifier ?? PersistentIdentifier($0.objectID)
      },
      NotificationKey.updatedIdentifiers.rawValue: updated.map { $1?.identifier ?? PersistentIdentifier($0.objectID) },
      NotificationKey.deletedIdentifiers.rawValue: deleted.filter { !$0.2.isTemporaryID }.map {
        PersistentIdentifier($0.2)
      },
    ]
    letGoOfChanged()
    NotificationCenter.default.post(name: ModelContext.didSave, object: self, userInfo: userInfo)
  }

  /// A new model with the unique values of a stored one has given that one its values, and its object has gone: from
  /// now on it stands for the stored object. Where another model does so already, it is of no context again.
  private func followStored(_ storage: ModelStorage) {
    if let object = stored(like: storage), object.storage == nil {
      storage.attach(object, in: self)
    } else {
      storage.detach(keeping: storage.valuesOfAttributes(), deleted: false)
    }
  }

  private func stored(like storage: ModelStorage) -> ModelObject? {
    guard let object = storage.object else { return nil }
    for names in storage.type.uniquenessConstraints(all: true) {
      let values = names.compactMap { name in
        storage.type.property(named: name)?.isRelationship == false ? object.value(forKey: name) : nil
      }
      guard values.count == names.count else { continue }
      let request = NSFetchRequest<NSManagedObject>(entityName: storage.type.name)
      request.predicate = NSCompoundPredicate(
        andPredicateWithSubpredicates: zip(names, values).map {
          NSPredicate(format: "%K == %@", argumentArray: [$0, $1])
        })
      do {
        if let found = try managedContext.fetch(request).first as? ModelObject { return found }
      } catch {
        warn(
          MisuseReport(
            "The stored row of a \(storage.type.name) was not found again after it was saved.",
            facts: [("Unique", names.joined(separator: ", ")), ("Error", "\(error)")],
            how: "The model has updated a stored one, whose place it takes, and the store did not answer. What was "
              + "saved is in the store; the model is of no context.",
            remedy: "Fetch the model again."))
      }
    }
    return nil
  }

  /// Runs a block, and saves.
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }

  /// Drops all changes: inserted models are of no context again, deleted ones are there again, and others have the
  /// values that were saved.
  public func rollback() {
    let inserted = managedContext.insertedObjects.compactMap { ($0 as? ModelObject)?.storage }
    let values = inserted.map { $0.valuesOfAttributes() }
    managedContext.rollback()
    for (storage, values) in zip(inserted, values) { storage.detach(keeping: values, deleted: false) }
    letGoOfChanged()
  }

  // Notifications.

  /// Posted before a save, with the context as its object.
  public static let willSave = Notification.Name("NSModelContextWillSave")
  /// Posted after a save, with the context as its object. Under each ``NotificationKey``'s raw value the user info has
  /// an array of ``PersistentIdentifier``.
  public static let didSave = Notification.Name("NSModelContextDidSave")

  /// The keys of a notification's user info.
  public enum NotificationKey: String {
    /// Which models were written for the first time.
    case insertedIdentifiers
    /// Which models were changed.
    case updatedIdentifiers
    /// Which models were deleted.
    case deletedIdentifiers
    /// Nothing is under it here: a save names the models that it has changed.
    case invalidatedAllIdentifiers
    /// Nothing is under it here: a context always reads what the stores have now.
    case queryGeneration
  }
}

extension MisuseReport {
  fileprivate static func otherContext(_ storage: ModelStorage, _ call: String) -> MisuseReport {
    MisuseReport(
      "A model of another context was used.",
      facts: [("Call", "ModelContext.\(call)"), ("Model", "\(storage.type.name) \(storage.identifier.uri)")],
      how: storage.context == nil
        ? "The model's context is gone." : "A model belongs to the context that inserted or fetched it.",
      remedy: "Hand on its `persistentModelID`, and ask the context for the model: `context.model(for: id)`.")
  }

  fileprivate static func notInSchema(_ type: ModelType, _ container: ModelContainer) -> MisuseReport {
    MisuseReport(
      "The container's schema does not have the model \(String(reflecting: type.type)).",
      facts: [("Schema", container.schema.types.map { String(reflecting: $0.type) }.joined(separator: ", "))],
      how: "The container was made for other classes, or for another version of this one.",
      remedy: "Name the class where the container is made: `ModelContainer(for: \(type.name).self)`.")
  }
}
