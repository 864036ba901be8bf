import CoreData

/// Moves values of one property between a model and its managed object, with the property's type erased.
class AnyPropertyAccess {
  final let key: PropertyKey

  init(_ key: PropertyKey) { self.key = key }

  // What `KeptValues` asks: of values in its memory, in the property's declared type.

  var size: Int { fatalError("a subclass says how") }
  var alignment: Int { fatalError("a subclass says how") }
  /// Whether a value has to be destroyed.
  var ownsMemory: Bool { fatalError("a subclass says how") }
  /// Copies an object's value into memory; false if the object has none.
  func read(_ object: ModelObject, of storage: ModelStorage, into place: UnsafeMutableRawPointer) -> Bool {
    fatalError("a subclass says how")
  }
  /// The models that the value there leads to; none for an attribute.
  func models(at place: UnsafeMutableRawPointer) -> [any PersistentModel] { [] }
  /// Sets the value that is there on a new object. It stays there. Of a relationship nothing is taken away, since its
  /// other end may have been set first: a to-many grows, and nil changes nothing.
  func write(at place: UnsafeMutableRawPointer, to object: ModelObject, of storage: ModelStorage) {
    fatalError("a subclass says how")
  }
  func move(from source: UnsafeMutableRawPointer, to place: UnsafeMutableRawPointer) {
    fatalError("a subclass says how")
  }
  func destroy(at place: UnsafeMutableRawPointer) { fatalError("a subclass says how") }
}

/// Moves values of one property between a model and its managed object. There is a subclass for each way of storing
/// values.
class PropertyAccess<Value>: AnyPropertyAccess {
  /// The stored value. Nil if the object has none; if the type isn't optional, that is a misuse.
  func stored(in object: ModelObject, of storage: ModelStorage) -> Value? { fatalError("a subclass says how") }
  func write(_ value: Value, to object: ModelObject, of storage: ModelStorage) { fatalError("a subclass says how") }
  /// The stored value for a model that may outlive its object. Nil also if what is stored is no value of the type:
  /// the program has not asked for it yet.
  func kept(in object: ModelObject, of storage: ModelStorage) -> Value? { stored(in: object, of: storage) }
  /// The value of a property that was never set.
  func initialValue(_ property: ModelProperty) -> Value? { property.defaultValue as? Value }

  final func read(_ object: ModelObject, of storage: ModelStorage) -> Value {
    if let value = stored(in: object, of: storage) { return value }
    misuse(
      MisuseReport(
        "\(key.entity).\(key.name) has no value in the store, but is declared without \"?\".",
        facts: [("Declared as", "\(Value.self)"), ("Object", object.objectID.description)],
        how: "The row was written when the property was optional or not there, by another program, or the object has "
          + "been deleted.",
        remedy: "Declare the property as \(Value.self)?, or give it an initial value and migrate the store."))
  }

  final override var size: Int { MemoryLayout<Value>.size }
  final override var alignment: Int { MemoryLayout<Value>.alignment }
  final override var ownsMemory: Bool { !_isPOD(Value.self) }

  final override func read(
    _ object: ModelObject, of storage: ModelStorage, into place: UnsafeMutableRawPointer
  ) -> Bool {
    guard let value = kept(in: object, of: storage) else { return false }
    place.initializeMemory(as: Value.self, to: value)
    return true
  }
  override func write(at place: UnsafeMutableRawPointer, to object: ModelObject, of storage: ModelStorage) {
    write(place.assumingMemoryBound(to: Value.self).pointee, to: object, of: storage)
  }
  final override func move(from source: UnsafeMutableRawPointer, to place: UnsafeMutableRawPointer) {
    place.moveInitializeMemory(as: Value.self, from: source.assumingMemoryBound(to: Value.self), count: 1)
  }
  final override func destroy(at place: UnsafeMutableRawPointer) {
    place.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
  }
}

// Simple values.

/// A value of a type that Core Data has.
private final class SimpleAccess<V: ManagedValue>: PropertyAccess<V> {
  override func stored(in object: ModelObject, of storage: ModelStorage) -> V? {
    V.readManagedOptional(object, key.key)
  }
  override func write(_ value: V, to object: ModelObject, of storage: ModelStorage) {
    V.writeManaged(value, object, key.key)
  }
}

/// A text. Written for String alone, so that setting one copies nothing.
private final class TextAccess: PropertyAccess<String> {
  override func stored(in object: ModelObject, of storage: ModelStorage) -> String? {
    String.readManagedOptional(object, key.key)
  }
  override func write(_ value: String, to object: ModelObject, of storage: ModelStorage) {
    String.writeManaged(value, object, key.key)
  }
  override func write(at place: UnsafeMutableRawPointer, to object: ModelObject, of storage: ModelStorage) {
    String.writeManaged(place.assumingMemoryBound(to: String.self).pointee, object, key.key)
  }
}

