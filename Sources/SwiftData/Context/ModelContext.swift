import CoreData

/// Reads, changes and saves models.
///
///     let context = ModelContext(container)
///     context.insert(Book(title: "Solaris"))
///     try context.save()
///
/// Use a context and its models on one thread or actor at a time: the one that made it, or the
/// main actor for ``ModelContainer/mainContext``. Models don't keep their context alive.
public final class ModelContext: Equatable {
  /// The container that stores the models.
  public var container: ModelContainer { owner ?? openContainer }
  /// Keeps the stores open: the container, or another one that shares its stores, if the container owns this context.
  let openContainer: ModelContainer
  /// The container that owns this context; nil for others, and once it is gone.
  private weak var owner: ModelContainer?
  /// Whether this is what another context has left. No program gets hold of it.
  let isRemains: Bool
  /// The Core Data context that does the work.
  package let managedContext: NSManagedObjectContext
  private let mergePolicy = ModelMergePolicy()
  /// What leads from models to this context.
  let reference = ContextReference()
  // Unchecked for `modelinsert`, as are those below; see CONTRIBUTING.md.
  /// Models with unsaved changes. They are kept alive until the save, because inserts and
  /// values of transient properties would be lost with them.
  @exclusivity(unchecked) private var changed: [ModelStorage] = []
  /// The first of them by what they are known by before their first save: as many as there were when a program last
  /// asked for such a model. Inserting is frequent, asking is not.
  private var changedByIdentifier: [UUID: ModelStorage] = [:]
  private var indexedCount = 0
  /// Models whose insertion was rolled back. They keep their relationships only for a while: two models that lead to
  /// each other would keep each other alive for ever.
  @exclusivity(unchecked) private var rolledBack: [ModelStorage] = []
  /// The entity that was last asked for: programs often insert many models of one class in a row.
  @exclusivity(unchecked) private var lastEntity: (type: ModelType, entity: NSEntityDescription)?
  /// Where a save by itself may be run; nil for a context that has no queue of its own.
  var autosaveQueue: ((@escaping @Sendable () -> Void) -> Void)?
  @exclusivity(unchecked) private var isAutosaveScheduled = false

  /// Makes a context for the calling thread or actor. It doesn't save automatically.
  public convenience init(_ container: ModelContainer) {
    // Core Data's confinement type, which has no queue. Its name is deprecated there, so it
    // stands here by its number.
    self.init(container, NSManagedObjectContextConcurrencyType(rawValue: 0)!)
  }

  init(_ container: ModelContainer, _ concurrencyType: NSManagedObjectContextConcurrencyType) {
    isRemains = false
    editingStateID = UUID()
    openContainer =
      concurrencyType == .mainQueueConcurrencyType ? ModelContainer(sharingStoresOf: container) : container
    managedContext = NSManagedObjectContext(concurrencyType: concurrencyType)
    reference.context = self
    managedContext.persistentStoreCoordinator = container.coordinator
    managedContext.mergePolicy = mergePolicy
    managedContext.undoManager = nil
    managedContext.userInfo[ModelContext.editingStateKey] = editingStateID
    managedContext.followInverses { object, name in
      unsafeDowncast(object, to: ModelObject.self).storage?.noteInverse(name)
    }
    for store in container.dataStores { store.beginState(editingState) }
    guard concurrencyType == .mainQueueConcurrencyType else { return }
    owner = container
    openContainer.sharedBy = self
    managedContext.automaticallyMergesChangesFromParent = true
    autosaveQueue = { block in DispatchQueue.main.async(execute: block) }
    autosaveEnabled = true
  }

  deinit {
    // Models that outlive this context keep what is left of it, which merges no more saves.
    let haveModels = managedContext.remainingObjects.contains { ($0 as? ModelObject)?.storage != nil }
    if haveModels { managedContext.automaticallyMergesChangesFromParent = false }
    reference.remains = haveModels ? ModelContext(remainsOf: self) : nil
    reference.context = reference.remains
    letGoOfChanged()
    // What is left reads by the same state.
    if !haveModels { for store in openContainer.dataStores { store.endState(editingState) } }
  }

