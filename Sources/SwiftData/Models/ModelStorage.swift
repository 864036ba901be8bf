import CoreData

/// The part of a model's storage that doesn't depend on the model's class.
///
///     detached --insert--> attached --a saved deletion, a rolled back insert, beginAgain--> detached
///                             |
///                             +--the context's end--> abandoned --insert--> attached
///
/// Detached, the values are in `values`. Attached, they are in `object`. Abandoned, they still are, and can be read; an
/// insertion into another context takes them from there.
@usableFromInline
class ModelStorage {
  // What a reading looks at comes first: it is in one line of the processor's cache. Unchecked or inlined by force for
  // `modelread` and `modelinsert`; see CONTRIBUTING.md.

  /// One for each class, never freed.
  unowned(unsafe) final let type: ModelType
  /// Retained. What a strong reference leads to would be retained once more at each look.
  @exclusivity(unchecked) final private var heldObject: Unmanaged<ModelObject>?
  /// The subclass's storage that stands for this one since a model of the subclass was initialized; nil for most.
  @exclusivity(unchecked) final private(set) var joinedStorage: ModelStorage?
  /// Whether a deletion was saved.
  final private var wasDeleted = false

  /// Empty until one is set, and while the storage is attached, but for the length of a transition.
  @exclusivity(unchecked) final private var values: KeptValues
  /// The model, weakly, because it keeps its storage alive; unset as long as only `changedModel` has referred to it.
  @exclusivity(unchecked) final private var weakModel = AnyLivingReference()
  /// The model while it has unsaved changes, kept alive by this reference.
  @exclusivity(unchecked) final private var changedModel: AnyObject?
  /// The context that lists the model in `changed`.
  @exclusivity(unchecked) final private var listingContext: ObjectIdentifier?
  /// What leads to the context while that exists, then to what it has left. The context tells its storages before it
  /// goes away, but doesn't know those whose objects have left it.
  @exclusivity(unchecked) final private var ownReference: ContextReference?
  /// What the model is known by before its first save.
  final private(set) lazy var temporaryIdentifier = UUID()
  /// The identity that the model had when it was deleted.
  final private var formerIdentifier: PersistentIdentifier?

  init(_ type: ModelType) {
    self.type = type
    values = KeptValues(of: type)
  }

  /// Makes this storage, which holds a subclass's own properties, the storage of the
  /// superclass's properties too. `other` is the superclass's storage, and forwards to this one
  /// from now on.
  final func join(_ other: ModelStorage) {
    let current = other.joinedStorage ?? other
    // A class below has joined them already, or the storage was made for a row. Then this one's initial values are no
    // one's.
    if current.type.inherits(from: type) {
      if current !== self { values.removeAll() }
      return
    }
    values.take(&current.values)
    other.joinedStorage = self
  }

  /// Whether this storage holds all of a model's properties: it is of the model's own class, or was made for its row.
  final func isWholeStorage(of model: AnyObject) -> Bool {
    joinedStorage == nil && type.modelClass == ObjectIdentifier(Swift.type(of: model))
  }

  deinit { hold(nil) }

  /// The managed object, while the storage is attached.
  final var object: ModelObject? { heldObject?.takeUnretainedValue() }

  /// The only place that changes it.
  private func hold(_ object: ModelObject?) {
    let former = heldObject
    former?._withUnsafeGuaranteedRef { $0.storage = nil }
    heldObject = object.map { .passRetained($0) }
    object?.storage = self
    former?.release()
  }

  /// The model that the program uses, while it exists.
  final var model: (any PersistentModel)? {
    guard let object = changedModel ?? weakModel.object else { return nil }
    // `setModel` and `retainModel` take only such models.
    return (object as! any PersistentModel)
  }

  /// The model as an `M`, without a cast. `M` has to be the storage's class or one above it.
  @inline(__always)
  final func model<M: PersistentModel>(as _: M.Type) -> M? {
    (changedModel ?? weakModel.object).map { unsafeDowncast($0, to: M.self) }
  }

  final func setModel(_ model: any PersistentModel) { weakModel.object = model }

