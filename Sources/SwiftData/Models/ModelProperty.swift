import CoreData

/// A persistent property of a model class: its Swift type, and how values get into a managed object and out of it.
final class ModelProperty {
  /// How the entity represents the property.
  enum Kind {
    case attribute(NSAttributeType)
    /// A struct or an enumeration, stored as one attribute for each part.
    case composite(ValueShape)
    /// A collection, or what can't be taken apart, stored as a keyed archive of its JSON.
    case archive
    /// A value that a transformer turns into data.
    case transformable(transformer: String)
    case toOne(any PersistentModel.Type)
    case toMany(any PersistentModel.Type)
  }

  let name: String
  let keyPath: AnyKeyPath
  /// The property's key path, then those of the same property in the superclasses.
  let keyPaths: [AnyKeyPath]
  let declaredType: Any.Type
  /// The declared type without `?`.
  let type: Any.Type
  let isOptional: Bool
  let defaultValue: Any?
  let attribute: Schema.Attribute?
  /// Whether the property has no column.
  let isEphemeral: Bool
  /// Whether the store may keep the value in a file of its own.
  let mayLieInFile: Bool
  let relationship: Schema.Relationship?
  let kind: Kind
  /// Stored, because each change of a model asks for it.
  let isRelationship: Bool
  let access: AnyPropertyAccess
  /// Notifies observers of the property.
  let observed: AnyObservedProperty

  init(_ metadata: Schema.PropertyMetadata, of entity: String) {
    name = metadata.name
    keyPath = metadata.keypath
    keyPaths = [metadata.keypath] + metadata.formerKeyPaths
    // The accessors belong to the class that declares the property, and use its key path.
    observed = makeObservedProperty(
      metadata.formerKeyPaths.first ?? metadata.keypath, levelsBelow: metadata.formerKeyPaths.count)
    declaredType = Swift.type(of: metadata.keypath).valueType
    let optional = declaredType as? any OptionalValue.Type
    isOptional = optional != nil
    type = optional?.wrappedType ?? declaredType
    defaultValue = metadata.defaultValue.flatMap(unwrapped)
    attribute = metadata.metadata as? Schema.Attribute
    isEphemeral = attribute?.isTransient ?? false
    mayLieInFile = attribute?.options.contains(.externalStorage) ?? false
    relationship = metadata.metadata as? Schema.Relationship
    let key = PropertyKey(entity: entity, name: name)
    if let transformer = attribute?.transformer {
      kind = .transformable(transformer: transformer)
      access = makeTransformableAccess(declaredType, key)
    } else if let made = ModelProperty.read(declaredType, type, isOptional, key) {
      (kind, access) = made
    } else {
      misuse(
        MisuseReport(
          "\(entity).\(metadata.name) is of a type that cannot be stored.",
          facts: [("Declared as", "\(declaredType)")],
          how: "A persistent property is a simple value, a model, an array of models, or Codable.",
          remedy: "Make the type Codable, name a transformer with `@Attribute(.transformable(by:))`, or mark the "
            + "property @Transient."))
    }
    isRelationship =
      switch kind {
      case .toOne, .toMany: true
      case .attribute, .composite, .archive, .transformable: false
      }
    if relationship?.maximumModelCount == 1, case .toMany(let model) = kind {
      misuse(
        MisuseReport(
          "\(entity).\(metadata.name) is an array that may lead to one \(model) only.",
          facts: [("Declared as", "\(declaredType)"), ("maximumModelCount", "1")],
          how: "A relationship to at most one model is stored as a to-one relationship, which has no array.",
          remedy: "Declare the property as \(model)?, or give it another maximumModelCount."))
    }
    if isEphemeral, case .composite = kind {
      misuse(
        MisuseReport(
          "\(entity).\(metadata.name) cannot be ephemeral.", facts: [("Declared as", "\(declaredType)")],
          how: "Only a property that is kept in a single column can be left out of the store.",
          remedy: "Mark the property @Transient."))
    }
  }

  private static func read(
    _ declared: Any.Type, _ type: Any.Type, _ isOptional: Bool, _ key: PropertyKey
  ) -> (Kind, AnyPropertyAccess)? {
    if let model = type as? any PersistentModel.Type {
      return (.toOne(model), isOptional ? makeOptionalToOneAccess(model, key) : makeToOneAccess(model, key))
    }
    if let many = type as? any RelationshipCollection.Type, type is any ModelArray.Type {
      let element = elementType(many)
      return (.toMany(element), isOptional ? makeOptionalToManyAccess(element, key) : makeToManyAccess(element, key))
    }
    if let simple = AttributeTypes.type(of: type), let managed = type as? any ManagedValue.Type {
      return (.attribute(simple), isOptional ? makeOptionalAccess(managed, key) : makeAccess(managed, key))
    }
    guard let codable = type as? any (Decodable & Encodable).Type else { return nil }
    guard !AttributeTypes.isCollection(type),
      let shape = ValueShape.make(type, named: key.name, isOptional: isOptional)
    else { return (.archive, isOptional ? makeOptionalArchiveAccess(codable, key) : makeArchiveAccess(codable, key)) }
    return (
      .composite(shape),
      isOptional ? makeOptionalStructAccess(codable, shape, key) : makeStructAccess(codable, shape, key)
    )
  }

  var destination: (any PersistentModel.Type)? {
    switch kind {
    case .toOne(let model), .toMany(let model): model
    case .attribute, .composite, .archive, .transformable: nil
    }
  }
  /// The key of the property in a managed object, if the object holds the value as it is.
  var managedKey: ManagedKey? {
    if case .attribute = kind, !isEphemeral { access.key.key } else { nil }
  }
  var isToMany: Bool { if case .toMany = kind { true } else { false } }
  var isUnique: Bool { attribute?.isUnique ?? relationship?.isUnique ?? false }

  func access<Value>(of _: Value.Type) -> PropertyAccess<Value> {
    // Both types come from one key path, whose value type is `Value`.
    unsafeDowncast(access, to: PropertyAccess<Value>.self)
  }
}

/// The name of a property, and its key in managed objects.
struct PropertyKey {
  let entity: String
  let name: String
  let key: ManagedKey

  init(entity: String, name: String) {
    self.entity = entity
    self.name = name
    key = ManagedKey(name: name)
  }
}

private func elementType<C: RelationshipCollection>(_: C.Type) -> any PersistentModel.Type { C.PersistentElement.self }

protocol ModelArray {}
extension Array: ModelArray where Element: PersistentModel {}

/// An optional of any type.
protocol OptionalValue {
  static var wrappedType: Any.Type { get }
  var wrappedValue: Any? { get }
}
extension Optional: OptionalValue {
  static var wrappedType: Any.Type { Wrapped.self }
  var wrappedValue: Any? { self }
}

/// The value inside an optional that was converted to `Any`.
func unwrapped(_ value: Any) -> Any? {
  guard let optional = value as? any OptionalValue else { return value }
  return optional.wrappedValue.flatMap(unwrapped)
}
