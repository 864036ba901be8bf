import CoreData

/// The Swift types that are stored as one attribute, and the conversion of their values.
enum AttributeTypes {
  static func type(of type: Any.Type) -> NSAttributeType? {
    switch type {
    // Of the unsigned types, all values of which have to fit, only the widest is stored by its bits.
    case is Int.Type, is Int64.Type, is UInt.Type, is UInt64.Type, is UInt32.Type: .integer64AttributeType
    case is Int32.Type, is UInt16.Type: .integer32AttributeType
    case is Int16.Type, is Int8.Type, is UInt8.Type: .integer16AttributeType
    case is Double.Type: .doubleAttributeType
    case is Float.Type: .floatAttributeType
    case is Bool.Type: .booleanAttributeType
    case is String.Type: .stringAttributeType
    case is Date.Type: .dateAttributeType
    case is Data.Type: .binaryDataAttributeType
    case is UUID.Type: .UUIDAttributeType
    case is URL.Type: .URIAttributeType
    case is Decimal.Type: .decimalAttributeType
    default: nil
    }
  }

  /// Whether the type is a collection, which is stored as JSON, also inside a struct.
  static func isCollection(_ type: Any.Type) -> Bool { type is any CodableCollection.Type }

  /// A value in the form that key-value coding takes.
  static func boxed(_ value: Any) -> Any {
    switch value {
    case let value as any FixedWidthInteger: NSNumber(value: Int64(truncatingIfNeeded: value))
    case let value as Bool: NSNumber(value: value)
    case let value as Double: NSNumber(value: value)
    case let value as Float: NSNumber(value: value)
    case let value as Decimal: NSDecimalNumber(decimal: value)
    default: value
    }
  }

  /// A stored value in a Swift type; nil if it doesn't fit.
  static func value<Value>(_: Value.Type, from stored: Any) -> Value? {
    if let number = stored as? NSNumber { return AttributeTypes.number(number, as: Value.self) as? Value }
    return stored as? Value
  }

  private static func number(_ number: NSNumber, as type: Any.Type) -> Any? {
    if let integer = type as? any FixedWidthInteger.Type { return AttributeTypes.integer(integer, number.int64Value) }
    switch type {
    case is Bool.Type: return number.boolValue
    case is Double.Type: return number.doubleValue
    case is Float.Type: return number.floatValue
    case is Decimal.Type: return number.decimalValue
    default: return nil
    }
  }

  /// Unsigned 64-bit integers are stored by their bit pattern. Other types return nil if the value doesn't fit.
  private static func integer<I: FixedWidthInteger>(_: I.Type, _ value: Int64) -> I? {
    I.bitWidth == 64 ? I(truncatingIfNeeded: value) : I(exactly: value)
  }
}

private protocol CodableCollection {}
extension Array: CodableCollection {}
extension ContiguousArray: CodableCollection {}
extension Set: CodableCollection {}
extension Dictionary: CodableCollection {}