  /// Keeps the model alive until the context releases it. Returns false if the context already lists it, or if there is
  /// no model.
  ///
  /// - Parameter model: the model, if it is at hand.
  final func retainModel(_ model: (any PersistentModel)? = nil, for context: ModelContext) -> Bool {
    if listingContext == ObjectIdentifier(context) { return false }
    if let model { changedModel = model } else if changedModel == nil { changedModel = weakModel.object }
    listingContext = changedModel == nil ? nil : ObjectIdentifier(context)
    return changedModel != nil
  }

  /// Ends what `retainModel` began. Does nothing if another context lists the model in the meantime.
  final func releaseModel(for context: ModelContext) {
    guard listingContext == ObjectIdentifier(context) else { return }
    listingContext = nil
    // A model that nothing else refers to ends here, and is no longer looked for.
    if !isKnownUniquelyReferenced(&changedModel), let changedModel { weakModel.object = changedModel }
    changedModel = nil
  }

  /// Whether only the context refers to the model, which then ends with the save.
  final var endsWithSave: Bool { isKnownUniquelyReferenced(&changedModel) }

  final var context: ModelContext? { ownReference?.context }
  /// The context of an attached storage. Accesses to an object's relationships ask for no other: who reads or sets a
  /// property has found the context first, and values move from or to an object while its context is there.
  final var attachedContext: ModelContext { context! }
  /// The context. Nil if it has let go of the object, because the insertion was undone or the
  /// unsaved object deleted, and if it is gone.
  final var visibleContext: ModelContext? { hasLeft ? nil : livingContext }
  /// The context, unless it is gone.
  private final var livingContext: ModelContext? { context?.isRemains == true ? nil : context }
  final var hasLeft: Bool { object != nil && object?.managedObjectContext == nil }
  /// Whether the object was never saved and is in no context any more: it was deleted, or its insertion undone.
  final var isDiscarded: Bool { hasLeft && object?.objectID.isTemporaryID == true }
  /// Whether a deletion was saved, by the context or by another one.
  final var isGone: Bool { object == nil ? wasDeleted : hasLeft && !isDiscarded }
  final var isDeleted: Bool {
    guard let object else { return wasDeleted }
    // An object that left its context with a permanent id was deleted by another context.
    return object.isDeleted || hasLeft && !object.objectID.isTemporaryID
  }

  final var identifier: PersistentIdentifier {
    if let object, !object.objectID.isTemporaryID { return PersistentIdentifier(object.objectID) }
    return formerIdentifier ?? PersistentIdentifier(temporary: temporaryIdentifier, entityName: type.name)
  }

  // Transitions.

  /// From now on the values are the object's. What was set until then is lost, unless ``moveValuesToObject()``
  /// follows.
  final func attach(_ object: ModelObject, in context: ModelContext) {
    hold(object)
    ownReference = context.reference
    wasDeleted = false
    formerIdentifier = nil
  }

  /// Sets on the object what was set of the model before it had one.
  final func moveValuesToObject() { if let object { values.move(to: object, of: self) } }

  /// Keeps what attributes hold now, for a model that may outlive its object.
  final func keepValues(withRelationships: Bool = false, withFiles: Bool = true) {
    guard let object else { return }
    values.take(from: object, of: self, withRelationships: withRelationships, withFiles: withFiles)
  }

  /// The new models among those that kept relationships lead to.
  final var newDestinations: [any PersistentModel] {
    values.destinations { $0.storage.object == nil && !$0.storage.isGone }
  }

  /// Whether the model is of another context, which is still there.
  final func isOfContext(otherThan own: ModelContext?) -> Bool {
    guard let context, context !== own else { return false }
    return !context.isLeftBehind
  }

  /// Drops the kept relationships that may be nil or empty; does nothing once the model is inserted again.
  final func dropRelationships() { if object == nil { values.removeRelationships() } }

  /// Drops the kept values: the save failed, and the object is still there; or a new object begins with them, and the
  /// model stands for a row.
  @usableFromInline
  final func dropValues() { values.removeAll() }

  /// The object is gone; the model keeps what ``keepValues()`` found in it.
  final func detach(deleted: Bool) {
    if deleted { formerIdentifier = identifier }
    hold(nil)
    ownReference = nil
    wasDeleted = deleted
  }

  /// Lets go of a discarded object. The model is a new one again, with the values that its attributes have.
  final func beginAgain() {
    keepValues()
    detach(deleted: false)
  }

  // Changes that the program didn't make through the property.

  /// Tells observers that setting the other end of a relationship has changed this one.
  final func noteInverse(_ name: String) {
    if let model, let property = type.property(named: name) { property.observed.tellObservers(of: model) }
  }

