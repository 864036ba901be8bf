import Foundation

/// A model: the entities whose objects a stack can keep, and the relationships between them.
///
///     let title = NSAttributeDescription()
///     title.name = "title"
///     title.type = .string
///     let book = NSEntityDescription()
///     book.name = "Book"
///     book.properties = [title]
///     let model = NSManagedObjectModel()
///     model.entities = [book]
///     print(model.entitiesByName.keys.sorted())  // ["Book"]
///
/// Build it on one thread. Once a coordinator uses it, it is immutable: any thread may read it, and a change traps.
// Mutable only until frozen, on the thread that builds it; after that any thread may read it.
nonisolated open class NSManagedObjectModel: NSObject, NSCopying {
  final var storedEntities: [NSEntityDescription] = []
  final var storedConfigurations: [String: [NSEntityDescription]] = [:]
  /// Whether the default configuration is one of ``configurations``: in models from files, their copies and mergers.
  final var listsDefaultConfiguration = false
  final var storedVersionIdentifiers: Set<AnyHashable> = []
  final var storedLocalizationDictionary: [String: String]?
  /// Fetch request templates by name. The room Fetching reads and writes them, under a lock of its own.
  final var storedTemplates: [String: any ModelRequest] = [:]
  /// Computed when the model is frozen; nil before.
  final var frozen: FrozenModel?
  /// The stack's own view of the model.
  final var layoutsStorage: ModelLayouts?
  final var storedStoreOrigin: StoreOrigin?
  /// Whether the model was made for objects of entities that are in none. Another model may take these entities over;
  /// this one keeps them as well, for the objects that there are.
  final var isProvisional = false
  /// The URL that the model was read from; nil if it was built, copied or merged.
  final var fileURL: URL?

  /// Makes a model without entities, for building one in code.
  public override init() {
    super.init()
  }

  /// `makeDynamically()`.
  @_silgen_name("core_data_make_model")
  convenience init(dynamically: Void) { self.init() }

  /// For subclasses, of which Apple's framework asks for it. Models are in no archive here: this ends the program.
  public required init?(coder: NSCoder) { misuse(.archivedModel) }

  final var isFrozen: Bool { frozen != nil }

  /// How a model was obtained from a store's file.
  public enum StoreOrigin: String, Sendable {
    /// The file keeps the model that wrote it.
    case cached
    /// The model was reconstructed from tables, columns and rows. Upper and lower case of names are guessed, types are
    /// those of the columns, and whatever leaves no trace in a file is missing.
    case inferred
  }

  /// How a model of `init(storedIn:)` was obtained; nil for other models.
  public final var storeOrigin: StoreOrigin? { storedStoreOrigin }

  /// All entities. If you set it, the subentities of the given entities are included. Configurations then have the
  /// entities of the same names, and lose those that the model no longer has.
  open var entities: [NSEntityDescription] {
    get { storedEntities }
    set {
      willRedefine("entities")
      for entity in storedEntities { entity.owningModel = nil }
      storedEntities = []
      addEntities(newValue)
      updateConfigurations()
    }
  }

  /// Replaces entities that are not in the model any more by those of the same names.
  private func updateConfigurations() {
    if storedConfigurations.isEmpty { return }
    let known = NSManagedObjectModel.byName(storedEntities)
    storedConfigurations = storedConfigurations.mapValues { members in
      members.compactMap { $0.owningModel === self ? $0 : $0.storedName.flatMap { known[$0] } }
    }
  }

  /// All entities by name.
  open var entitiesByName: [String: NSEntityDescription] {
    frozen?.entitiesByName ?? NSManagedObjectModel.byName(storedEntities)
  }

  /// Texts by which a program can distinguish its models. They never decide whether a store is compatible.
  open var versionIdentifiers: Set<AnyHashable> {
    get { storedVersionIdentifiers }
    set {
      willMutate("versionIdentifiers")
      storedVersionIdentifiers = newValue
    }
  }

  /// Localised names under the keys "Entity/Name", "Property/Name/Entity/EntityName", "Property/Name" and
  /// "ErrorString/Text". May be set on a model in use, before other threads read it.
  open var localizationDictionary: [String: String]? {
    get { storedLocalizationDictionary }
    set { storedLocalizationDictionary = newValue }
  }

  /// The names of the entities, for logs.
  open override var description: String {
    "NSManagedObjectModel with entities \(storedEntities.map { $0.storedName ?? "(no name)" }.sorted())"
  }

  /// Whether the other model has equal entities, and the same configurations, fetch request templates, identifiers and
  /// localised names. Two models read from one file are equal, and so is a copy.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectModel else { return false }
    return self === other || isEqualModel(to: other)
  }

  /// A hash of the entities' names only, which is quick.
  open override var hash: Int { Set(storedEntities.map(\.storedName)).hashValue }

  /// Adds entities and those that inherit from them, each once.
  final func addEntities(_ entities: [NSEntityDescription]) {
    for entity in entities where !storedEntities.contains(where: { $0 === entity }) {
      if let owner = entity.owningModel, owner !== self {
        if !owner.isProvisional || !entity.hasKnownAncestors { misuse(.entityOfAnotherModel(entity)) }
        // The former layout is its model's, which its objects keep.
        entity.layoutStorage = nil
      }
      entity.owningModel = self
      storedEntities.append(entity)
    }
    for entity in entities where !entity.storedSubentities.isEmpty {
      let missing = entity.storedSubentities.filter { $0.owningModel !== self }
      if !missing.isEmpty { addEntities(missing) }
    }
  }

  final func willMutate(_ member: StaticString) {
    if isFrozen { misuse(.immutableModel(self, member: "\(member)")) }
  }

  /// Like `willMutate`, for changes that affect a version hash.
  final func willRedefine(_ member: StaticString) {
    willMutate(member)
    forgetStatedHashes()
  }

  /// The version hashes that a compiled model states, by entity name. They take precedence over computed ones, because
  /// the recipe for derived attributes is not known. Any change of a definition drops them.
  final var statedVersionHashes: [String: Data] {
    get {
      Dictionary(
        storedEntities.compactMap { entity in
          guard let name = entity.storedName, let hash = entity.statedVersionHash else { return nil }
          return (name, hash)
        }, uniquingKeysWith: { $1 })
    }
    set {
      for entity in storedEntities { entity.statedVersionHash = entity.storedName.flatMap { newValue[$0] } }
    }
  }

  final func forgetStatedHashes() {
    for entity in storedEntities { entity.statedVersionHash = nil }
  }

  static func byName(_ entities: [NSEntityDescription]) -> [String: NSEntityDescription] {
    Dictionary(
      entities.compactMap { entity in entity.storedName.map { ($0, entity) } }, uniquingKeysWith: { $1 })
  }
}

nonisolated extension NSManagedObjectModel: _MadeWithoutArguments {
  /// A model of this class, by its own ``init()``; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_model")
  static func makeDynamically() -> NSManagedObjectModel
}

/// Models, entities and properties, for `self.init()` in their static methods; see `DynamicInitializers.swift`.
public protocol _MadeWithoutArguments {}

extension _MadeWithoutArguments {
  /// Makes a model, an entity or a property of a class that is a value.
  public init() {
    let type: Any.Type = Self.self
    let made: NSObject =
      switch type {
      case let model as NSManagedObjectModel.Type: model.makeDynamically()
      case let entity as NSEntityDescription.Type: entity.makeDynamically()
      default: (type as! NSPropertyDescription.Type).makeDynamically()
      }
    self = made as! Self
  }
}
