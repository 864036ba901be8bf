internal import CSwiftRuntime

/// An object of an entity, in a context.
///
///     final class Book: NSManagedObject {
///       @NSManaged var title: String
///       @NSManaged var pages: Int32
///       @NSManaged var genre: String?
///       @NSManaged var author: Author?
///     }
///
///     let book = Book(context: context)
///     book.title = "The Dispossessed"
///     book.author = author
///     print(author.books.contains(book))  // true
///
/// Its committed values are one immutable row that it shares with the store's cache; values set since are held
/// apart until the save. An object may be used on its context's queue only; ``objectID`` may go anywhere.
///
/// Subclasses declare their properties with `@NSManaged`; without a subclass, use ``value(forKey:)``.
nonisolated open class NSManagedObject: NSObject {
  // The first fields are what a save asks of each object: together, they are in one line of the processor's cache more
  // often.
  /// Three write it, each its part: the transitions in `+OwnState`, the context's `ChangeLedger`, and `setObserved` and
  /// `setRecent`.
  private(set) final var state: ObjectState = []
  /// The number of the object's store in its context; `noStore` for a new object that was not assigned to one.
  final var store: UInt16 = NSManagedObject.noStore
  /// The places of properties by key number. They belong to the layout, which `owner` keeps alive, and are read without
  /// counting references.
  final var places: PlaceTable
  /// `Z_PK`, or a negative number while the object was never saved.
  final var key: Int64 = 0
  private final var ownedChanges: ChangedValues?
  private final var rowReference: Unmanaged<RowSnapshot>?
  final var owner: ObjectOwner
  /// The id, once it was asked for, or an `Attachments`.
  final var attached: AnyObject?

  static let noStore = UInt16.max

  /// Makes an object of an entity and inserts it into a context, with its attributes' default values.
  ///
  /// If `context` is nil, the object belongs to no context until you call `context.insert(_:)`. An override is called
  /// for every object of the class, those that a fetch makes included.
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    if let pointer = core_data_materialisation() {
      core_data_set_materialisation(nil)
      let source = pointer.assumingMemoryBound(to: Materialisation.self)
      owner = source.pointee.owner
      places = source.pointee.places
      super.init()
      return
    }
    owner = NSManagedObject.owner(of: entity, in: context)
    guard let places = owner.layouts.places(of: entity) else {
      misuse("The entity \(entity.name ?? "without a name") is not part of the context's model.")
    }
    self.places = places
    super.init()
    key = TemporaryKeys.next()
    if places.traits.contains(.toMany) { toManyStates = ToManyStates(count: layout.toMany.count) }
    setDefaultValues()
    if let context { context.registerNew(self) }
  }

  // Inlined by force, as the count of `insert` asks for; see CONTRIBUTING.md.
  /// Drops all values that were set, so that the attributes have their default values.
  @inline(__always)
  final func setDefaultValues() {
    changes = ChangedValues.makeDefaults(places)
  }

  // On a class that is a value, such as `T` or `type(of: object)`, Swift calls only `required` initializers, and only
  // these satisfy a protocol. A subclass could not override them by `override`, nor declare them again, as it can on
  // Apple's platforms. So they are generic: they have the labels of Apple's, and a subclass's own stand beside them.

  /// Makes an object of a class that is only known when the program runs, by the class's own
  /// `init(entity:insertInto:)`.
  public required convenience init<Entity: NSEntityDescription>(
    entity: Entity, insertInto context: NSManagedObjectContext?
  ) {
    self.init(entity: entity as NSEntityDescription, insertInto: context)
  }

  /// `makeDynamically(of:in:)`.
  @_silgen_name("core_data_make_object")
  convenience init(dynamically entity: NSEntityDescription, _ context: NSManagedObjectContext?) {
    self.init(entity: entity, insertInto: context)
  }

  /// Makes an object of this class' entity in a context.
  ///
  /// A class may declare `init(context:)` again. Where only a superclass is known, as in generic code, this one is
  /// called nevertheless.
  public required convenience init<Context: NSManagedObjectContext>(context: borrowing Context) {
    // Borrowed and copied: as an initializer takes it, generic code would retain and release it once more.
    let context: NSManagedObjectContext = copy context
    self.init(entity: Self.entity(in: context), insertInto: context)
  }

  /// Makes an object without a context, and prints a warning to standard error, as Apple's framework does.
  ///
  /// It gets the class's entity if exactly one is loaded; otherwise it has no properties.
  public convenience override init() {
    self.init(entity: Self.entityWithoutContext(), insertInto: nil)
  }

  deinit {
    if state.contains(.registered) { owner.removeDying(self) }
    rowReference?.release()
    ownedChanges?.free()
  }

  /// The committed values; nil for a new object and for a fault whose row was not read yet.
  final var row: RowSnapshot? {
    get { rowReference?.takeUnretainedValue() }
    set {
      assert(newValue.map { $0.entity == places.entity } ?? true, "An object got a row of another entity.")
      let old = rowReference
      rowReference = newValue.map(Unmanaged.passRetained)
      old?.release()
    }
  }

  /// Whether there are committed values. Asking for the row itself would count a reference to it.
  final var hasRow: Bool { rowReference != nil }

  /// The first word of the committed row, for typed reads; valid until the row is set.
  final var rowWords: UnsafePointer<UInt64>? { rowReference?._withUnsafeGuaranteedRef { $0.words } }

  /// The object's own bits of `state`.
  final var ownState: OwnState { OwnState(rawValue: state.subtracting(.notOwn).rawValue) }

  /// Writes the object's own bits. Only the file with their transitions can make a `Right`.
  final func setOwnState(_ own: OwnState, _: OwnState.Right) {
    state = state.intersection(.notOwn).union(ObjectState(rawValue: own.rawValue))
  }

  /// From now on each change asks whether there are observers.
  final func setObserved() { state.insert(.observed) }

  /// Only `RecentDestinations` calls it.
  final func setRecent(_ isRecent: Bool) {
    if isRecent { state.insert(.recent) } else { state.remove(.recent) }
  }

  /// Writes the marks in `state`. Only the ledger's file can make a `Right`. It is the one type of a higher room that
  /// this room names without being forced to by Apple's interface, because Swift can restrict access to a file, but not
  /// to a type.
  final func setMarks(_ marks: ObjectState, _: ChangeLedger.Right) {
    state = state.subtracting(.marks).union(marks.intersection(.marks))
  }

  /// The values set since; nil if there are none. Setting nil frees them.
  final var changes: ChangedValues? {
    get { ownedChanges }
    set {
      ownedChanges?.free()
      ownedChanges = newValue
    }
  }

  /// Takes the values set since from the object. The caller keeps them, and frees them.
  final func moveChanges() -> ChangedValues? {
    defer { ownedChanges = nil }
    return ownedChanges
  }

  final var layout: EntityLayout {
    places.layout
  }

  final var reference: RowReference { RowReference(entity: places.entity, key: key) }

  /// The object's key, or the one that it will have if the current save succeeds.
  final var finalReference: RowReference {
    if key > 0 { return reference }
    let reserved = changes?.reservedKey ?? 0
    return RowReference(entity: places.entity, key: reserved == 0 ? key : reserved)
  }

  /// The context the object belongs to; nil once it is deleted and saved, or the context is gone.
  open var managedObjectContext: NSManagedObjectContext? { ownContext }

  /// The entity whose objects are of this class, in the models that coordinators use; if there is none, an entity
  /// without a name, and a warning.
  open class func entity() -> NSEntityDescription { entityOfLoadedModels() }

  /// The name of the class with its module, which some programs cut an entity's name out of.
  open class func description() -> String { NSStringFromClass(self) }

  /// The object's entity.
  open var entity: NSEntityDescription { layout.entity }

  /// The object's id: temporary until its first save. May be used on any thread.
  open var objectID: NSManagedObjectID {
    if let cachedID { return cachedID }
    let id = NSManagedObjectID(layout: layout, key: key, store: owner.storeIdentity(store))
    cachedID = id
    return id
  }

  // The module itself asks for the marks: these three can be overridden, and they speak of the save that is over.

  /// Whether the object will be written for the first time by the next save, or, in ``didSave()``, was by this one.
  open var isInserted: Bool { !state.isDisjoint(with: [.inserted, .saysInserted]) }

  /// Whether a saved object was changed since; in ``didSave()``, whether this save has written changes of it.
  open var isUpdated: Bool {
    !state.isDisjoint(with: [.updated, .saysUpdated]) && state.isDisjoint(with: [.deleted, .saysDeleted])
  }

  /// Whether the next save will delete the object; in ``didSave()``, whether this one has. Stays true of an object that
  /// has left its context because another one's deletion of it was merged.
  open var isDeleted: Bool { !state.isDisjoint(with: [.deleted, .saysDeleted]) }

  /// Whether the object's values have not been read in, or its row was deleted. A deleted object has no context any
  /// more, and reads as empty once the save of its deletion was told of. An object whose context was reset is a fault
  /// until it is used.
  open var isFault: Bool { state.contains(.fault) || key > 0 && !owner.hasContext && owner.keepsFaults }

  /// Whether the next save has something to do for the object. Setting an equal value counts as a change.
  open var hasChanges: Bool { !state.isDisjoint(with: .pending) }

  /// 0 if the object's values have been read.
  open var faultingState: Int { isFault ? 1 : 0 }

  /// What a new object of an entity has for its owner.
  private static func owner(of entity: NSEntityDescription, in context: NSManagedObjectContext?) -> ObjectOwner {
    if let owner = context?.owner { return owner }
    // Layouts don't keep their model, but an owner does.
    let model = entity.modelForObjects
    return withExtendedLifetime(model) {
      let layouts = ModelLayouts.of(model)
      return context?.makeOwner(layouts) ?? ObjectOwner(layouts)
    }
  }

  // Apple's rule for subclasses: an object equals only itself.
  /// Whether it is the same object: another one with the same values, or of another context, is not equal.
  open override func isEqual(_ object: Any?) -> Bool { (object as AnyObject?) === self }
  /// A hash of the object's identity.
  open override var hash: Int { Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4 }

  /// The class, the entity, the id and the values, for logs. Other objects are shown by their ids. Does not fire a
  /// fault.
  open override var description: String {
    let values = isFault ? "<fault>" : describedValues
    return "<\(type(of: self)): \(entity.name ?? ""); id: \(objectID.description); data: \(values)>"
  }

  /// A request for all objects of this class' entity.
  ///
  /// Entity classes have a method of this name that returns a request for the class itself. Swift prefers that one, so
  /// that `let request = Book.fetchRequest()` needs no type.
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> { requestForClass() }

  // What has changed.

  /// The persistent properties that differ from what was last fetched or saved, with their current values; nil as
  /// `NSNull`. A property that was set to the value it had is not among them, though ``hasChanges`` counts it. Of a
  /// new object it tells what was set, and properties whose primitive values differ from the defaults. Transient
  /// properties are left out, as Apple's documentation says.
  open func changedValues() -> [String: Any] { currentValues(of: differingProperties()) }

  /// The persistent values last fetched or saved; nil as `NSNull`. A new object has none. An unknown key is a misuse.
  ///
  /// - Parameter keys: the properties to ask for; nil for all.
  open func committedValues(forKeys keys: [String]?) -> [String: Any] {
    fireIfNeeded(call: "committedValues(forKeys:)")
    return persistedValues(forKeys: keys)
  }

  /// The former values of persistent properties that changed since pending changes were last processed, with `NSNull`
  /// for nil. While observers of the context's changes are told, it is about the event of the notification.
  ///
  /// For a new object the former values are its attributes' default values.
  open func changedValuesForCurrentEvent() -> [String: Any] { formerValuesOfEvent() }

  /// Whether a persistent value differs from what was last fetched or saved; `hasChanges` counts equal ones too.
  open var hasPersistentChangedValues: Bool { isPersistentlyChanged }

  /// Whether a relationship's members have not been read; never reads them.
  open func hasFault(forRelationshipNamed key: String) -> Bool { isUnread(relationship: key) }

  /// The ids of a relationship's members, without making objects of them.
  open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] { ids(relationship: key) }

  // Key-value coding: Foundation has none on Linux, so these are the object's own methods.

  /// The value of a property: numbers as `NSNumber`, to-many relationships as `NSSet` or `NSOrderedSet`.
  ///
  /// If the class was compiled with the plugin, this calls its own accessor of a transient attribute, and the getter of
  /// a property that the model lacks. Its stored properties are found as well. `primitiveName` is the primitive
  /// value of `name`, unless the entity has a property of that name. Any other key is a misuse;
  /// ``value(checkedForKey:)`` throws instead.
  @discardableResult
  open func value(forKey key: String) -> Any? {
    fireIfNeeded(call: "value(forKey: \"\(key)\")")
    guard let index = layout.index(named: key) else { return valueOfNoProperty(key) }
    if places[index].isTransient, let own = ownAccessorValue(at: index) { return own }
    return boxedValue(at: index)
  }

  /// Sets a property. A value of the wrong type, `NSNull` among them, an unknown key, or an object of another context
  /// is a misuse; ``setValue(_:checkedForKey:)`` throws instead. If a number is too large for an integer attribute, its
  /// low bits are kept.
  open func setValue(_ value: Any?, forKey key: String) {
    beginChange(call: "setValue(_:forKey: \"\(key)\")")
    guard let property = layout.property(named: key) else {
      if let property = layout.primitiveProperty(named: key) { return setPrimitive(value, property) }
      setValue(value, forUndefinedKey: key)
      return
    }
    if value == nil, property.kind.isScalar { return setNilValueForKey(key) }
    setBoxed(value, property)
  }

  /// A set that changes the relationship when it is changed, inverses included. A key of no to-many relationship is a
  /// misuse.
  open func mutableSetValue(forKey key: String) -> NSMutableSet { mutableMembers(forKey: key) }

  /// An ordered set that changes the relationship when it is changed, inverses included. A key of no to-many
  /// relationship is a misuse.
  open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet { mutableOrderedMembers(forKey: key) }

  /// A value over a path of keys, `author.name`; over a to-many relationship, the set of the members' values.
  /// Collection operators: `@count`, `@sum`, `@avg`, `@min`, `@max`, and the unions of objects, arrays and sets.
  @discardableResult
  open func value(forKeyPath keyPath: String) -> Any? {
    KeyPathValues.value(of: self, keyPath.split(separator: ".").map(String.init))
  }

  /// Sets the last key of the path on the object that the others lead to. Does nothing if one of them is nil.
  ///
  /// The path may end in an element of a composite attribute: `address.city`.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    var keys = layout.joiningElements(keyPath.split(separator: ".").map(String.init))
    let last = keys.removeLast()
    let target = keys.isEmpty ? self : KeyPathValues.value(of: self, keys) as? NSManagedObject
    target?.setValue(value, forKey: last)
  }

  /// The values of several keys; nil ones as `NSNull`.
  open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
  }

  /// Sets several keys; `NSNull` is nil.
  open func setValuesForKeys(_ values: [String: Any]) {
    for (key, value) in values { setValue(value is NSNull ? nil : value, forKey: key) }
  }

  /// Called for a key that the model does not have; a misuse unless overridden.
  open func value(forUndefinedKey key: String) -> Any? {
    if let asked = AskedKey.current {
      asked.isUndefined = true
      return nil
    }
    misuse(.unknownKey(key, self, twin: "value(checkedForKey:)"))
  }

  /// Called to set a key that the model does not have; a misuse unless overridden.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    misuse(.unknownKey(key, self, twin: "setValue(_:checkedForKey:)"))
  }

  /// Called by ``setValue(_:forKey:)`` to set an attribute with a number or a truth value to nil. Sets it to nil unless
  /// overridden; an accessor that is declared as a number then reads 0.
  open func setNilValueForKey(_ key: String) {
    guard let property = layout.property(named: key) else { misuse(.unknownKey(key, self)) }
    setBoxed(nil, property)
  }

  /// The value as it is held. Calls no accessor and notifies no observer.
  @discardableResult
  open func primitiveValue(forKey key: String) -> Any? {
    guard let property = layout.property(named: key) else { misuse(.unknownKey(key, self)) }
    if state.contains(.fault) { fire(for: property) }
    return boxedValue(property)
  }

  /// Sets the held value: no change is recorded and no inverse maintained. A save of the object writes it.
  open func setPrimitiveValue(_ value: Any?, forKey key: String) {
    guard let property = layout.property(named: key) else { misuse(.unknownKey(key, self)) }
    setPrimitive(value, property)
  }

  // The life cycle. Overrides call `super`.

  /// Called once, when the object is inserted into a context for the first time.
  open func awakeFromInsert() {}

  /// Called after the object's values have been read from the store.
  open func awakeFromFetch() {}

  /// Called after undo, refresh, rollback or a merge has changed the object's values.
  open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

  /// Called when the object has been marked as deleted, by `delete(_:)` or a cascade. Its relationships still stand.
  open func prepareForDeletion() {}

  /// Called before every save of the object. You may change the object here, but compare first: each change calls this
  /// method again.
  open func willSave() {}

  /// Called after the save. ``isInserted``, ``isUpdated`` and ``isDeleted`` still say what the save did to the object;
  /// ``hasChanges`` says whether it was changed again.
  open func didSave() {}

  /// Called before the object drops its values and becomes a fault.
  open func willTurnIntoFault() {}

  /// Called after the object has dropped its values and become a fault.
  open func didTurnIntoFault() {}

  /// Call this before reading a key in a hand-written accessor. It fires a fault.
  open func willAccessValue(forKey key: String?) { fireIfNeeded(call: "willAccessValue(forKey:)") }
  /// Call this after reading a key in a hand-written accessor. It does nothing here.
  open func didAccessValue(forKey key: String?) {}

  /// Call this before writing a key in a hand-written accessor. Of a relationship it notes where it leads.
  open func willChangeValue(forKey key: String) {
    beginChange(call: "willChangeValue(forKey:)")
    tellWillChange(key, .setting)
    if layout.property(named: key) == nil, Self.contextShouldIgnoreUnmodeledPropertyChanges { return }
    noteChange()
    announceMutation(forKey: key)
  }

  /// Call this after writing a key in a hand-written accessor. From then on the property counts as changed, and the
  /// other ends of a relationship agree with where it leads.
  open func didChangeValue(forKey key: String) {
    if let property = layout.property(named: key) {
      if property.slot >= 0 { changes?.markChanged(property.slot) }
      if property.kind == .composite { for leaf in property.leaves { changes?.markChanged(leaf.slot) } }
    }
    adoptChange(forKey: key)
    tellDidChange(key)
  }

  /// Call this before changing the primitive set of a to-many relationship in a hand-written accessor. Says which
  /// members will be added, removed, or kept.
  ///
  /// The matching `didChangeValue` makes both ends of the relationship agree with the announced change.
  open func willChangeValue(
    forKey key: String, withSetMutation mutation: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>
  ) {
    tellWillChange(key, mutation == .set ? .replacement : .members)
    willChangeValue(forKey: key)
  }

  /// Call this after changing the primitive set. It makes both ends of the relationship agree with the announced
  /// change.
  open func didChangeValue(
    forKey key: String, withSetMutation mutation: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>
  ) {
    adoptMutation(mutation, objects, forKey: key)
    tellDidChange(key, announcedTwice: true)
  }

  /// Call this before changing the primitive ordered set of a to-many relationship in a hand-written accessor.
  ///
  /// The matching `didChange` makes the other ends of the relationship agree with the members that are there then,
  /// whatever the kind and the indexes say.
  open func willChange(_ change: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
    tellWillChange(key, .members)
    willChangeValue(forKey: key)
  }

  /// Call this after changing the primitive ordered set. It makes the other ends of the relationship agree with the
  /// members.
  open func didChange(_ change: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
    adoptMembers(forKey: key)
    tellDidChange(key, announcedTwice: true)
  }

  /// Whether announced changes of properties that the model does not have leave the object unchanged. True unless
  /// overridden.
  open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

  /// The keys that a computed property depends on. Observers of the property hear of theirs.
  ///
  /// By default what the class's method for the property says, `keyPathsForValuesAffectingFullName()` for `fullName`;
  /// without such a method, none. The method must not be private, and the class has to be compiled with the plugin.
  open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    OwnAccessors.keyPaths(affecting: key, in: self)
  }

  /// Whether a setter should tell observers by itself: false for the model's properties, whose accessors do it. Only
  /// your own code asks: a setter of yours tells no observers here, whatever this says.
  open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { !isModeled(key) }

  /// Throws an error if the object must not be inserted as it is. Overrides call `super`.
  open func validateForInsert() throws { try validateProperties() }
  /// Throws an error if the object must not be saved with its changes. Overrides call `super`.
  open func validateForUpdate() throws { try validateProperties() }
  /// Throws an error if the object must not be deleted: each relationship with the rule Deny must have no destinations
  /// that stay. Overrides call `super`.
  open func validateForDelete() throws { try validateDeletion() }

  /// Throws an error if a value breaks the rules of a property.
  ///
  /// What the model says is checked first, then a method of the class is called, which may throw, or replace the value:
  /// `func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws` for the key `title`. It must
  /// not be private, and the class has to be compiled with the plugin.
  open func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
    try validate(value.pointee, forKey: key)
    if let index = layout.index(named: key) { try ownAccessors.validate(value, of: self, at: index) }
  }
}

/// The identity map finds objects by their keys.
nonisolated extension NSManagedObject: Keyed {}

nonisolated extension NSManagedObject {
  /// An object of this class, by its own `init(entity:insertInto:)`; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_object")
  static func makeDynamically(
    of entity: __owned NSEntityDescription, in context: __owned NSManagedObjectContext?
  ) -> NSManagedObject
}
