/// A property list as in the binary format, including the references (UIDs) of keyed archives.
public enum PropertyList: Hashable, Sendable {
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// Seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  case data([UInt8])
  case string(String)
  /// A reference to an object in a keyed archive, by its index.
  case uid(Int)
  case array([PropertyList])
  case dictionary([String: PropertyList])

  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var array: [PropertyList]? { if case .array(let value) = self { value } else { nil } }
  public var dictionary: [String: PropertyList]? {
    if case .dictionary(let value) = self { value } else { nil }
  }
  public var uid: Int? { if case .uid(let value) = self { value } else { nil } }
  public var data: [UInt8]? { if case .data(let value) = self { value } else { nil } }

  public var integer: Int? {
    switch self {
    case .integer(let value): Int(value)
    case .real(let value): Int(exactly: value)
    default: nil
    }
  }

  public var boolean: Bool? {
    switch self {
    case .boolean(let value): value
    case .integer(let value): value != 0
    default: nil
    }
  }
}

/// The reason why a binary property list can't be read.
public struct PropertyListError: Error, CustomStringConvertible {
  public var description: String
}
