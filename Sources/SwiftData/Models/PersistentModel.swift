import CoreData
import Observation

/// A class whose objects are kept in stores. ``Model()`` writes the conformance.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// An object that stands for stored values.
  init(backingData: any BackingData<Self>)
  /// Where the object's persistent values are.
  var persistentBackingData: any BackingData<Self> { get set }
  /// The persistent properties, in the order of their declarations.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
  /// Generated code: who observes the object, of the class's own properties last, before them those of the classes
  /// above. Without it observers hear of what the program sets, and not of what a merge, an undo or the other end of a
  /// relationship changes.
  var _observationRegistrars: [ObservationRegistrar] { get }
}

extension PersistentModel {
  /// None, for a class that no macro has written into.
  public var _observationRegistrars: [ObservationRegistrar] { [] }

  /// Storage for a new object.
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
    let data = persistentBackingData
    if ObjectIdentifier(type(of: data)) == ObjectIdentifier(DefaultBackingData<Self>.self),
      let place = _storage(in: data).place(of: key),
      let value = Value.readManagedOptional(place.object, place.key)
    {
      return value
    }
    return data.getValue(forKey: key)
  }
  /// The model that a property leads to.
  @inlinable public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value where Value: PersistentModel {
    persistentBackingData.getValue(forKey: key)
  }
  /// The model that a property leads to, if any.
  @inlinable public func getValue<Value>(forKey key: KeyPath<Self, Value?>) -> Value? where Value: PersistentModel {
    persistentBackingData.getValue(forKey: key)
  }
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
  /// The value of a property that a transformer makes data of.
  @inlinable public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getTransformableValue(forKey: key)
  }
  /// Sets a property.
  @inlinable public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) where Value: Encodable {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the model that a property leads to.
  @inlinable public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: PersistentModel {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the model that a property leads to, or none.
  @inlinable public func setValue<Value>(forKey key: KeyPath<Self, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the models that a property leads to.
  @inlinable public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the models that a property leads to.
  @inlinable public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets a property that a transformer makes data of.
  @inlinable public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setTransformableValue(forKey: key, to: newValue)
  }

  /// The object's identity: another one after its first save, the same in every context from then on.
  public var persistentModelID: PersistentIdentifier { storage.identifier }
  /// The same; a model may have an `id` of its own instead.
  public var id: PersistentIdentifier { persistentModelID }
  /// The context that the object was inserted into or fetched by; nil before, and after its deletion was saved.
  public var modelContext: ModelContext? { storage.visibleContext }
  /// Whether the object has changes that are not saved.
  public var hasChanges: Bool { storage.object?.hasChanges ?? false }
  /// Whether the object is deleted, saved or not.
  public var isDeleted: Bool { storage.isDeleted }

  /// An object equals itself only.
  public static func == (left: Self, right: Self) -> Bool { left === right }
  /// Of the object itself.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  var storage: ModelStorage {
    let data = persistentBackingData
    // A cast would ask the runtime; nearly all are of the class's own type.
    let isOwn = ObjectIdentifier(Swift.type(of: data)) == ModelType.of(Self.self).storageClass
    guard let storage = isOwn ? data.reference : data as? ModelStorage else {
      misuse(
        MisuseReport(
          "The storage of a \(Self.self) is of another program's making.",
          facts: [("Storage", "\(type(of: persistentBackingData))")],
          how: "persistentBackingData was set to a type that conforms to BackingData by itself.",
          remedy: "Leave the storage that the macro makes."))
    }
    return storage.whole ?? storage
  }
}

/// What a to-many relationship may be declared as.
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
