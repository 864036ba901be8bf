internal import DataModelFiles
import Foundation
import Synchronization

/// The common superclass of an entity's attributes, relationships and fetched properties, and of the computed columns
/// of a fetch.
///
/// A property belongs to the entity that declares it; subentities share the same description. Once a coordinator uses
/// the model, changing a property traps.
// Mutable only until the model is frozen, on the thread that builds it; after that any thread may read it.
nonisolated open class NSPropertyDescription: NSObject, NSCopying {
  private final var owningReference = LivingReference<NSEntityDescription>()
  private final var groupReference = LivingReference<NSPropertyDescription>()
  final var storedName = ""
  final var storedIsOptional = true
  final var storedIsTransient = false
  final var storedUserInfo: [AnyHashable: Any]? = [:]
  private let userInfoChanges = Atomic<Int>(0)
  final var storedVersionHashModifier: String?
  final var storedRenamingIdentifier: String?
  final var storedValidationPredicates: [NSPredicate] = []
  final var storedValidationWarnings: [Any] = []
  final var storedIsIndexed = false
  final var storedIsIndexedBySpotlight = false
  final var storedIsStoredInExternalRecord = false
  /// Set by `NSManagedObjectModel.freeze()`.
  final var isFrozen = false
  /// nil if it is computed on demand.
  final var frozenVersionHash: Data?

  /// For subclasses. Makes an optional property without a name.
  public override init() {
    super.init()
  }

  /// `makeDynamically()`.
  @_silgen_name("core_data_make_property")
  convenience init(dynamically: Void) { self.init() }

  /// For subclasses, of which Apple's framework asks for it. Models are in no archive here: this ends the program.
  public required init?(coder: NSCoder) { misuse(.archivedModel) }

  final var owningEntity: NSEntityDescription? {
    get { owningReference.object }
    set { owningReference.object = newValue }
  }

  /// The composite attribute that has this one among its elements; nil for other properties.
  final var owningGroup: NSPropertyDescription? {
    get { groupReference.object }
    set { groupReference.object = newValue }
  }

  /// The entity that declares the property. Reading it before the property is in an entity is a misuse.
  open var entity: NSEntityDescription {
    guard let owningEntity else { misuse(.propertyWithoutEntity(self)) }
    return owningEntity
  }

  /// The name, unique within the entity and its ancestors.
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

  /// Whether the value stays in memory and is never stored. Default: false.
  open var isTransient: Bool {
    get { storedIsTransient }
    set {
      willRedefine("isTransient")
      storedIsTransient = newValue
    }
  }

  /// Your own notes about the property. Not part of the version hash. You may set it while the model is in use, on one
  /// thread.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set {
      storedUserInfo = newValue
      userInfoChanges.wrappingAdd(1, ordering: .releasing)
    }
  }

  /// Grows whenever `userInfo` is set: the value of a fetched property may depend on it. Any thread may read it.
  final var userInfoChangeCount: Int { userInfoChanges.load(ordering: .acquiring) }

  /// Whether the store should index the property's column. Superseded by `NSEntityDescription.indexes`.
  open var isIndexed: Bool {
    get { storedIsIndexed }
    set {
      willMutate("isIndexed")
      storedIsIndexed = newValue
    }
  }

  /// Kept for model files. It has no effect, because there is no Spotlight here.
  open var isIndexedBySpotlight: Bool {
    get { storedIsIndexedBySpotlight }
    set {
      willMutate("isIndexedBySpotlight")
      storedIsIndexedBySpotlight = newValue
    }
  }

  /// Kept for model files. It has no effect, because external records no longer exist.
  open var isStoredInExternalRecord: Bool {
    get { storedIsStoredInExternalRecord }
    set {
      willMutate("isStoredInExternalRecord")
      storedIsStoredInExternalRecord = newValue
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

  /// The name that the property had in an older model, for migrations. Default: its own name.
  open var renamingIdentifier: String? {
    get { storedRenamingIdentifier ?? (storedName.isEmpty ? nil : storedName) }
    set {
      willMutate("renamingIdentifier")
      storedRenamingIdentifier = newValue
    }
  }

  /// 32 bytes that differ if the definition of the property differs.
  open var versionHash: Data {
    frozenVersionHash ?? Data(computeVersionHash())
  }

  /// The rules that a value must meet, evaluated with the value as `SELF`. For an attribute with limits from a model
  /// file these include one rule for each limit.
  open var validationPredicates: [NSPredicate] { storedValidationPredicates }

  /// For each of `validationPredicates`, the error code (`Int`) or the message (`String`) of its failure.
  open var validationWarnings: [Any] { storedValidationWarnings }

  /// Replaces the rules. `validationWarnings` may be shorter than the rules; the remaining rules fail with
  /// `NSManagedObjectValidationError`.
  open func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
  ) {
    willMutate("validationPredicates")
    storedValidationPredicates = validationPredicates ?? []
    storedValidationWarnings = validationWarnings ?? []
  }

  /// Whether the other property has the same class, an entity of the same name, and an equal definition. Destinations
  /// and inverses are compared by name.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPropertyDescription else { return false }
    return self === other || type(of: self) == type(of: other) && hasSameOutline(as: other) && hasSameDetails(as: other)
  }

  /// A hash of the name only, which is quick.
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

  // Additions of the subclasses.

  /// Whether the property can only be read, as derived and fetched ones.
  var isReadOnly: Bool { false }

  /// Whether the parts that only this class has are equal. `other` is of the same class.
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

  /// Being read-only is not part of the hash. The recipe for derived attributes is not known, so they are hashed as
  /// plain ones.
  final var baseVersionHash: [UInt8] {
    VersionHash.base(
      name: storedName, isOptional: storedIsOptional, isTransient: storedIsTransient,
      modifier: storedVersionHashModifier)
  }

  func computeVersionHash() -> [UInt8] { baseVersionHash }

  final func willMutate(_ member: StaticString) {
    if isFrozen { misuse(.immutableProperty(self, member: "\(member)")) }
  }

  /// Like `willMutate`, for changes that affect a version hash.
  final func willRedefine(_ member: StaticString) {
    willMutate(member)
    owningEntity?.owningModel?.forgetStatedHashes()
    // An element is part of its composite's hash.
    owningGroup?.willRedefine(member)
  }
}

nonisolated extension NSPropertyDescription: _MadeWithoutArguments {
  /// A property of this class, by its own ``init()``; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_property")
  static func makeDynamically() -> NSPropertyDescription
}
