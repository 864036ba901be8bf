import Foundation

/// An entity of a model: a kind of object, with its properties and its place in a hierarchy.
///
///     let title = NSAttributeDescription()
///     title.name = "title"
///     title.type = .string
///     let (book, novel) = (NSEntityDescription(), NSEntityDescription())
///     book.name = "Book"
///     book.properties = [title]
///     novel.name = "Novel"
///     book.subentities = [novel]
///     print(novel.attributesByName.keys.sorted())  // ["title"]
///
/// A model owns its entities, and an entity owns its properties and subentities. Once a coordinator uses the model,
/// changing an entity traps.
// Mutable only until the model is frozen, on the thread that builds it; after that any thread may read it.
nonisolated open class NSEntityDescription: NSObject, NSCopying {
  private final var modelReference = LivingReference<NSManagedObjectModel>()
  private final var superentityReference = LivingReference<NSEntityDescription>()
  final var storedSubentities: [NSEntityDescription] = []
  final var storedName: String?
  final var storedManagedObjectClassName = "NSManagedObject"
  /// A class for the entity's objects that is not in any model file. It takes precedence over the named one. Must be a
  /// subclass of `NSManagedObject`, and be set before the model is used.
  package final var unnamedObjectClass: AnyClass?
  final var storedIsAbstract = false
  /// The entity's own properties, in the order given.
  final var ownProperties: [NSPropertyDescription] = []
  final var storedUserInfo: [AnyHashable: Any]? = [:]
  final var storedVersionHashModifier: String?
  final var storedRenamingIdentifier: String?
  final var storedIndexes: [NSFetchIndexDescription] = []
  final var storedUniquenessConstraints: [[Any]] = []
  final var storedCompoundIndexes: [[Any]] = []
  final var storedCoreSpotlightDisplayNameExpression: FoundationExpression?
  /// That expression as the model file writes it, because this room can't parse it.
  final var storedCoreSpotlightDisplayNameFormat: String?
  /// See `NSManagedObjectModel.statedVersionHashes`.
  final var statedVersionHash: Data?
  /// Computed when the model is frozen; nil before.
  final var frozen: FrozenEntity?
  /// The stack's own view of the entity: slots, columns.
  final var layoutStorage: EntityLayout?

  /// Makes an entity without a name, a model or properties.
  public override init() { super.init() }

  /// `makeDynamically()`.
  @_silgen_name("core_data_make_entity")
  convenience init(dynamically: Void) { self.init() }

  /// For subclasses, of which Apple's framework asks for it. Models are in no archive here: this ends the program.
  public required init?(coder: NSCoder) { misuse(.archivedModel) }

  final var owningModel: NSManagedObjectModel? {
    get { modelReference.object }
    set { modelReference.object = newValue }
  }

  final var storedSuperentity: NSEntityDescription? {
    get { superentityReference.object }
    set { superentityReference.object = newValue }
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

  /// Whether only subentities have objects.
  open var isAbstract: Bool {
    get { storedIsAbstract }
    set {
      willRedefine("isAbstract")
      storedIsAbstract = newValue
    }
  }

  /// Your own notes about the entity. Not part of the version hash. You may set it while the model is in use, on one
  /// thread.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set {
      storedUserInfo = newValue
    }
  }

  /// A text that is part of the version hash. Change it if the meaning changes in a way that the definition does not
  /// show.
  open var versionHashModifier: String? {
    get { storedVersionHashModifier }
    set {
      willRedefine("versionHashModifier")
      storedVersionHashModifier = newValue
    }
  }

  /// The name that the entity had in an older model, for migrations. Default: its own name.
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

  /// Groups of attributes, by name or description. The values of each group together are unique among the objects of
  /// this entity and its subentities.
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

  /// Kept for model files. It has no effect, because there is no Spotlight here.
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

  /// Whether the other entity defines the same, whatever model it is in: name, class, properties, constraints, indexes,
  /// and what it inherits. Entities that relationships lead to are compared by name.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSEntityDescription else { return false }
    return self === other || isEqualEntity(to: other)
  }

  /// A hash of the name only, which is quick.
  open override var hash: Int { storedName?.hashValue ?? 0 }

  /// The entity's own constraints as attribute names. One without attributes is none, as in Apple's framework.
  package final var constraintNames: [[String]] {
    storedUniquenessConstraints.filter { !$0.isEmpty }.map { constraint in
      constraint.map { ($0 as? NSPropertyDescription)?.storedName ?? ($0 as? String) ?? "\($0)" }
    }
  }

  final func willMutate(_ member: StaticString) {
    if isFrozen { misuse(.immutableEntity(self, member: "\(member)")) }
  }

  /// Like `willMutate`, for changes that affect a version hash.
  final func willRedefine(_ member: StaticString) {
    willMutate(member)
    owningModel?.forgetStatedHashes()
  }
}

nonisolated extension NSEntityDescription: _MadeWithoutArguments {
  /// An entity of this class, by its own ``init()``; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_entity")
  static func makeDynamically() -> NSEntityDescription
}