  /// What is left of a context for the models that outlive it: they can be read, and inserted into another context.
  private init(remainsOf context: ModelContext) {
    isRemains = true
    editingStateID = context.editingStateID
    openContainer = context.openContainer
    managedContext = context.managedContext
    reference.context = self
  }

  static let editingStateKey = "SwiftDataEditingState"
  private let editingStateID: UUID
  /// Identifies the context to a ``DataStore``.
  public var editingState: EditingState { EditingState(id: editingStateID, author: author) }

  /// Whether both are the same context.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

  /// Whether the context saves automatically soon after a change: on the main queue, or on the
  /// queue of its model actor. An error is written to standard error.
  ///
  /// It is true for the main context and false for any other. If the context has no such queue,
  /// it reports that on standard error, and nothing is saved until you call `save()`.
  @exclusivity(unchecked) public var autosaveEnabled = false {
    didSet { if autosaveEnabled, hasChanges { scheduleAutosave() } }
  }

  /// The undo manager that records changes of this context; nil by default.
  public var undoManager: UndoManager? {
    get { managedContext.undoManager }
    set { managedContext.undoManager = newValue }
  }

  /// The author that the store's history records for this context's saves.
  public var author: String? {
    get { managedContext.transactionAuthor }
    set { managedContext.transactionAuthor = newValue }
  }

  // Models and their objects.

  /// The model for an object. It is made if there is none yet.
  func model<M: PersistentModel>(of object: NSManagedObject, _: M.Type) -> M {
    model(of: object, storedIn: DefaultBackingData<M>.self)
  }

  /// - Parameter kind: the class of the model's storage. Naming this type costs the runtime a
  ///   look-up, so callers name it once for many objects.
  func model<M: PersistentModel>(
    of object: NSManagedObject, storedIn kind: any BackingData<M>.Type
  ) -> M {
    let object = unsafeDowncast(object, to: ModelObject.self)
    // An object is of its entity's class, and an entity of one model type, or of one that
    // inherits from it.
    if let model = object.storage?.model(as: M.self) { return model }
    if openContainer.classes.haveSubclasses, object.entity.name != ModelType.of(M.self).name {
      return unsafeDowncast(anyModel(of: object), to: M.self)
    }
    if let made = M._modelForRow(), let storage = made.storage {
      // Generated code makes one if it is asked for its own class, and of no other.
      let model = unsafeDowncast(made.model, to: M.self)
      storage.attach(object, in: self)
      storage.setModel(model)
      return model
    }
    let data = kind.init(for: M.self)
    let storage = data.reference
    storage.attach(object, in: self)
    let model = M(backingData: data)
    storage.setModel(model)
    return model
  }

  func anyModel(of object: NSManagedObject) -> any PersistentModel {
    guard let type = openContainer.classes.byName[object.entity.name ?? ""] else {
      preconditionFailure("A context has objects of its schema's entities only.")
    }
    func open<M: PersistentModel>(_: M.Type) -> any PersistentModel { model(of: object, M.self) }
    return open(type.type)
  }

  /// The object for a model that a relationship is set to. A model that isn't in the context yet is inserted. One
  /// that is to be deleted stays so: only ``insert(_:)`` takes that back.
  func object<M: PersistentModel>(of model: M) -> ModelObject {
    let storage = model.storage
    if let object = storage.object, storage.context === self, !storage.hasLeft { return object }
    insert(model)
    // `insert` has attached the object.
    return model.storage.object!
  }

  /// Inserts a model and all models that it refers to. Nothing happens to a model that is
  /// already in this context, except that a pending deletion is cancelled. A model of another
  /// context ends the program with a message, unless that context is gone: the model then begins
  /// again here, with the values that it has.
  public func insert<T: PersistentModel>(_ model: T) {
    let storage = model.storage
    // Its insertion was undone: it begins again with the values that it has.
    if storage.hasLeft {
      storage.keepValues()
      storage.detach(deleted: false)
    }
    if let object = storage.object {
      if storage.context !== self {
        guard storage.context?.isLeftBehind == true else {
          misuse(.otherContext(storage, "insert(_:)"))
        }
        return takeOver(object)
      }
      if object.isDeleted { managedContext.insert(object) }
      return
    }
    begin(model, storage)
    insertDestinations(of: storage)
    storage.moveValuesToObject()
  }

