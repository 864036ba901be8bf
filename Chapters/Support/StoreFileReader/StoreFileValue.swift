import Foundation

/// A value as the file has it, in one of SQLite's five storage classes.
public enum StoreFileValue: Equatable, Sendable, CustomStringConvertible {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  public var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  public var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): value
    case .blob(let value): "\(value.count) bytes"
    }
  }
}