/// A floating-point number. It may be NaN, which SQLite keeps as NULL.
private final class FloatingAccess<V: ManagedValue & BinaryFloatingPoint>: PropertyAccess<V> {
  override func stored(in object: ModelObject, of storage: ModelStorage) -> V? {
    if let value = V.readManagedOptional(object, key.key) { return value }
    // A new object has no value before one is set, and one whose row is gone has none any more.
    return object.objectID.isTemporaryID || storage.isDeleted ? nil : V.nan
  }
  override func write(_ value: V, to object: ModelObject, of storage: ModelStorage) {
    V.writeManaged(value, object, key.key)
  }
}

/// A value of a type that Core Data has, or nil.
private final class OptionalAccess<V: ManagedValue>: PropertyAccess<V?> {
  override func stored(in object: ModelObject, of storage: ModelStorage) -> V?? {
    .some(V.readManagedOptional(object, key.key))
  }
  override func write(_ value: V?, to object: ModelObject, of storage: ModelStorage) {
    V.writeManagedOptional(value, object, key.key)
  }
  override func initialValue(_ property: ModelProperty) -> V?? { .some(property.defaultValue as? V) }
}

func makeAccess<V: ManagedValue>(_: V.Type, _ key: PropertyKey) -> AnyPropertyAccess {
  if V.self == String.self { return TextAccess(key) }
  if V.self == Double.self { return FloatingAccess<Double>(key) }
  if V.self == Float.self { return FloatingAccess<Float>(key) }
  return SimpleAccess<V>(key)
}
func makeOptionalAccess<V: ManagedValue>(_: V.Type, _ key: PropertyKey) -> AnyPropertyAccess { OptionalAccess<V>(key) }

// Relationships.

/// The destination of a relationship that always has one.
private final class ToOneAccess<M: PersistentModel>: PropertyAccess<M> {
  override func stored(in object: ModelObject, of storage: ModelStorage) -> M? {
    ModelObject.readManagedOptional(object, key.key).map { destination($0, of: storage, M.self) }
  }
  override func write(_ value: M, to object: ModelObject, of storage: ModelStorage) {
    ModelObject.writeManagedOptional(storage.attachedContext.object(of: value, for: key), object, key.key)
  }
  override func models(at place: UnsafeMutableRawPointer) -> [any PersistentModel] {
    [place.assumingMemoryBound(to: M.self).pointee]
  }
}

/// The destination of a relationship, or nil.
private final class OptionalToOneAccess<M: PersistentModel>: PropertyAccess<M?> {
  override func stored(in object: ModelObject, of storage: ModelStorage) -> M?? {
    .some(ModelObject.readManagedOptional(object, key.key).map { destination($0, of: storage, M.self) })
  }
  override func write(_ value: M?, to object: ModelObject, of storage: ModelStorage) {
    ModelObject.writeManagedOptional(
      value.flatMap { storage.attachedContext.object(of: $0, for: key) }, object, key.key)
  }
  override func write(at place: UnsafeMutableRawPointer, to object: ModelObject, of storage: ModelStorage) {
    if let value = place.assumingMemoryBound(to: M?.self).pointee { write(value, to: object, of: storage) }
  }
  override func initialValue(_ property: ModelProperty) -> M?? { .some(nil) }
  override func models(at place: UnsafeMutableRawPointer) -> [any PersistentModel] {
    place.assumingMemoryBound(to: M?.self).pointee.map { [$0] } ?? []
  }
}

/// The destinations of a relationship.
private final class ToManyAccess<M: PersistentModel>: PropertyAccess<[M]> {
  override func stored(in object: ModelObject, of storage: ModelStorage) -> [M]? {
    members(of: object, storage, M.self)
  }
  override func write(_ value: [M], to object: ModelObject, of storage: ModelStorage) {
    object.setMemberList(objects(of: value, storage), key.key)
  }
  override func write(at place: UnsafeMutableRawPointer, to object: ModelObject, of storage: ModelStorage) {
    addMembers(models(at: place), to: object, of: storage)
  }
  override func initialValue(_ property: ModelProperty) -> [M]? { [] }
  override func models(at place: UnsafeMutableRawPointer) -> [any PersistentModel] {
    place.assumingMemoryBound(to: [M].self).pointee
  }
}

