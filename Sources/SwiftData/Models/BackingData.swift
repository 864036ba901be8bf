import CoreData

/// Where a model's persistent values are, before and after it was inserted into a context.
public protocol BackingData<Model> {
  /// The class whose values they are.
  associatedtype Model: PersistentModel
  /// Storage for a new object.
  init(for modelType: Model.Type)
  /// The identity of the stored object; nil before the first save.
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
  /// The value of a property that a transformer makes data of.
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
  /// Sets a property that a transformer makes data of.
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

/// The storage that data are a reference to. Only for data that are known to be a `DefaultBackingData`: of an object,
/// the first word of an existential is the reference.
@inlinable @inline(__always)
func _storage<Model>(in data: any BackingData<Model>) -> ModelStorage {
  withUnsafeBytes(of: data) { $0.load(as: Unmanaged<ModelStorage>.self).takeUnretainedValue() }
}

extension BackingData {
  /// The same in code that is not made for one class, where the type of an existential costs a look-up.
  var reference: ModelStorage {
    withUnsafeBytes(of: self) { $0.load(as: Unmanaged<ModelStorage>.self).takeUnretainedValue() }
  }
}

/// The storage that models have: values of their own until they are inserted, a managed object from then on.
@usableFromInline
final class DefaultBackingData<Model: PersistentModel>: ModelStorage, BackingData {
  @usableFromInline
  init(for modelType: Model.Type) { super.init(ModelType.of(modelType)) }

  @usableFromInline var persistentModelID: PersistentIdentifier? {
    get {
      let storage = whole ?? self
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

/// Generated code of a model that inherits from another: the storage of the whole object.
///
/// - Parameter own: what the subclass's initializer fills.
/// - Parameter inherited: what the superclass's does.
public func _joinedBackingData<Model, Root>(
  _ own: any BackingData<Model>, _ inherited: any BackingData<Root>
) -> any BackingData<Root> {
  // Storage of another program's making is told of where it is asked for the model's identity.
  if let own = own as? ModelStorage, let inherited = inherited as? ModelStorage { own.join(inherited) }
  return inherited
}
