import Foundation

extension DataModel {
  public struct Attribute: Hashable, Sendable {
    public var name: String
    public var type = AttributeType.undefined
    public var isOptional = false
    public var isTransient = false
    /// A derived attribute's expression, such as `canonical:(name)`; nil for others.
    public var derivationExpression: String?
    /// The old flag for an index of this attribute alone.
    public var isIndexed = false
    /// Whether generated code uses a scalar (`Int64`) or an object (`NSNumber?`).
    public var usesScalarValue = false
    public var defaultValue: Value?
    /// Limits of a number or date. For a String they limit its length, and are integers.
    public var minimum: Value?
    public var maximum: Value?
    public var regularExpression: String?
    /// Validation rules of a compiled model that don't fit the properties above, as predicate formats with error codes.
    public var validationRules: [ValidationRule] = []
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var valueTransformerName: String?
    /// The class of a Transformable's value, as the file names it.
    public var customClassName: String?
    /// The name of the composite type of an attribute of type Composite.
    public var compositeName: String?
    public var allowsExternalBinaryDataStorage = false
    public var allowsCloudEncryption = false
    public var preservesValueInHistoryOnDeletion = false
    public var isIndexedBySpotlight = false
    public var isStoredInExternalRecord = false
    public var isSyncable = false
    public var userInfo: [String: String] = [:]

    public init(name: String, type: AttributeType) {
      self.name = name
      self.type = type
    }

    /// Derived attributes have an expression, even an empty one.
    public var isDerived: Bool { derivationExpression != nil }
  }

  public struct ValidationRule: Hashable, Sendable {
    public var predicateFormat: String
    /// The code of the validation error, or the text of the warning.
    public var warning: Value?

    public init(predicateFormat: String, warning: Value? = nil) {
      self.predicateFormat = predicateFormat
      self.warning = warning
    }
  }

  /// A constant in a model: a default value, a limit, or an entry of a user info.
  public enum Value: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case data([UInt8])
    case uuid(UUID)
    case uri(String)
  }
}
