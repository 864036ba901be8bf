package import DataModelFiles
import Foundation

/// The kinds of value an attribute can hold. The raw values are part of model files and version hashes.
public enum NSAttributeType: UInt, Sendable {
  /// No type. Only allowed for transient attributes.
  case undefinedAttributeType = 0
  /// An integer of 16 bits: `Int16`, `NSNumber`.
  case integer16AttributeType = 100
  /// An integer of 32 bits: `Int32`, `NSNumber`.
  case integer32AttributeType = 200
  /// An integer of 64 bits: `Int64`, `NSNumber`.
  case integer64AttributeType = 300
  /// A decimal number: `Decimal`, `NSDecimalNumber`.
  case decimalAttributeType = 400
  /// A binary number of 64 bits: `Double`, `NSNumber`.
  case doubleAttributeType = 500
  /// A binary number of 32 bits: `Float`, `NSNumber`.
  case floatAttributeType = 600
  /// A text: `String`.
  case stringAttributeType = 700
  /// A flag: `Bool`, `NSNumber`.
  case booleanAttributeType = 800
  /// A point in time: `Date`; seconds since 2001-01-01 00:00 UTC.
  case dateAttributeType = 900
  /// Bytes: `Data`; large ones may lie in files of their own.
  case binaryDataAttributeType = 1000
  /// `UUID`.
  case UUIDAttributeType = 1100
  /// `URL`.
  case URIAttributeType = 1200
  /// Any object, kept as data through a value transformer.
  case transformableAttributeType = 1800
  /// An object id; only in fetch results (`NSExpressionDescription`).
  case objectIDAttributeType = 2000
  /// A group of attributes; see `NSCompositeAttributeDescription`.
  case compositeAttributeType = 2100
}

extension NSAttributeType {
  /// The type as model files know it, with the table of what is known about it.
  package var modelType: DataModel.AttributeType {
    guard let type = DataModel.AttributeType(rawValue: UInt32(rawValue)) else {
      preconditionFailure("NSAttributeType has a type, of raw value \(rawValue), that DataModel.AttributeType lacks.")
    }
    return type
  }

  init(_ type: DataModel.AttributeType) {
    self =
      switch type {
      case .undefined: .undefinedAttributeType
      case .integer16: .integer16AttributeType
      case .integer32: .integer32AttributeType
      case .integer64: .integer64AttributeType
      case .decimal: .decimalAttributeType
      case .double: .doubleAttributeType
      case .float: .floatAttributeType
      case .string: .stringAttributeType
      case .boolean: .booleanAttributeType
      case .date: .dateAttributeType
      case .binary: .binaryDataAttributeType
      case .uuid: .UUIDAttributeType
      case .uri: .URIAttributeType
      case .transformable: .transformableAttributeType
      case .objectID: .objectIDAttributeType
      case .composite: .compositeAttributeType
      }
  }

  /// The class of the values of such an attribute; nil if any class is allowed.
  var valueClassName: String? {
    let type = modelType
    return type.valueClassName ?? (type == .objectID ? type.swiftName : nil)
  }

  /// Whether each value of this numeric type is also a value of the other, larger one.
  func widens(to other: NSAttributeType) -> Bool { modelType.widens(to: other.modelType) }

  /// Whether an attribute of this type can hold `value`, as an object or as its Swift value.
  func accepts(_ value: Any) -> Bool {
    switch self {
    case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType: return true
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .booleanAttributeType, .decimalAttributeType:
      // The order matters: looking for a decimal in a number object is the most costly part of checking a model's
      // default values.
      return value as? NSNumber != nil || value is Decimal
    case .stringAttributeType: return value as? String != nil
    case .dateAttributeType: return value as? Date != nil
    case .binaryDataAttributeType: return value as? Data != nil
    case .UUIDAttributeType: return value as? UUID != nil
    case .URIAttributeType: return value as? URL != nil
    case .compositeAttributeType: return value as? [String: Any] != nil
    }
  }

  /// The name in a data model file, such as "Integer 16".
  var modelName: String { modelType.editorName }
}

extension NSAttributeDescription {
  /// The type of an attribute by its short Swift name: `attribute.type = .string`.
  public struct AttributeType: RawRepresentable, Hashable, Sendable {
    /// The type in the older enumeration.
    public var rawValue: NSAttributeType

    /// A type from the older enumeration.
    public init(rawValue: NSAttributeType) { self.rawValue = rawValue }

    /// No type. Only allowed for transient attributes.
    public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
    /// An integer of 16 bits.
    public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
    /// An integer of 32 bits.
    public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
    /// An integer of 64 bits.
    public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
    /// A decimal number.
    public static let decimal = AttributeType(rawValue: .decimalAttributeType)
    /// A binary number of 64 bits.
    public static let double = AttributeType(rawValue: .doubleAttributeType)
    /// A binary number of 32 bits.
    public static let float = AttributeType(rawValue: .floatAttributeType)
    /// A text.
    public static let string = AttributeType(rawValue: .stringAttributeType)
    /// A flag.
    public static let boolean = AttributeType(rawValue: .booleanAttributeType)
    /// A point in time.
    public static let date = AttributeType(rawValue: .dateAttributeType)
    /// Bytes.
    public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
    /// A UUID.
    public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
    /// A URL.
    public static let uri = AttributeType(rawValue: .URIAttributeType)
    /// Any object, kept as data through a value transformer.
    public static let transformable = AttributeType(rawValue: .transformableAttributeType)
    /// An object id; only in fetch results.
    public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
    /// A group of attributes; see ``NSCompositeAttributeDescription``.
    public static let composite = AttributeType(rawValue: .compositeAttributeType)
  }
}