/// The destinations of a relationship that is declared as an optional array. Once the model has an object it is never
/// nil, since an object has a set.
private final class OptionalToManyAccess<M: PersistentModel>: PropertyAccess<[M]?> {
  override func stored(in object: ModelObject, of storage: ModelStorage) -> [M]?? {
    .some(members(of: object, storage, M.self))
  }
  override func write(_ value: [M]?, to object: ModelObject, of storage: ModelStorage) {
    object.setMemberList(objects(of: value ?? [], storage), key.key)
  }
  override func write(at place: UnsafeMutableRawPointer, to object: ModelObject, of storage: ModelStorage) {
    addMembers(models(at: place), to: object, of: storage)
  }
  override func initialValue(_ property: ModelProperty) -> [M]?? { .some(nil) }
  override func models(at place: UnsafeMutableRawPointer) -> [any PersistentModel] {
    place.assumingMemoryBound(to: [M]?.self).pointee ?? []
  }
}

extension AnyPropertyAccess {
  /// The model that a relationship leads to.
  fileprivate func destination<M: PersistentModel>(
    _ object: NSManagedObject, of storage: ModelStorage, _: M.Type
  ) -> M {
    storage.attachedContext.checkVersion(of: M.self, in: key)
    return storage.attachedContext.model(of: object, M.self)
  }

  /// The models that a relationship leads to: those in the store by their keys, then new ones as they came.
  fileprivate func members<M: PersistentModel>(of object: ModelObject, _ storage: ModelStorage, _: M.Type) -> [M] {
    storage.attachedContext.checkVersion(of: M.self, in: key)
    return object.memberList(key.key).map { storage.attachedContext.model(of: $0, M.self) }
  }

  fileprivate func objects<M: PersistentModel>(
    of models: [M], _ storage: ModelStorage
  ) -> ContiguousArray<NSManagedObject> {
    var objects: ContiguousArray<NSManagedObject> = []
    objects.reserveCapacity(models.count)
    for model in models {
      if let object = storage.attachedContext.object(of: model, for: key) { objects.append(object) }
    }
    return objects
  }

  fileprivate func addMembers(_ models: [any PersistentModel], to object: ModelObject, of storage: ModelStorage) {
    if models.isEmpty { return }
    var members: ContiguousArray<NSManagedObject> = []
    for model in models {
      if let member = storage.attachedContext.object(of: model, for: key) { members.append(member) }
    }
    object.addMemberList(members, key.key)
  }
}

func makeToOneAccess<M: PersistentModel>(_: M.Type, _ key: PropertyKey) -> AnyPropertyAccess { ToOneAccess<M>(key) }
func makeOptionalToOneAccess<M: PersistentModel>(_: M.Type, _ key: PropertyKey) -> AnyPropertyAccess {
  OptionalToOneAccess<M>(key)
}
func makeToManyAccess<M: PersistentModel>(_: M.Type, _ key: PropertyKey) -> AnyPropertyAccess { ToManyAccess<M>(key) }
func makeOptionalToManyAccess<M: PersistentModel>(_: M.Type, _ key: PropertyKey) -> AnyPropertyAccess {
  OptionalToManyAccess<M>(key)
}

// Values that are stored in another form: a dictionary, an array of objects, or JSON.

/// Converts values of a type to the form in which they are stored, and back. An error ends the program with the
/// property's name, because a property access can't throw.
private struct Form<V> {
  let stored: (V) throws -> Any
  let value: (Any) throws -> V

  func store(_ value: V?, in object: ModelObject, _ key: PropertyKey) {
    do {
      object.setValue(try value.map(stored), forKey: key.name)
    } catch {
      misuse(
        MisuseReport(
          "A value of \(key.entity).\(key.name) cannot be stored.",
          facts: [("Type", "\(V.self)"), ("Why", ValueProblem.words(of: error))],
          how: "The type's `encode(to:)` failed, or writes something else than its stored properties.",
          remedy: "Let the compiler write the type's Codable conformance."))
    }
  }

  func read(_ stored: Any, of object: ModelObject, _ key: PropertyKey) -> V {
    do {
      return try value(stored)
    } catch {
      misuse(
        MisuseReport(
          "What the store has for \(key.entity).\(key.name) is no \(V.self).",
          facts: [
            ("Object", object.objectID.description), ("Stored", String(describing: stored).prefixOfLine),
            ("Why", ValueProblem.words(of: error)),
          ],
          how: "It was written when the type had other cases or properties, or by another program.",
          remedy: "Keep the earlier cases, make new properties optional, or migrate the store in a custom stage."))
    }
  }
}

extension String {
  /// At most 200 characters, for one line of a message.
  fileprivate var prefixOfLine: String { count > 200 ? prefix(200) + "…" : self }
}

