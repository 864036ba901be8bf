internal import DataModelFiles
import Foundation

/// An attribute of an entity: a value of one type.
///
///     let isbn = NSAttributeDescription()
///     isbn.name = "isbn"
///     isbn.type = .string
///     isbn.isOptional = false
///     let book = NSEntityDescription()
///     book.name = "Book"
///     book.properties.append(isbn)
///     print(book.attributesByName.keys.sorted())  // ["isbn"]
///
/// Defaults of a new one: Integer 32, optional, not transient, no default value.
open class NSAttributeDescription: NSPropertyDescription {
  final var storedAttributeType = NSAttributeType.integer32AttributeType
  final var storedAttributeValueClassName: String?
  final var storedDefaultValue: Any?
  final var storedValueTransformerName: String?
  final var storedAllowsExternalBinaryDataStorage = false
  final var storedPreservesValueInHistoryOnDeletion = false
  final var storedAllowsCloudEncryption = false
  /// The limits that a model file states; nil when it states none.
  final var storedLimits: AttributeLimits?

  /// The type of the value.
  open var attributeType: NSAttributeType {
    get { storedAttributeType }
    set {
      willRedefine("attributeType")
      storedAttributeType = newValue
    }
  }

  /// The type of the value, by its short name.
  public var type: AttributeType {
    get { AttributeType(rawValue: attributeType) }
    set { attributeType = newValue.rawValue }
  }

  /// The name of the values' class. The type determines it, except for transformable attributes, for which you can set
  /// it.
  open var attributeValueClassName: String? {
    get { storedAttributeValueClassName ?? storedAttributeType.valueClassName }
    set {
      willMutate("attributeValueClassName")
      storedAttributeValueClassName = newValue
    }
  }

  /// The value of a new object. Default: nil.
  open var defaultValue: Any? {
    get { storedDefaultValue }
    set {
      willMutate("defaultValue")
      storedDefaultValue = newValue
    }
  }

  /// The registered name of the transformer of a transformable attribute; nil means keyed archiving.
  open var valueTransformerName: String? {
    get { storedValueTransformerName }
    set {
      willMutate("valueTransformerName")
      storedValueTransformerName = newValue
    }
  }

  /// Whether a store may keep large data in files of their own. Part of the version hash.
  open var allowsExternalBinaryDataStorage: Bool {
    get { storedAllowsExternalBinaryDataStorage }
    set {
      willRedefine("allowsExternalBinaryDataStorage")
      storedAllowsExternalBinaryDataStorage = newValue
    }
  }

  /// Whether the history of a deletion keeps the value (in the tombstone). Part of the version hash.
  open var preservesValueInHistoryOnDeletion: Bool {
    get { storedPreservesValueInHistoryOnDeletion }
    set {
      willRedefine("preservesValueInHistoryOnDeletion")
      storedPreservesValueInHistoryOnDeletion = newValue
    }
  }

  /// Kept for model files. It has no effect, because there is no CloudKit here.
  open var allowsCloudEncryption: Bool {
    get { storedAllowsCloudEncryption }
    set {
      willMutate("allowsCloudEncryption")
      storedAllowsCloudEncryption = newValue
    }
  }

  /// The limits of the model file, checked on save.
  final var limits: AttributeLimits? {
    get { storedLimits }
    set {
      willMutate("validationPredicates")
      storedLimits = newValue
    }
  }

  /// The rules set for the property, followed by those for the limits in its model file.
  open override var validationPredicates: [NSPredicate] {
    super.validationPredicates + (storedLimits?.rules.map(\.predicate) ?? [])
  }

  /// The codes or texts of the rules, in the order of ``validationPredicates``.
  open override var validationWarnings: [Any] {
    super.validationWarnings + (storedLimits?.rules.map { $0.code as Any } ?? [])
  }

  /// Replaces the rules, those for the limits in the model file as well.
  open override func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
  ) {
    super.setValidationPredicates(validationPredicates, withValidationWarnings: validationWarnings)
    storedLimits = nil
  }

  override func blankCopy() -> NSPropertyDescription { NSAttributeDescription() }

  override func copyDefinition(to copy: NSPropertyDescription) {
    super.copyDefinition(to: copy)
    guard let copy = copy as? NSAttributeDescription else { return }
    copy.storedAttributeType = storedAttributeType
    copy.storedAttributeValueClassName = storedAttributeValueClassName
    copy.storedDefaultValue = storedDefaultValue
    copy.storedValueTransformerName = storedValueTransformerName
    copy.storedAllowsExternalBinaryDataStorage = storedAllowsExternalBinaryDataStorage
    copy.storedPreservesValueInHistoryOnDeletion = storedPreservesValueInHistoryOnDeletion
    copy.storedAllowsCloudEncryption = storedAllowsCloudEncryption
    copy.storedLimits = storedLimits
  }

  override func hasSameDetails(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSAttributeDescription else { return false }
    return storedAttributeType == other.storedAttributeType
      && attributeValueClassName == other.attributeValueClassName
      && (storedValueTransformerName ?? "") == (other.storedValueTransformerName ?? "")
      && storedAllowsExternalBinaryDataStorage == other.storedAllowsExternalBinaryDataStorage
      && storedPreservesValueInHistoryOnDeletion == other.storedPreservesValueInHistoryOnDeletion
      && storedAllowsCloudEncryption == other.storedAllowsCloudEncryption
      && storedLimits == other.storedLimits && ModelEquality.same(storedDefaultValue, other.storedDefaultValue)
  }

  override func computeVersionHash() -> [UInt8] {
    VersionHash.attribute(
      base: baseVersionHash, attributeType: UInt32(storedAttributeType.rawValue),
      externalStorage: storedAllowsExternalBinaryDataStorage,
      preservesInHistory: storedPreservesValueInHistoryOnDeletion)
  }
}
