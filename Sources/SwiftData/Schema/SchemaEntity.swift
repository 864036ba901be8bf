extension Schema {
  /// A model class in a schema.
  public final class Entity: Hashable {
    /// The class's name.
    public let name: String
    /// All properties: inherited ones first, then in the order of declaration.
    public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
    /// The properties that the class itself declares.
    public let storedProperties: [any SchemaProperty]
    /// The properties of the models that the class inherits from.
    public let inheritedProperties: [any SchemaProperty]
    /// The name of the model that the class inherits from; nil if there is none.
    public let superentityName: String?
    /// The model that the class inherits from; nil if there is none.
    public internal(set) unowned(safe) var superentity: Entity?
    /// The models that inherit directly from the class.
    public internal(set) var subentities: Set<Entity> = []
    /// The names of properties whose values are unique: one list for each constraint.
    public let uniquenessConstraints: [[String]]
    /// The names of the indexed properties: one list for each index.
    public let indices: [[String]]

    init(_ type: ModelType, _ inverses: InverseNames) {
      name = type.name
      func described(_ property: ModelProperty) -> any SchemaProperty {
        switch property.kind {
        case .toOne(let destination), .toMany(let destination):
          Relationship(property, of: type.declarer(of: property).name, to: destination, inverses)
        case .composite(let shape): CompositeAttribute(property, shape)
        case .attribute, .archive, .transformable: Attribute(property)
        }
      }
      storedProperties = type.ownProperties.map(described)
      inheritedProperties = type.properties.dropLast(type.ownProperties.count).map(described)
      superentityName = type.supertype?.name
      uniquenessConstraints = type.uniquenessConstraints(all: true)
      indices = type.indices.map(\.names)
    }

    /// The properties that hold values.
    public var attributes: Set<Attribute> { Set(properties.compactMap { $0 as? Attribute }) }
    /// The properties that lead to other models.
    public var relationships: Set<Relationship> { Set(properties.compactMap { $0 as? Relationship }) }
    /// The properties that the class itself declares, by their names.
    public var storedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(uniqueKeysWithValues: storedProperties.map { ($0.name, $0) })
    }
    /// The properties of the models that the class inherits from, by their names.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(uniqueKeysWithValues: inheritedProperties.map { ($0.name, $0) })
    }
    /// The attributes by their names.
    public var attributesByName: [String: Attribute] {
      Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    }
    /// The relationships by their names.
    public var relationshipsByName: [String: Relationship] {
      Dictionary(uniqueKeysWithValues: relationships.map { ($0.name, $0) })
    }

    /// Whether both are the same entity.
    public static func == (left: Entity, right: Entity) -> Bool { left === right }
    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// A property whose value is a struct or an enumeration. Each part has a column of its own.
  public final class CompositeAttribute: Attribute {
    /// The parts: a struct's stored properties, an enumeration's cases, or its raw value.
    public let properties: [Attribute]

    init(_ property: ModelProperty, _ shape: ValueShape) {
      properties = CompositeAttribute.parts(of: shape)
      super.init(property)
    }

    private init(_ part: ValueShape.Part, _ shape: ValueShape) {
      properties = CompositeAttribute.parts(of: shape)
      super.init(part)
    }

    private static func parts(of shape: ValueShape) -> [Attribute] {
      shape.parts.map { part in
        if case .shape(let shape) = part.kind { CompositeAttribute(part, shape) } else { Attribute(part) }
      }
    }
  }
}