/// A value that is stored in another form.
private final class FormAccess<V>: PropertyAccess<V> {
  let form: Form<V>
  /// The stored form of a value when the object has none.
  let empty: Any?
  init(_ key: PropertyKey, _ form: Form<V>, empty: Any? = nil) {
    self.form = form
    self.empty = empty
    super.init(key)
  }
  override func stored(in object: ModelObject, of storage: ModelStorage) -> V? {
    (object.value(forKey: key.name) ?? empty).map { form.read($0, of: object, key) }
  }
  override func kept(in object: ModelObject, of storage: ModelStorage) -> V? {
    (object.value(forKey: key.name) ?? empty).flatMap { try? form.value($0) }
  }
  override func write(_ value: V, to object: ModelObject, of storage: ModelStorage) {
    form.store(value, in: object, key)
  }
}

/// A value that is stored in another form, or nil.
private final class OptionalFormAccess<V>: PropertyAccess<V?> {
  let form: Form<V>
  init(_ key: PropertyKey, _ form: Form<V>) {
    self.form = form
    super.init(key)
  }
  override func stored(in object: ModelObject, of storage: ModelStorage) -> V?? {
    .some(object.value(forKey: key.name).map { form.read($0, of: object, key) })
  }
  override func kept(in object: ModelObject, of storage: ModelStorage) -> V?? {
    guard let stored = object.value(forKey: key.name) else { return .some(nil) }
    return (try? form.value(stored)).map(Optional.some)
  }
  override func write(_ value: V?, to object: ModelObject, of storage: ModelStorage) {
    form.store(value, in: object, key)
  }
  override func initialValue(_ property: ModelProperty) -> V?? { .some(property.defaultValue as? V) }
}

private func structForm<V: Codable>(_: V.Type, _ shape: ValueShape) -> Form<V> {
  Form(
    stored: { try shape.dictionary(of: $0) },
    value: { stored in
      guard let values = stored as? [String: Any] else { throw ValueProblem("there is no dictionary of its parts") }
      return try shape.value(V.self, from: values)
    })
}

/// JSON in a keyed archive, as Apple's framework stores it.
private func archiveForm<V: Codable>(_: V.Type) -> Form<V> {
  Form(
    stored: { NSData(data: try StoredJSON.data($0)) },
    value: { stored in
      if let data = stored as? Data { return try StoredJSON.value(V.self, data) }
      if let data = stored as? NSData { return try StoredJSON.value(V.self, data as Data) }
      throw ValueProblem("the archive holds no bytes")
    })
}

func makeStructAccess<V: Codable>(_: V.Type, _ shape: ValueShape, _ key: PropertyKey) -> AnyPropertyAccess {
  // If all parts of a struct are nil, the composite has no value at all, and still the struct is one.
  FormAccess<V>(key, structForm(V.self, shape), empty: shape.isEnumeration ? nil : [String: Any]())
}
func makeOptionalStructAccess<V: Codable>(_: V.Type, _ shape: ValueShape, _ key: PropertyKey) -> AnyPropertyAccess {
  OptionalFormAccess<V>(key, structForm(V.self, shape))
}
func makeArchiveAccess<V: Codable>(_: V.Type, _ key: PropertyKey) -> AnyPropertyAccess {
  FormAccess<V>(key, archiveForm(V.self))
}
func makeOptionalArchiveAccess<V: Codable>(_: V.Type, _ key: PropertyKey) -> AnyPropertyAccess {
  OptionalFormAccess<V>(key, archiveForm(V.self))
}

// Values for a transformer are passed on as they are.

/// A value that a transformer stores.
private final class TransformableAccess<V>: PropertyAccess<V> {
  override func stored(in object: ModelObject, of storage: ModelStorage) -> V? {
    let stored = object.value(forKey: key.name)
    if let value = stored as? V { return value }
    guard let stored else { return nil }
    misuse(
      MisuseReport(
        "The transformer of \(key.entity).\(key.name) has made another type than the property's.",
        facts: [("Declared as", "\(V.self)"), ("Made", "\(type(of: stored))")],
        how: "`reverseTransformedValue(_:)` and the property's declaration do not agree.",
        remedy: "Return a \(V.self) from the transformer."))
  }
  override func kept(in object: ModelObject, of storage: ModelStorage) -> V? {
    object.value(forKey: key.name) as? V
  }
  override func write(_ value: V, to object: ModelObject, of storage: ModelStorage) {
    object.setValue(unwrapped(value), forKey: key.name)
  }
  override func initialValue(_ property: ModelProperty) -> V? {
    property.defaultValue as? V ?? Optional<Any>.none as? V
  }
}

func makeTransformableAccess(_ type: Any.Type, _ key: PropertyKey) -> AnyPropertyAccess {
  func make<V>(_: V.Type) -> AnyPropertyAccess { TransformableAccess<V>(key) }
  return _openExistential(type, do: make)
}
