import Foundation

/// Encodes a schema: its version, and the class and properties of each entity. The program that decodes it needs the
/// same classes; they are found by name and must have the same properties.
extension Schema: Codable {
  /// The version of the form in which schemas are encoded.
  public static let schemaEncodingVersion = Version(1, 0, 0)
  /// The version of the form in which this schema is encoded: ``schemaEncodingVersion``.
  public var encodingVersion: Version { Self.schemaEncodingVersion }

  private struct Form: Codable {
    /// The version's first number.
    let encodingVersion: Int
    let version: Version
    let entities: [EntityForm]
  }

  private struct EntityForm: Codable, Equatable {
    let name: String
    /// The class's mangled name.
    let type: String
    let superentity: String?
    let properties: [PropertyForm]
    let uniquenessConstraints: [[String]]
    let indices: [[String]]

    init(_ entity: Entity, _ type: ModelType) {
      name = entity.name
      self.type = _mangledTypeName(type.type) ?? ""
      superentity = entity.superentityName
      properties = entity.properties.map(PropertyForm.init)
      uniquenessConstraints = entity.uniquenessConstraints
      indices = entity.indices
    }
  }

  private struct PropertyForm: Codable, Equatable {
    let name: String
    let originalName: String
    let type: String
    let isOptional: Bool
    let isTransient: Bool
    let destination: String?

    init(_ property: any SchemaProperty) {
      name = property.name
      originalName = property.originalName
      type = String(reflecting: property.valueType)
      isOptional = property.isOptional
      isTransient = property.isTransient
      destination = (property as? Relationship)?.destination
    }
  }

  private var forms: [EntityForm] { zip(entities, types).map(EntityForm.init) }

  /// Encodes the version, and the class and properties of each entity.
  public func encode(to encoder: any Encoder) throws {
    try Form(encodingVersion: encodingVersion.major, version: version, entities: forms).encode(to: encoder)
  }

  /// Decodes a schema, and finds its classes in this program.
  ///
  /// Throws `DecodingError.dataCorrupted` if the program lacks a class, if a class has other properties now, or if the
  /// form is of another version. The error names the entity.
  public convenience init(from decoder: any Decoder) throws {
    func corrupted(_ what: String) -> DecodingError {
      .dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: what))
    }
    let form = try Form(from: decoder)
    let known = Self.schemaEncodingVersion.major
    guard form.encodingVersion == known else {
      throw corrupted("The schema is written in the form \(form.encodingVersion); \(known) is known.")
    }
    let classes = try form.entities.map { entity in
      guard let type = _typeByName(entity.type) as? any PersistentModel.Type else {
        throw corrupted("The program has no model of the entity \(entity.name): \(entity.type) is none.")
      }
      return type
    }
    // A schema can't have two models with the same name.
    guard Set(classes.map { ModelType.of($0).name }).count == classes.count else {
      throw corrupted("Two entities of the schema have the same name.")
    }
    self.init(classes, form.version, namesDecide: true)
    for (written, own) in zip(form.entities, forms) where written != own {
      let names = zip(written.properties, own.properties).first { $0 != $1 }.map { " (\($0.0.name))" } ?? ""
      throw corrupted("The entity \(written.name) was written with other properties than its class has now\(names).")
    }
    guard form.entities.count == entities.count else {
      throw corrupted("The schema was written without entities that its classes lead to.")
    }
  }

  /// Writes the schema to a file as JSON.
  public func save(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: url, options: .atomic)
  }

  /// Reads a schema that ``save(to:)`` wrote. Throws as ``init(from:)`` does, and if the file can't be read.
  public static func load(from url: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
  }
}
