import Foundation

/// An entity of a model: a kind of object, with its properties and its place in a hierarchy.
///
///     let book = NSEntityDescription()
///     book.name = "Book"
///     book.managedObjectClassName = NSStringFromClass(Book.self)
///     book.properties = [title, author]
///     model.entities.append(book)
///
/// Entities are owned by their model and own their properties and sub-entities. Once a coordinator uses the
/// model, a change traps.
// Mutable only until the model is frozen, by whoever builds it; any thread may read it after that.
nonisolated open class NSEntityDescription: NSObject, NSCopying {
  final weak var owningModel: NSManagedObjectModel?
  /// What others refer to instead of the entity itself.
  final private(set) var anchor: EntityAnchor!
  private final weak var superentityAnchor: EntityAnchor?
  final var storedSubentities: [NSEntityDescription] = []
  final var storedName: String?
  final var storedManagedObjectClassName = "NSManagedObject"
  /// A class for the entity's objects that no file tells of: it goes before the one that is named. A subclass of
  /// `NSManagedObject`, set before the model is used.
  package final var unnamedObjectClass: AnyClass?
  final var storedIsAbstract = false
  /// The properties this entity declares itself, in the order given.
  final var ownProperties: [NSPropertyDescription] = []
  final var storedUserInfo: [AnyHashable: Any]? = [:]
  final var storedVersionHashModifier: String?
  final var storedRenamingIdentifier: String?
  final var storedIndexes: [NSFetchIndexDescription] = []
  final var storedUniquenessConstraints: [[Any]] = []
  final var storedCompoundIndexes: [[Any]] = []
  final var storedCoreSpotlightDisplayNameExpression: FoundationExpression?
  /// That expression as the model file writes it. This room cannot parse.
  final var storedCoreSpotlightDisplayNameFormat: String?
  /// See `NSManagedObjectModel.statedVersionHashes`.
  final var statedVersionHash: Data?
  /// What is known for good once the model is frozen; nil before.
  final var frozen: FrozenEntity?
  /// Where the stack keeps its own view of the entity: slots, columns.
  final var layoutStorage: EntityLayout?

  /// An entity without a name, a model or properties.
  public override init() {
    super.init()
    anchor = EntityAnchor(self)
  }

  final var storedSuperentity: NSEntityDescription? {
    get { superentityAnchor?.entity }
    set { superentityAnchor = newValue?.anchor }
  }

  final var isFrozen: Bool { frozen != nil }

  /// The model that the entity belongs to. Reading it before it is in a model is a misuse.
  open var managedObjectModel: NSManagedObjectModel {
    guard let owningModel else { misuse(.entityWithoutModel(self)) }
    return owningModel
  }

  /// The name, unique within the model.
  open var name: String? {
    get { storedName }
    set {
      willRedefine("name")
      storedName = newValue
    }
  }

  /// The class of the entity's objects: `Module.Class`, or a plain class name. Default: "NSManagedObject".
  open var managedObjectClassName: String! {
    get { storedManagedObjectClassName }
    set {
      willMutate("managedObjectClassName")
      storedManagedObjectClassName = newValue ?? "NSManagedObject"
    }
  }

  /// Whether there are objects of sub-entities only.
  open var isAbstract: Bool {
    get { storedIsAbstract }
    set {
      willRedefine("isAbstract")
      storedIsAbstract = newValue
    }
  }

  /// What the program wants to note about the entity; no part of the version hash. May be set while the model is in
  /// use, on one thread.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set {
      storedUserInfo = newValue
    }
  }

  /// A text that enters the version hash, for a change of meaning that the definition does not show.
  open var versionHashModifier: String? {
    get { storedVersionHashModifier }
    set {
      willRedefine("versionHashModifier")
      storedVersionHashModifier = newValue
    }
  }

  /// The name by which migration recognises the entity in an older model. Default: its own name.
  open var renamingIdentifier: String? {
    get { storedRenamingIdentifier ?? storedName }
    set {
      willMutate("renamingIdentifier")
      storedRenamingIdentifier = newValue
    }
  }

  /// The indexes of the entity's own columns.
  open var indexes: [NSFetchIndexDescription] {
    get { storedIndexes }
    set {
      willMutate("indexes")
      for index in storedIndexes { index.owningEntity = nil }
      storedIndexes = newValue
      for index in newValue { index.owningEntity = self }
    }
  }

  /// Groups of attributes, by name or description, whose values together are unique among the objects of
  /// this entity and its sub-entities.
  open var uniquenessConstraints: [[Any]] {
    get { storedUniquenessConstraints }
    set {
      willRedefine("uniquenessConstraints")
      storedUniquenessConstraints = newValue
    }
  }

  /// Groups of properties to index together. Superseded by `indexes`.
  open var compoundIndexes: [[Any]] {
    get { storedCompoundIndexes }
    set {
      willMutate("compoundIndexes")
      storedCompoundIndexes = newValue
    }
  }

  /// Kept for model files; there is no Spotlight here.
  open var coreSpotlightDisplayNameExpression: FoundationExpression! {
    get { storedCoreSpotlightDisplayNameExpression }
    set {
      willMutate("coreSpotlightDisplayNameExpression")
      storedCoreSpotlightDisplayNameExpression = newValue
      storedCoreSpotlightDisplayNameFormat = nil
    }
  }

  /// The name and the class, for logs.
  open override var description: String {
    "NSEntityDescription \(storedName ?? "(no name)") (\(storedManagedObjectClassName))"
  }

  /// Whether the other entity defines the same, wherever it comes from: name, class, properties, constraints, indexes,
  /// and what it inherits. Entities that relationships lead to count by their names.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSEntityDescription else { return false }
    return self === other || isEqualEntity(to: other)
  }

  /// Of the name alone, so that it costs little.
  open override var hash: Int { storedName?.hashValue ?? 0 }

  /// The own constraints as attribute names.
  package final var constraintNames: [[String]] {
    storedUniquenessConstraints.map { constraint in
      constraint.map { ($0 as? NSPropertyDescription)?.storedName ?? ($0 as? String) ?? "\($0)" }
    }
  }

  final func willMutate(_ member: StaticString) {
    if isFrozen { misuse(.immutableEntity(self, member: "\(member)")) }
  }

  /// As `willMutate`, for what enters a version hash.
  final func willRedefine(_ member: StaticString) {
    willMutate(member)
    owningModel?.forgetStatedHashes()
  }
}
