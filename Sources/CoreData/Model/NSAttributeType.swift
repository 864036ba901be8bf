import Foundation

/// The kinds of value an attribute can hold. The raw values are part of model files and version hashes.
public enum NSAttributeType: UInt, Sendable {
  /// No type; allowed for transient attributes only.
  case undefinedAttributeType = 0
  case integer16AttributeType = 100
  case integer32AttributeType = 200
  case integer64AttributeType = 300
  case decimalAttributeType = 400
  case doubleAttributeType = 500
  case floatAttributeType = 600
  case stringAttributeType = 700
  case booleanAttributeType = 800
  case dateAttributeType = 900
  case binaryDataAttributeType = 1000
  case UUIDAttributeType = 1100
  case URIAttributeType = 1200
  /// Any object, kept as data through a value transformer.
  case transformableAttributeType = 1800
  /// An object id; only in fetch results (`NSExpressionDescription`).
  case objectIDAttributeType = 2000
  /// A group of attributes; see `NSCompositeAttributeDescription`.
  case compositeAttributeType = 2100
}

extension NSAttributeType {
  /// The class of the objects that such an attribute holds; nil where any class may stand.
  var valueClassName: String? {
    switch self {
    case .undefinedAttributeType, .transformableAttributeType: return nil
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
      return "NSNumber"
    case .decimalAttributeType: return "NSDecimalNumber"
    case .stringAttributeType: return "NSString"
    case .dateAttributeType: return "NSDate"
    case .binaryDataAttributeType: return "NSData"
    case .UUIDAttributeType: return "NSUUID"
    case .URIAttributeType: return "NSURL"
    case .objectIDAttributeType: return "NSManagedObjectID"
    case .compositeAttributeType: return "NSDictionary"
    }
  }

  /// Whether an attribute of this type can hold `value`, as an object or as its Swift value.
  func accepts(_ value: Any) -> Bool {
    switch self {
    case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType: return true
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .booleanAttributeType, .decimalAttributeType:
      return value is Decimal || value as? NSNumber != nil
    case .stringAttributeType: return value as? String != nil
    case .dateAttributeType: return value as? Date != nil
    case .binaryDataAttributeType: return value as? Data != nil
    case .UUIDAttributeType: return value as? UUID != nil
    case .URIAttributeType: return value as? URL != nil
    case .compositeAttributeType: return value as? [String: Any] != nil
    }
  }

  /// The name that a data model file writes, such as "Integer 16".
  var modelName: String {
    switch self {
    case .undefinedAttributeType: return "Undefined"
    case .integer16AttributeType: return "Integer 16"
    case .integer32AttributeType: return "Integer 32"
    case .integer64AttributeType: return "Integer 64"
    case .decimalAttributeType: return "Decimal"
    case .doubleAttributeType: return "Double"
    case .floatAttributeType: return "Float"
    case .stringAttributeType: return "String"
    case .booleanAttributeType: return "Boolean"
    case .dateAttributeType: return "Date"
    case .binaryDataAttributeType: return "Binary"
    case .UUIDAttributeType: return "UUID"
    case .URIAttributeType: return "URI"
    case .transformableAttributeType: return "Transformable"
    case .objectIDAttributeType: return "Object ID"
    case .compositeAttributeType: return "Composite"
    }
  }
}

extension NSAttributeDescription {
  /// The type of an attribute by its short Swift name: `attribute.type = .string`.
  public struct AttributeType: RawRepresentable, Hashable, Sendable {
    public var rawValue: NSAttributeType

    public init(rawValue: NSAttributeType) { self.rawValue = rawValue }

    public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
    public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
    public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
    public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
    public static let decimal = AttributeType(rawValue: .decimalAttributeType)
    public static let double = AttributeType(rawValue: .doubleAttributeType)
    public static let float = AttributeType(rawValue: .floatAttributeType)
    public static let string = AttributeType(rawValue: .stringAttributeType)
    public static let boolean = AttributeType(rawValue: .booleanAttributeType)
    public static let date = AttributeType(rawValue: .dateAttributeType)
    public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
    public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
    public static let uri = AttributeType(rawValue: .URIAttributeType)
    public static let transformable = AttributeType(rawValue: .transformableAttributeType)
    public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
    public static let composite = AttributeType(rawValue: .compositeAttributeType)
  }
}
