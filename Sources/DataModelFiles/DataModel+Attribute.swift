import Foundation

extension DataModel {
  public struct Attribute: Hashable, Sendable {
    public var name: String
    public var type = AttributeType.undefined
    public var isOptional = false
    public var isTransient = false
    /// A derived attribute's expression, such as `canonical:(name)`; nil for others.
    public var derivationExpression: String?
    /// The old flag for an index on one attribute.
    public var isIndexed = false
    /// Whether generated code uses a scalar (`Int64`) or an object (`NSNumber?`).
    public var usesScalarValue = false
    public var defaultValue: Value?
    /// Limits of a number or date; for a String the least and greatest length, as integers.
    public var minimum: Value?
    public var maximum: Value?
    public var regularExpression: String?
    /// Validation of a compiled model that is none of the above, as predicate formats with error codes.
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
    /// The code of the validation error, or the warning's text.
    public var warning: Value?

    public init(predicateFormat: String, warning: Value? = nil) {
      self.predicateFormat = predicateFormat
      self.warning = warning
    }
  }

  /// Raw values as in `NSAttributeType`, in compiled models and in version hashes.
  public enum AttributeType: UInt32, Sendable, CaseIterable {
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100

    /// The name the editor writes, `Integer 16`.
    public var editorName: String {
      switch self {
      case .undefined: "Undefined"
      case .integer16: "Integer 16"
      case .integer32: "Integer 32"
      case .integer64: "Integer 64"
      case .decimal: "Decimal"
      case .double: "Double"
      case .float: "Float"
      case .string: "String"
      case .boolean: "Boolean"
      case .date: "Date"
      case .binary: "Binary"
      case .uuid: "UUID"
      case .uri: "URI"
      case .transformable: "Transformable"
      case .objectID: "Object ID"
      case .composite: "Composite"
      }
    }

    public init?(editorName: String) {
      guard let type = Self.allCases.first(where: { $0.editorName == editorName }) else { return nil }
      self = type
    }

    /// `NSAttributeDescription.attributeValueClassName`; nil where the model must say it.
    public var valueClassName: String? {
      switch self {
      case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
      case .decimal: "NSDecimalNumber"
      case .string: "NSString"
      case .date: "NSDate"
      case .binary: "NSData"
      case .uuid: "NSUUID"
      case .uri: "NSURL"
      case .composite: "NSDictionary"
      case .undefined, .transformable, .objectID: nil
      }
    }

    public var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
  }

  /// A constant of a model: a default, a limit, an entry of a user info.
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
