extension Schema {
  /// A model class in a schema.
  public final class Entity: Hashable {
    /// The class's name.
    public let name: String
    /// The properties, inherited ones first, in the order of their declarations.
    public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
    /// The properties that the class itself declares.
    public let storedProperties: [any SchemaProperty]
    /// The properties of the models that the class inherits from.
    public let inheritedProperties: [any SchemaProperty]
    /// The name of the model that the class inherits from.
    public let superentityName: String?
    /// The model that the class inherits from.
    public internal(set) unowned(safe) var superentity: Entity?
    /// The models that inherit from the class at once.
    public internal(set) var subentities: Set<Entity> = []
    /// Properties of which no two objects have the same values.
    public let uniquenessConstraints: [[String]]
    /// Properties that the store keeps an index of.
    public let indices: [[String]]

    init(_ type: ModelType) {
      name = type.name
      func described(_ property: ModelProperty) -> any SchemaProperty {
        switch property.kind {
        case .toOne(let destination), .toMany(let destination): Relationship(property, to: destination)
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
    /// The properties that lead to models.
    public var relationships: Set<Relationship> { Set(properties.compactMap { $0 as? Relationship }) }
    /// The attributes by their names.
    public var attributesByName: [String: Attribute] {
      Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    }
    /// The relationships by their names.
    public var relationshipsByName: [String: Relationship] {
      Dictionary(uniqueKeysWithValues: relationships.map { ($0.name, $0) })
    }

    /// Whether it is the same.
    public static func == (left: Entity, right: Entity) -> Bool { left === right }
    /// By its place in memory.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// A property whose value has parts, each of which is kept in a column of its own: a struct or an enumeration.
  public final class CompositeAttribute: Attribute {
    /// The parts: of a struct its stored properties, of an enumeration its cases, or the raw value.
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