  private func begin(_ model: any PersistentModel, _ storage: ModelStorage) {
    let object = ModelObject(entity: entity(of: storage.type), insertInto: managedContext)
    storage.attach(object, in: self)
    noteChange(of: storage, model)
  }

  /// Inserts the new models that a model leads to, each after those that it leads to in turn. A list takes the place of
  /// calls, since a chain of models may be longer than the stack is deep.
  private func insertDestinations(of storage: ModelStorage) {
    let destinations = storage.newDestinations
    if destinations.isEmpty { return }
    var path = [(storage: storage, rest: destinations[...])]
    while let last = path.indices.last {
      guard let next = path[last].rest.popFirst() else {
        // The first one's values follow when this ends.
        if last > 0 { path[last].storage.moveValuesToObject() }
        path.removeLast()
        continue
      }
      let storage = next.storage
      // It may have been reached on another way in the meantime.
      if storage.object != nil { continue }
      begin(next, storage)
      path.append((storage, storage.newDestinations[...]))
    }
  }

  /// Whether the context is gone, or the container that owned it, in which case it may still wait to save by itself.
  var isLeftBehind: Bool { isRemains || managedContext.concurrencyType == .mainQueueConcurrencyType && owner == nil }

  /// Inserts new objects with the values of an object of a context that is gone, and of all that it leads to. Their
  /// models stand for the new objects from now on.
  private func takeOver(_ first: ModelObject) {
    var copies: [NSManagedObject: ModelObject] = [:]
    var waiting: [ModelObject] = []
    func copy(of former: NSManagedObject) -> ModelObject? {
      if let known = copies[former] { return known }
      guard let type = openContainer.classes.byName[former.entity.name ?? ""] else { return nil }
      let copy = ModelObject(entity: entity(of: type), insertInto: managedContext)
      copies[former] = copy
      // All objects of a schema's entities are of this class.
      waiting.append(unsafeDowncast(former, to: ModelObject.self))
      return copy
    }
    _ = copy(of: first)
    while let former = waiting.popLast(), let new = copies[former] {
      for name in new.entity.attributesByName.keys { new.setValue(former.value(forKey: name), forKey: name) }
      for (name, relationship) in new.entity.relationshipsByName {
        if relationship.isToMany {
          let members = former.value(forKey: name) as? Set<NSManagedObject> ?? []
          new.setValue(Set(members.compactMap(copy)), forKey: name)
        } else {
          new.setValue((former.value(forKey: name) as? NSManagedObject).flatMap(copy), forKey: name)
        }
      }
    }
    // Only now: the former context goes with the last storage that it was left for.
    for (former, new) in copies {
      guard let storage = unsafeDowncast(former, to: ModelObject.self).storage else { continue }
      storage.attach(new, in: self)
      noteChange(of: storage)
    }
  }

  private func entity(of type: ModelType) -> NSEntityDescription {
    if let lastEntity, lastEntity.type === type { return lastEntity.entity }
    guard let entity = openContainer.entities[ObjectIdentifier(type)] else { misuse(.notInSchema(type, openContainer)) }
    lastEntity = (type, entity)
    return entity
  }

  /// Deletes a model when the context is next saved. A model that was never inserted stays as it is.
  public func delete<T: PersistentModel>(_ model: T) {
    let storage = model.storage
    guard let object = storage.object, !storage.hasLeft else { return }
    if storage.context !== self { misuse(.otherContext(storage, "delete(_:)")) }
    noteChange(of: storage)
    managedContext.delete(object)
  }

