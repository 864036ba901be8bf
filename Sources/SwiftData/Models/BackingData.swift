import CoreData

/// The storage of a model's persistent values, before and after the model is inserted into a context.
public protocol BackingData<Model> {
  /// The model's class.
  associatedtype Model: PersistentModel
  /// Makes storage for a new model.
  init(for modelType: Model.Type)
  /// The identity of the stored model; nil before the first save.
  var persistentModelID: PersistentIdentifier? { get set }

  /// The value of a property.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
  /// The model that a property leads to.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
  /// The model that a property leads to, if any.
  func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
  /// The models that a property leads to.
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// The models that a property leads to.
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// The value of a property with a value transformer.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

  /// Sets a property.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
  /// Sets the model that a property leads to.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel
  /// Sets the model that a property leads to, or none.
  func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel
  /// Sets the models that a property leads to.
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Sets the models that a property leads to.
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Sets a property with a value transformer.
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

/// Generated code: the storage that a model's data are a reference to. The data keep it alive.
public struct _StorageReference {
  @usableFromInline let storage: Unmanaged<ModelStorage>

  @usableFromInline
  init(_ storage: Unmanaged<ModelStorage>) { self.storage = storage }

  // Inlined by force for `modelread`, as is `_reference`; see CONTRIBUTING.md.
  /// nil if the data are no `DefaultBackingData`. In a class that hands over its own property, nothing is copied.
  @inlinable @inline(__always)
  public init?<Model: PersistentModel>(_ data: borrowing any BackingData<Model>) {
    guard let found = _reference(data, ObjectIdentifier(DefaultBackingData<Model>.self)) else { return nil }
    self = found
  }
}

/// The data as what they are; nil if they are of another type. `type(of:)` and a cast would ask the runtime, while a
/// function that gets the data in their own type has it at hand.
@inlinable @inline(__always)
func _reference<Data: BackingData>(_ data: borrowing Data, _ type: ObjectIdentifier) -> _StorageReference? {
  ObjectIdentifier(Data.self) == type
    ? _StorageReference(unsafeBitCast(copy data, to: Unmanaged<ModelStorage>.self)) : nil
}

extension BackingData {
  /// Generated code: keeps the value that a property of a new model begins with, in what `createBackingData()` made.
  // Inlined by force, as the count of `modelinsert` asks for: else it is compiled for no type.
  @inlinable @inline(__always)
  public func _keep<Value>(_ value: Value, forKey key: KeyPath<Model, Value>) {
    guard let reference = _reference(self, ObjectIdentifier(DefaultBackingData<Model>.self)) else {
      _endForeign(self, of: Model.self)
    }
    let place = reference.storage._withUnsafeGuaranteedRef { $0.placeOfInitialValue(key) }
    place.initializeMemory(as: Value.self, to: value)
  }

  /// The storage that data are a reference to, in code that is compiled for all classes, where to name the class of the
  /// storage costs a look-up. nil if they are no `DefaultBackingData`.
  ///
  /// - Parameter type: the model's class.
  func storage(of type: ModelType) -> ModelStorage? {
    // A cast would ask the runtime; nearly all are of the class's own type.
    ObjectIdentifier(Self.self) == type.storageClass ? reference : self as? ModelStorage
  }

  /// The storage that data are a reference to, which are known to be a `DefaultBackingData`.
  var reference: ModelStorage { unsafeBitCast(self, to: Unmanaged<ModelStorage>.self).takeUnretainedValue() }
}

/// Data of a type that conforms to ``BackingData`` by itself.
@usableFromInline
func _endForeign<Model: PersistentModel>(_ data: any BackingData, of _: Model.Type) -> Never {
  misuse(
    MisuseReport(
      "The storage of a \(Model.self) is of another program's making.", facts: [("Storage", "\(type(of: data))")],
      how: "Its class makes, or persistentBackingData was set to, a type that conforms to BackingData by itself.",
      remedy: "Leave the storage that the macro makes."))
}

/// The storage of nearly all models. It holds the values itself until the model is inserted; from then on a managed
/// object holds them.
@usableFromInline
final class DefaultBackingData<Model: PersistentModel>: ModelStorage, BackingData {
  @usableFromInline
  init(for modelType: Model.Type) { super.init(ModelType.of(modelType)) }

  @usableFromInline var persistentModelID: PersistentIdentifier? {
    get {
      let storage = joinedStorage ?? self
      return storage.object == nil || storage.identifier.isTemporary ? nil : storage.identifier
    }
    set {
      misuse(
        MisuseReport(
          "The identity of a \(type.name) was set by hand.", facts: [("New", "\(newValue.map { "\($0)" } ?? "nil")")],
          how: "Stores number their objects themselves.", remedy: "Insert the model, and save."))
    }
  }

  @usableFromInline func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: Decodable {
    value(key)
  }
  @usableFromInline func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel {
    value(key)
  }
  @usableFromInline func getValue<Value>(forKey key: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel {
    value(key)
  }
  @usableFromInline func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { value(key) }
  @usableFromInline func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { value(key) }
  @usableFromInline func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { value(key) }

  @usableFromInline func setValue<Value>(forKey key: KeyPath<Model, Value>, to value: Value) where Value: Encodable {
    set(key, value)
  }
  @usableFromInline func setValue<Value>(forKey key: KeyPath<Model, Value>, to value: Value)
  where Value: PersistentModel {
    set(key, value)
  }
  @usableFromInline func setValue<Value>(forKey key: KeyPath<Model, Value?>, to value: Value?)
  where Value: PersistentModel {
    set(key, value)
  }
  @usableFromInline func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to value: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { set(key, value) }
  @usableFromInline func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to value: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { set(key, value) }
  @usableFromInline func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to value: Value) {
    set(key, value)
  }
}

/// Joins the storages of a subclass and of its superclass into one. Generated code calls it.
///
/// - Parameter own: the storage that the subclass's initializer fills.
/// - Parameter inherited: the storage that the superclass's initializer fills.
public func _joinedBackingData<Model, Root>(
  _ own: any BackingData<Model>, _ inherited: any BackingData<Root>
) -> any BackingData<Root> {
  // If a program made the storage itself, the error is reported where the model's identity is needed.
  if let own = own as? ModelStorage, let inherited = inherited as? ModelStorage { own.join(inherited) }
  return inherited
}
