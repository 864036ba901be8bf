internal import DataModelFiles
import Foundation

/// What all properties of an entity have in common: attributes, relationships, fetched properties, and the
/// computed columns of a fetch.
///
/// A property belongs to one entity, the one that declares it; sub-entities share the same description.
/// Once a coordinator uses the model, a change traps.
// Mutable only until the model is frozen, by whoever builds it; any thread may read it after that.
nonisolated open class NSPropertyDescription: NSObject, NSCopying {
  private final weak var owningAnchor: EntityAnchor?
  final var storedName = ""
  final var storedIsOptional = true
  final var storedIsTransient = false
  final var storedUserInfo: [AnyHashable: Any]? = [:]
  final var storedVersionHashModifier: String?
  final var storedRenamingIdentifier: String?
  final var storedValidationPredicates: [NSPredicate] = []
  final var storedValidationWarnings: [Any] = []
  final var storedIsIndexed = false
  final var storedIsIndexedBySpotlight = false
  final var storedIsStoredInExternalRecord = false
  /// Set by `NSManagedObjectModel.freeze()`.
  final var isFrozen = false
  /// nil where it is computed when it is asked for.
  final var frozenVersionHash: Data?

  /// For subclasses: an optional property without a name.
  public override init() {
    super.init()
  }

  final var owningEntity: NSEntityDescription? {
    get { owningAnchor?.entity }
    set { owningAnchor = newValue?.anchor }
  }

  /// The entity that declares the property. Reading it before the property is in an entity is a misuse.
  open var entity: NSEntityDescription {
    guard let owningEntity else { misuse(.propertyWithoutEntity(self)) }
    return owningEntity
  }

  /// The name, unique within the entity and those it inherits from.
  open var name: String {
    get { storedName }
    set {
      willRedefine("name")
      storedName = newValue
    }
  }

  /// Whether nil passes validation. Default: true.
  open var isOptional: Bool {
    get { storedIsOptional }
    set {
      willRedefine("isOptional")
      storedIsOptional = newValue
    }
  }

  /// Whether the value stays in memory and never reaches a store. Default: false.
  open var isTransient: Bool {
    get { storedIsTransient }
    set {
      willRedefine("isTransient")
      storedIsTransient = newValue
    }
  }

  /// What the program wants to note about the property; no part of the version hash. May be set while the model is in
  /// use, on one thread.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set {
      storedUserInfo = newValue
    }
  }

  /// Whether the store should index the column by itself. Superseded by `NSEntityDescription.indexes`.
  open var isIndexed: Bool {
    get { storedIsIndexed }
    set {
      willMutate("isIndexed")
      storedIsIndexed = newValue
    }
  }

  /// Kept for model files; there is no Spotlight here.
  open var isIndexedBySpotlight: Bool {
    get { storedIsIndexedBySpotlight }
    set {
      willMutate("isIndexedBySpotlight")
      storedIsIndexedBySpotlight = newValue
    }
  }

  /// Kept for model files; external records are history.
  open var isStoredInExternalRecord: Bool {
    get { storedIsStoredInExternalRecord }
    set {
      willMutate("isStoredInExternalRecord")
      storedIsStoredInExternalRecord = newValue
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

  /// The name by which migration recognises the property in an older model. Default: its own name.
  open var renamingIdentifier: String? {
    get { storedRenamingIdentifier ?? (storedName.isEmpty ? nil : storedName) }
    set {
      willMutate("renamingIdentifier")
      storedRenamingIdentifier = newValue
    }
  }

  /// 32 bytes that tell one definition of the property from another.
  open var versionHash: Data {
    frozenVersionHash ?? Data(computeVersionHash())
  }

  /// The rules a value must pass, evaluated with the value as `SELF`. For an attribute with limits from a
  /// model file these include one rule for each limit.
  open var validationPredicates: [NSPredicate] { storedValidationPredicates }

  /// For each of `validationPredicates` the error code (`Int`) or the message (`String`) of its failure.
  open var validationWarnings: [Any] { storedValidationWarnings }

  /// Replaces the rules. `validationWarnings` may be shorter than the rules; the rest then fails with
  /// `NSManagedObjectValidationError`.
  open func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
  ) {
    willMutate("validationPredicates")
    storedValidationPredicates = validationPredicates ?? []
    storedValidationWarnings = validationWarnings ?? []
  }

  /// Whether the other property is of the same class, of an entity of the same name, and defines the same. Destinations
  /// and inverses count by their names.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPropertyDescription else { return false }
    return self === other || type(of: self) == type(of: other) && hasSameOutline(as: other) && hasSameDetails(as: other)
  }

  /// Of the name alone, so that it costs little.
  open override var hash: Int { storedName.hashValue }

  /// A copy with the same definition and no entity. A relationship's copy keeps the same destination.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = blankCopy()
    copyDefinition(to: copy)
    return copy
  }

  /// The class, the entity and the name, for logs.
  open override var description: String {
    "\(type(of: self)) \(owningEntity?.storedName ?? "?").\(storedName)"
  }

  // What the subclasses add.

  /// A property that only reads: derived and fetched ones.
  var isReadOnly: Bool { false }

  /// Whether what only this class has is the same; `other` is of the same class.
  func hasSameDetails(as other: NSPropertyDescription) -> Bool { true }

  func blankCopy() -> NSPropertyDescription { NSPropertyDescription() }

  func copyDefinition(to copy: NSPropertyDescription) {
    copy.storedName = storedName
    copy.storedIsOptional = storedIsOptional
    copy.storedIsTransient = storedIsTransient
    copy.storedUserInfo = storedUserInfo
    copy.storedVersionHashModifier = storedVersionHashModifier
    copy.storedRenamingIdentifier = storedRenamingIdentifier
    copy.storedValidationPredicates = storedValidationPredicates
    copy.storedValidationWarnings = storedValidationWarnings
    copy.storedIsIndexed = storedIsIndexed
    copy.storedIsIndexedBySpotlight = storedIsIndexedBySpotlight
    copy.storedIsStoredInExternalRecord = storedIsStoredInExternalRecord
  }

  /// Whether a property is read-only does not enter: the recipe for derived attributes is not known, so they
  /// hash as plain ones, here as in compiled models.
  final var baseVersionHash: [UInt8] {
    VersionHash.base(
      name: storedName, isOptional: storedIsOptional, isTransient: storedIsTransient,
      modifier: storedVersionHashModifier)
  }

  func computeVersionHash() -> [UInt8] { baseVersionHash }

  final func willMutate(_ member: StaticString) {
    if isFrozen { misuse(.immutableProperty(self, member: "\(member)")) }
  }

  /// As `willMutate`, for what enters a version hash.
  final func willRedefine(_ member: StaticString) {
    willMutate(member)
    owningEntity?.owningModel?.forgetStatedHashes()
  }
}
