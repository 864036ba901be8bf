import CoreData
import Observation

/// A class whose objects are saved in stores. The macro ``Model()`` writes the conformance.
///
///     @Model final class Book {
///       var title: String
///       init(title: String) { self.title = title }
///     }
///
///     func count<T: PersistentModel>(_ type: T.Type, in context: ModelContext) throws -> Int {
///       try context.fetchCount(FetchDescriptor<T>())
///     }
///     context.insert(Book(title: "Solaris"))
///     print(try count(Book.self, in: context))  // 1
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// Makes a model for existing storage.
  init(backingData: any BackingData<Self>)
  /// The storage of the model's persistent values.
  var persistentBackingData: any BackingData<Self> { get set }
  /// The persistent properties, in the order of their declarations.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
  /// Generated code: the observers of the object. Those of the class's own properties come last, behind those of the
  /// classes above. Without it observers hear of what the program sets, and not of what a merge, an undo or the other
  /// end of a relationship changes. nil where no property was looked at yet.
  var _observationRegistrars: [ObservationRegistrar?] { get }
  /// Generated code: the storage that ``persistentBackingData`` is a reference to, without a copy of that. nil if it is
  /// of another type than the class's own.
  var _storageReference: _StorageReference? { get }
  /// Generated code: an object that stands for stored values as soon as the storage that it has made is told which. nil
  /// where ``init(backingData:)`` has to be asked, whose storage takes the place of that one.
  static func _modelForRow() -> _ModelForRow?
}

extension PersistentModel {
  /// None, for a class that no macro has written into.
  public var _observationRegistrars: [ObservationRegistrar?] { [] }
  /// Asks it, for a class that no macro has written into.
  @inlinable public var _storageReference: _StorageReference? { _StorageReference(persistentBackingData) }
  /// nil, for a class that no macro has written into.
  public static func _modelForRow() -> _ModelForRow? { nil }

  /// Makes storage for a new model.
  @inlinable public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    DefaultBackingData<P>(for: P.self)
  }

  /// The value of a property.
  @inlinable public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value where Value: Decodable {
    persistentBackingData.getValue(forKey: key)
  }
  /// The value of a property.
  @inlinable public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: Decodable, Value: ManagedValue {
    if let place = _storageReference?.storage._withUnsafeGuaranteedRef({ $0.place(of: key) }),
      let value = place.object._withUnsafeGuaranteedRef({ Value.readManagedOptional($0, place.key) })
    {
      return value
    }
    return persistentBackingData.getValue(forKey: key)
  }
  /// The model that a property leads to.
  @inlinable public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value where Value: PersistentModel {
    persistentBackingData.getValue(forKey: key)
  }
  /// The model that a property leads to, if any.
  @inlinable public func getValue<Value>(forKey key: KeyPath<Self, Value?>) -> Value? where Value: PersistentModel {
    persistentBackingData.getValue(forKey: key)
  }
  /// The model that a property leads to, of a class that can be decoded as well.
  @inlinable public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: PersistentModel, Value: Decodable { _model(key) }
  /// The model that a property leads to, if any, of a class that can be decoded as well.
  @inlinable public func getValue<Value>(forKey key: KeyPath<Self, Value?>) -> Value?
  where Value: PersistentModel, Value: Decodable { _model(key) }
  /// The models that a property leads to.
  @inlinable public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.getValue(forKey: key)
  }
  /// The models that a property leads to.
  @inlinable public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.getValue(forKey: key)
  }
  /// The value of a property with a value transformer.
  @inlinable public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getTransformableValue(forKey: key)
  }
  /// Sets a property.
  @inlinable public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) where Value: Encodable {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the model that a property leads to. A new model goes into the context that it is in.
  @inlinable public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: PersistentModel {
    persistentBackingData.setValue(forKey: key, to: newValue)
    _join(newValue)
  }
  /// Sets the model that a property leads to, or none. A new model goes into the context that it is in.
  @inlinable public func setValue<Value>(forKey key: KeyPath<Self, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    persistentBackingData.setValue(forKey: key, to: newValue)
    if let newValue { _join(newValue) }
  }
  /// Sets the model that a property leads to, of a class that can be encoded as well.
  @inlinable public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: PersistentModel, Value: Encodable { _setModel(key, newValue) }
  /// Sets the model that a property leads to, or none, of a class that can be encoded as well.
  @inlinable public func setValue<Value>(forKey key: KeyPath<Self, Value?>, to newValue: Value?)
  where Value: PersistentModel, Value: Encodable { _setModel(key, newValue) }
  /// Sets the models that a property leads to. A new model goes into the context that one of them is in.
  @inlinable public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.setValue(forKey: key, to: newValue)
    _join(newValue, of: OtherModel.self)
  }
  /// Sets the models that a property leads to. A new model goes into the context that one of them is in.
  @inlinable public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.setValue(forKey: key, to: newValue)
    _join(newValue, of: OtherModel.self)
  }
  /// Sets a property with a value transformer.
  @inlinable public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setTransformableValue(forKey: key, to: newValue)
  }

  // What is a model is no value, whatever else its class is.

  @inlinable func _model<Value: PersistentModel>(_ key: KeyPath<Self, Value>) -> Value { getValue(forKey: key) }
  @inlinable func _model<Value: PersistentModel>(_ key: KeyPath<Self, Value?>) -> Value? { getValue(forKey: key) }
  @inlinable func _setModel<Value: PersistentModel>(_ key: KeyPath<Self, Value>, _ newValue: Value) {
    setValue(forKey: key, to: newValue)
  }
  @inlinable func _setModel<Value: PersistentModel>(_ key: KeyPath<Self, Value?>, _ newValue: Value?) {
    setValue(forKey: key, to: newValue)
  }

  @usableFromInline
  func _join<Other: PersistentModel>(_ other: Other) {
    let storage = storage
    if storage.object != nil || storage.isDeleted { return }
    let found = other.storage
    if let context = found.visibleContext, !found.isDeleted { context.insert(self) }
  }
  @usableFromInline
  func _join<Other: PersistentModel>(_ others: some RelationshipCollection, of _: Other.Type) {
    if storage.object != nil { return }
    guard let others = others as? [Other]? else { return }
    for other in others ?? [] { _join(other) }
  }

  /// The model's identity. It changes with the first save; from then on it is the same in every context.
  public var persistentModelID: PersistentIdentifier { storage.identifier }
  /// The same as ``persistentModelID``, unless the model declares an `id` of its own.
  public var id: PersistentIdentifier { persistentModelID }
  /// The context that inserted or fetched the model. Nil before that, and after its deletion was saved.
  public var modelContext: ModelContext? { storage.visibleContext }
  /// Whether the model has unsaved changes.
  public var hasChanges: Bool { storage.object?.hasChanges ?? false }
  /// Whether the model was deleted: by its context, until that saves, or by another one. After the save that deletes a
  /// model only its ``modelContext`` says so: it is nil.
  public var isDeleted: Bool { storage.object?.isDeleted ?? false }

  /// A model equals only itself.
  public static func == (left: Self, right: Self) -> Bool { left === right }
  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  var storage: ModelStorage {
    if let own = _storageReference?.storage.takeUnretainedValue(), own.isWholeStorage(of: self) { return own }
    let data = persistentBackingData
    guard let storage = data.storage(of: ModelType.of(Self.self)) else { _endForeign(data, of: Self.self) }
    return storage.joinedStorage ?? storage
  }
}

/// A type that a to-many relationship may be declared as.
public protocol RelationshipCollection {
  /// The models in it.
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The models in it.
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  /// The models in it.
  public typealias PersistentElement = Wrapped.Element
}