  /// Deletes all models of a class that meet a condition, with the next save.
  ///
  /// - Parameter includeSubclasses: whether models of subclasses are deleted too.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    let request = try request(FetchDescriptor<T>(predicate: predicate))
    request.includesSubentities = includeSubclasses
    for object in try managedContext.fetch(request) { delete(self.model(of: object, T.self)) }
  }

  /// The model with an identity. Its values are read when you ask for them; by then it may turn
  /// out to be deleted.
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

  /// The model with an identity, if this context already has it.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    if let model = changedModel(persistentModelID) { return model as? T }
    guard let objectID = objectID(of: persistentModelID),
      let object = managedContext.registeredObject(for: objectID) as? ModelObject
    else { return nil }
    return object.storage?.model as? T
  }

  func objectID(of identifier: PersistentIdentifier) -> NSManagedObjectID? {
    if let objectID = identifier.objectID,
      objectID.persistentStore?.persistentStoreCoordinator === openContainer.coordinator
    {
      return objectID
    }
    if identifier.isTemporary { return changedModel(identifier)?.storage.object?.objectID }
    if let store = openContainer.dataStores.first(where: { $0.isOwn(identifier) }) {
      return store.objectID(of: identifier)
    }
    return URL(string: identifier.uri).flatMap(openContainer.coordinator.managedObjectID(forURIRepresentation:))
  }

  private func changedModel(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
    guard let key = identifier.temporaryIdentifier else { return nil }
    for storage in changed[indexedCount...] { changedByIdentifier[storage.temporaryIdentifier] = storage }
    indexedCount = changed.count
    guard let storage = changedByIdentifier[key], storage.identifier == identifier else { return nil }
    return storage.model
  }

  // Changes.

  /// - Parameter model: the storage's model, if it is at hand.
  func noteChange(of storage: ModelStorage, _ model: (any PersistentModel)? = nil) {
    if storage.retainModel(model, for: self) { changed.append(storage) }
    if autosaveEnabled { scheduleAutosave() }
  }

  private func letGoOfChanged() {
    let former = changed
    changed = []
    changedByIdentifier = [:]
    indexedCount = 0
    for storage in former { storage.releaseModel(for: self) }
    for storage in rolledBack { storage.dropRelationships() }
    rolledBack = []
  }

  private func scheduleAutosave() {
    if isAutosaveScheduled { return }
    isAutosaveScheduled = true
    nonisolated(unsafe) weak let context = self
    // A main context goes with its container, but not before it has saved.
    nonisolated(unsafe) let waiting = openContainer.sharedBy
    if let autosaveQueue { return autosaveQueue { (waiting ?? context)?.saveByItself() } }
    if isOnMainQueue() { return DispatchQueue.main.async { context?.saveByItself() } }
    // Reported once, since `isAutosaveScheduled` stays true: no automatic save will reset it.
    warn(
      MisuseReport(
        "A context that should save by itself has no queue to do so.",
        facts: [("Context", "made by ModelContext(_:), and changed off the main queue")],
        how: "autosaveEnabled is true, and the context has no queue of its own.",
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
          how: "autosaveEnabled is true, and no call waits for such a save.",
          remedy: "Correct the models, or set autosaveEnabled to false and call save()."))
    }
  }

  /// Whether the context has unsaved changes.
  public var hasChanges: Bool { managedContext.hasChanges }
  /// Core Data has a new object that was deleted among the inserted ones until the event ends.
  private var insertedObjects: Set<NSManagedObject> { managedContext.insertedObjects.filter { !$0.isDeleted } }
  /// Inserted models that aren't saved yet.
  public var insertedModelsArray: [any PersistentModel] { insertedObjects.map(anyModel) }
  /// Models with unsaved changes.
  public var changedModelsArray: [any PersistentModel] { managedContext.updatedObjects.map(anyModel) }
  /// Models that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] { managedContext.deletedObjects.map(anyModel) }

  /// Applies delete rules now, and registers the changes so far with the undo manager.
  public func processPendingChanges() { managedContext.processPendingChanges() }

  /// The storage that connects an object with its model; nil if no model was made for the
  /// object.
  private func storage(of object: NSManagedObject) -> ModelStorage? {
    unsafeDowncast(object, to: ModelObject.self).storage
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
    // The deleted models have to be updated after the save. The other lists are needed only if
    // somebody observes saves, or if a uniqueness constraint can replace a new model by
    // another one.
    let changes =
      isHeard || openContainer.classes.haveUniqueValues
      ? managedContext.listedChanges : (inserted: [], updated: [], deleted: Array(managedContext.deletedObjects))
    // Keep the storages, not the models: the models live until the save ends anyway, and
    // updated objects may have none.
    let inserted = changes.inserted.map { (unsafeDowncast($0, to: ModelObject.self), storage(of: $0)) }
    let updated = changes.updated.map { (unsafeDowncast($0, to: ModelObject.self), storage(of: $0)) }
    // Of deleted ones only models that a program may still have.
    let deleted = changes.deleted.map { (storage(of: $0), $0.objectID) }
    for (storage, _) in deleted { storage?.keepValues() }
    defer { mergePolicy.forgetSuccessors() }
    do {
      try managedContext.save()
    } catch {
      for (storage, _) in deleted { storage?.dropValues() }
      throw error
    }
    let replaced = openContainer.classes.haveUniqueValues ? followSuccessors(inserted) : []
    for (storage, _) in deleted { storage?.detach(deleted: true) }
    guard isHeard else { return letGoOfChanged() }
    let new = inserted.filter { $0.0.managedObjectContext != nil }.map { PersistentIdentifier($0.0.objectID) }
    let old = updated.map { PersistentIdentifier($0.0.objectID) }
    let known = Set(new + old)
    let userInfo: [AnyHashable: Any] = [
      NotificationKey.insertedIdentifiers.rawValue: new,
      // One that a stored one has replaced, by its unique values, is an update of that.
      NotificationKey.updatedIdentifiers.rawValue: old + replaced.map(\.identifier).filter { !known.contains($0) },
      NotificationKey.deletedIdentifiers.rawValue: deleted.filter { !$1.isTemporaryID }.map {
        PersistentIdentifier($1)
      },
    ]
    letGoOfChanged()
    NotificationCenter.default.post(name: ModelContext.didSave, object: self, userInfo: userInfo)
  }

  /// Called after a save. From now on each new model whose object another one has replaced, by its unique values,
  /// stands for that. If the program has a model of that already, or if it is of a subclass, the replaced model is
  /// detached.
  ///
  /// - Returns: The models that stand for another object.
  private func followSuccessors(_ inserted: [(ModelObject, ModelStorage?)]) -> [ModelStorage] {
    var following: [ModelStorage] = []
    for case (let object, let storage?) in inserted where object.managedObjectContext == nil {
      if let found = mergePolicy.successor(of: object) as? ModelObject, found.storage?.endsWithSave != false,
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

  // Notifications.

  /// Posted before a save, with the context as its object.
  public static let willSave = Notification.Name("NSModelContextWillSave")
  /// Posted after a save, with the context as its object. The user info has an array of
  /// ``PersistentIdentifier`` under the raw value of each ``NotificationKey``.
  public static let didSave = Notification.Name("NSModelContextDidSave")

  /// The keys of a notification's user info, which programs also write as their texts.
  public enum NotificationKey: String, Sendable {
    /// The models that the save inserted.
    case insertedIdentifiers = "inserted"
    /// The models that the save updated.
    case updatedIdentifiers = "updated"
    /// The models that the save deleted.
    case deletedIdentifiers = "deleted"
    /// Never set here, because a save names the models that it changed.
    case invalidatedAllIdentifiers
    /// Never set here, because a context always reads the stores' current state.
    case queryGeneration
  }
}

extension MisuseReport {
  fileprivate static func otherContext(_ storage: ModelStorage, _ call: String) -> MisuseReport {
    MisuseReport(
      "A model of another context was used.",
      facts: [("Call", "ModelContext.\(call)"), ("Model", "\(storage.type.name) \(storage.identifier.uri)")],
      how: storage.visibleContext == nil
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