  /// Tells observers of all properties, because a merge, an undo or a rollback doesn't say
  /// which ones changed.
  final func noteSnapshot(_ flags: NSSnapshotEventType) {
    guard let model else { return }
    for property in type.properties { property.observed.tellObservers(of: model) }
    if flags.isOfUndo { livingContext?.noteChange(of: self) }
  }

  // Values.

  /// Where the fast way of reading finds a simple property's value; nil if `value(_:)` has to
  /// find it.
  @usableFromInline
  final func place(of key: AnyKeyPath) -> ModelPlace? {
    guard joinedStorage == nil, let heldObject, let managed = type.managedKey(of: key) else { return nil }
    return ModelPlace(object: heldObject, key: managed)
  }

  final func value<Value>(_ key: AnyKeyPath) -> Value {
    if let joinedStorage { return joinedStorage.value(key) }
    let position = type.position(of: key)
    let property = type.properties[position]
    let access = property.access(of: Value.self)
    if let object {
      if context == nil { misuse(.contextGone(type, property, "read")) }
      if property.isEphemeral,
        let value = access.stored(in: object, of: self) ?? access.initialValue(property)
      {
        return value
      }
      return access.read(object, of: self)
    }
    if let value: Value = values.value(at: position) { return value }
    if let value = access.initialValue(property) { return value }
    let isGone = wasDeleted && property.isRelationship
    misuse(isGone ? .deleted(type, property) : .noValue(type, property))
  }

  /// Where the value that a property of a new model begins with is to be put, in the property's declared type.
  @usableFromInline
  final func placeOfInitialValue(_ key: AnyKeyPath) -> UnsafeMutableRawPointer {
    values.place(at: type.position(of: key))
  }

  final func set<Value>(_ key: AnyKeyPath, _ value: Value) {
    if let joinedStorage { return joinedStorage.set(key, value) }
    let position = type.position(of: key)
    guard let object else {
      values.place(at: position).initializeMemory(as: Value.self, to: value)
      return
    }
    let property = type.properties[position]
    guard let context = livingContext else { misuse(.contextGone(type, property, "changed")) }
    // An object in no context can't lead to one that is in a context. Attributes stay in it: a redo brings it back.
    if property.isRelationship, isDiscarded {
      beginAgain()
      values.place(at: position).initializeMemory(as: Value.self, to: value)
      return
    }
    property.access(of: Value.self).write(value, to: object, of: self)
    context.noteChange(of: self)
  }
}

extension NSSnapshotEventType {
  /// Whether something was undone or redone.
  var isOfUndo: Bool { !isDisjoint(with: [.undoInsertion, .undoDeletion, .undoUpdate]) }
}

/// A managed object, which its model's storage keeps alive, and one of its properties.
@usableFromInline
struct ModelPlace {
  @usableFromInline let object: Unmanaged<ModelObject>
  @usableFromInline let key: ManagedKey
}

extension MisuseReport {
  fileprivate static func contextGone(_ type: ModelType, _ property: ModelProperty, _ use: String) -> MisuseReport {
    MisuseReport(
      "A \(type.name) was \(use) after its model context was gone.",
      facts: [("Property", "\(type.name).\(property.name)")],
      how: "Models belong to the context that inserted or fetched them, and do not keep it alive.",
      remedy: "Keep the ModelContext for as long as its models, or hand on their `persistentModelID` and ask another "
        + "context for them.")
  }

  fileprivate static func deleted(_ type: ModelType, _ property: ModelProperty) -> MisuseReport {
    MisuseReport(
      "\(type.name).\(property.name) was read after the \(type.name)'s deletion had been saved.",
      facts: [("Declared as", "\(property.declaredType)")],
      how: "A model whose deletion was saved keeps its attributes' values, and leads to no other models.",
      remedy: "Read the relationship before you save, or ask first whether the model's `modelContext` is nil.")
  }

  fileprivate static func noValue(_ type: ModelType, _ property: ModelProperty) -> MisuseReport {
    MisuseReport(
      "\(type.name).\(property.name) was read before it had a value.",
      facts: [("Declared as", "\(property.declaredType)")],
      how: "The property has no initial value, and nothing has set it.",
      remedy: "Set it in the class's initializer.")
  }
}
