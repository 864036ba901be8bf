import CoreData

/// Model classes that are stored together, including all classes that they refer to.
///
///     let schema = Schema([Book.self, Author.self], version: Schema.Version(1, 0, 0))
///     schema.entitiesByName["Book"]?.attributesByName["title"]?.valueType  // String
public final class Schema: Hashable, @unchecked Sendable {
  // `@unchecked Sendable`: nothing changes after `init`.

  /// The version, which stores of this schema record in their metadata.
  public let version: Version
  /// The entities, ordered by name.
  public let entities: [Entity]
  /// The entities by their names.
  public let entitiesByName: [String: Entity]
  let types: [ModelType]

  /// Makes a schema of some classes and of all classes that their relationships lead to.
  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    self.init(types, version, namesDecide: false)
  }

  /// - Parameter namesDecide: whether relationships lead to the class of `types` that has the destination's name.
  ///   Versions share a class that has not changed, though it can be declared with only one version of the classes that
  ///   it leads to.
  init(_ types: [any PersistentModel.Type], _ version: Version, namesDecide: Bool) {
    self.version = version
    var found: [ModelType] = []
    let stated = types.map(ModelType.of)
    let decided = namesDecide ? Set(stated.map(\.name)) : []
    func add(_ type: ModelType) {
      if found.contains(where: { $0 === type }) { return }
      if let other = found.first(where: { $0.name == type.name }) { misuse(.sameName(type, other)) }
      found.append(type)
      if let supertype = type.supertype { add(supertype) }
      for destination in type.properties.compactMap(\.destination).map(ModelType.of)
      where !decided.contains(destination.name) {
        add(destination)
      }
    }
    stated.forEach(add)
    self.types = found.sorted { $0.name < $1.name }
    let inverses = InverseNames(self.types)
    entities = self.types.map { Entity($0, inverses) }
    entitiesByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
    for entity in entities { entity.superentity = entity.superentityName.flatMap { entitiesByName[$0] } }
    for entity in entities { entity.superentity?.subentities.insert(entity) }
  }

  /// Makes a schema of some classes and of all classes that their relationships lead to.
  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  /// Makes the schema of a ``VersionedSchema``. A relationship to a class of another version leads to this version's
  /// class of the same name, but can't be read or set.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, versionedSchema.versionIdentifier, namesDecide: true)
  }

  /// The entity of a class; nil if the class isn't in the schema.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    let wanted = ModelType.of(type)
    return types.contains { $0 === wanted } ? entitiesByName[wanted.name] : nil
  }

  /// The name of a class's entity: the class's name without the types that it is nested in.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String { ModelType.of(type).name }

  /// Whether both have the same version and the same classes.
  public static func == (left: Schema, right: Schema) -> Bool {
    left === right || left.version == right.version && left.typeIdentifiers == right.typeIdentifiers
  }
  /// Hashes the version and the classes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(typeIdentifiers)
  }
  private var typeIdentifiers: Set<ObjectIdentifier> { Set(types.map { ObjectIdentifier($0) }) }

  /// A version number of three parts.
  public struct Version: Codable, Comparable, Hashable, Sendable, CustomStringConvertible {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int
    /// The third number.
    public let patch: Int

    /// Makes a version from its three parts.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }
    /// Compares the parts in order.
    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
    /// `1.0.0`
    public var description: String { "\(major).\(minor).\(patch)" }
  }

  /// What the macro records about a property.
  public struct PropertyMetadata {
    let name: String
    let keypath: AnyKeyPath
    let defaultValue: Any?
    let metadata: Any?
    /// For an inherited property, the key paths of the same property in the superclasses.
    private(set) var formerKeyPaths: [AnyKeyPath] = []
    var isInherited: Bool { !formerKeyPaths.isEmpty }

    /// A subclass's copy of what its superclass records about its properties. Generated code calls it.
    ///
    /// - Parameter keyPaths: the same properties' key paths in the subclass, in the same order.
    public static func _inherited(_ metadata: [PropertyMetadata], keyPaths: [AnyKeyPath]) -> [PropertyMetadata] {
      zip(metadata.filter { !$0.name.isEmpty }, keyPaths).map { property, keyPath in
        var made = PropertyMetadata(property.name, keyPath, property.defaultValue, property.metadata)
        made.formerKeyPaths = property.formerKeyPaths + [property.keypath]
        return made
      }
    }

    /// Records a property. Generated code calls it.
    public init(name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil) {
      self.init(name, keypath, defaultValue, metadata)
    }

    /// Records a uniqueness constraint. Generated code calls it.
    public init<T: PersistentModel>(name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: Unique<T>) {
      self.init(name, keypath, defaultValue, metadata)
    }

    /// Records an index. Generated code calls it.
    public init<T: PersistentModel>(name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: Index<T>) {
      self.init(name, keypath, defaultValue, metadata)
    }

    private init(_ name: String, _ keypath: AnyKeyPath, _ defaultValue: Any?, _ metadata: Any?) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}

extension MisuseReport {
  fileprivate static func sameName(_ type: ModelType, _ other: ModelType) -> MisuseReport {
    MisuseReport(
      "A schema has two models of the name \(type.name).",
      facts: [("One", String(reflecting: other.type)), ("Other", String(reflecting: type.type))],
      how: "An entity is named after its class, without what the class is nested in.",
      remedy: "Rename one of them, or give each a schema of its own.")
  }
}
