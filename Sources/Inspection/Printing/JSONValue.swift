import DataModelFiles
import Foundation

/// A JSON value whose objects keep the order of their keys.
public enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case decimal(Decimal)
  case string(String)
  case array([JSONValue])
  case object([Member])

  public struct Member: Equatable, Sendable {
    public var key: String
    public var value: JSONValue
  }

  public static func int(_ value: Int) -> JSONValue { .integer(Int64(value)) }
  static func number(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
  static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
  static func moment(_ seconds: Double?) -> JSONValue {
    seconds.map { .string(Moments.text(secondsSince2001: $0)) } ?? .null
  }
  public static func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }

  /// An object of the pairs that have a value.
  public static func record(_ pairs: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(pairs.compactMap { pair in pair.value.map { Member(key: pair.key, value: $0) } })
  }

  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The JSON text, indented by two blanks a level. An array or object that contains no others stays on one line if it
  /// fits.
  public var text: String {
    var text = ""
    write(to: &text, level: 0)
    return text
  }

  func write(to text: inout String, level: Int) {
    switch self {
    case .array(let values):
      if values.isEmpty {
        text += "[]"
      } else {
        write(values.map { (nil, $0) }, "[", "]", to: &text, level: level)
      }
    case .object(let members):
      if members.isEmpty {
        text += "{}"
      } else {
        write(members.map { ($0.key, $0.value) }, "{", "}", to: &text, level: level)
      }
    default: text += scalar
    }
  }

  private static let width = 100

  private func write(
    _ items: [(key: String?, value: JSONValue)], _ open: String, _ close: String, to text: inout String,
    level: Int
  ) {
    func head(_ key: String?) -> String { key.map { JSONValue.quoted($0) + ": " } ?? "" }
    if items.allSatisfy({ $0.value.isScalar }) {
      let line = items.map { head($0.key) + $0.value.scalar }.joined(separator: ", ")
      if line.utf8.count + 2 * level < JSONValue.width {
        text += open + line + close
        return
      }
    }
    let margin = String(repeating: "  ", count: level + 1)
    text += open + "\n"
    for (index, item) in items.enumerated() {
      text += margin + head(item.key)
      item.value.write(to: &text, level: level + 1)
      text += index + 1 < items.count ? ",\n" : "\n"
    }
    text += String(repeating: "  ", count: level) + close
  }

  private var isScalar: Bool {
    switch self {
    case .array(let values): values.isEmpty
    case .object(let members): members.isEmpty
    default: true
    }
  }

  private var scalar: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    // JSON has no numbers for these values.
    case .double(let value): value.isFinite ? "\(value)" : JSONValue.quoted("\(value)")
    case .decimal(let value): value.isNaN ? JSONValue.quoted("NaN") : "\(value)"
    case .string(let value): JSONValue.quoted(value)
    case .array: "[]"
    case .object: "{}"
    }
  }

  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _
      where scalar.value < 0x20 || scalar.isActedUpon:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
