import Foundation

/// Reads property lists of both forms, binary and XML, from files that may be damaged or forged.
///
/// It does not use Foundation's reader, which recurses as deep as a file says and crashes on some damaged files.
public enum PropertyListReader {
  /// - Throws: `PropertyListError` if the bytes are not a property list, are damaged, or nest more than 100 deep.
  public static func read(_ bytes: [UInt8]) throws -> PropertyList {
    if bytes.starts(with: "bplist".utf8) { return try BinaryPropertyListReader.read(bytes) }
    let root: MarkupElement
    do {
      root = try MarkupReader.read(bytes)
    } catch let error as MarkupError {
      throw PropertyListError(description: "line \(error.line): \(error.message)")
    }
    guard root.name == "plist" else { return try value(root) }
    guard root.children.count == 1 else {
      throw problem(root, "<plist> has \(root.children.count) values instead of one")
    }
    return try value(root.children[0])
  }

  private static func value(_ element: MarkupElement) throws -> PropertyList {
    switch element.name {
    case "string": return .string(element.text)
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "array": return .array(try element.children.map(value))
    case "dict": return try dictionary(element)
    case "integer":
      guard let number = integer(trimmed(element)) else { throw problem(element, "\(element.text) is not an integer") }
      return .integer(number)
    case "real":
      guard let number = Double(trimmed(element)) else { throw problem(element, "\(element.text) is not a number") }
      return .real(number)
    case "date":
      guard let seconds = seconds(trimmed(element)) else { throw problem(element, "\(element.text) is not a date") }
      return .date(seconds)
    case "data":
      guard let data = Data(base64Encoded: element.text, options: .ignoreUnknownCharacters) else {
        throw problem(element, "the data is not base64")
      }
      return .data(Array(data))
    default: throw problem(element, "<\(element.name)> is not a value of a property list")
    }
  }

  private static func dictionary(_ element: MarkupElement) throws -> PropertyList {
    guard element.children.count % 2 == 0 else { throw problem(element, "a key of the dictionary has no value") }
    var entries: [String: PropertyList] = [:]
    for index in stride(from: 0, to: element.children.count, by: 2) {
      let key = element.children[index]
      guard key.name == "key" else { throw problem(key, "<\(key.name)> stands where a <key> is expected") }
      entries[key.text] = try value(element.children[index + 1])
    }
    // A keyed archive in XML writes its references so.
    if entries.count == 1, let uid = entries["CF$UID"]?.integer, uid >= 0 { return .uid(uid) }
    return .dictionary(entries)
  }

  private static func trimmed(_ element: MarkupElement) -> String {
    element.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Decimal, or hexadecimal after `0x`; up to 64 bits, with a sign or without.
  private static func integer(_ text: String) -> Int64? {
    if text.lowercased().hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16).map(Int64.init(bitPattern:)) }
    return Int64(text) ?? UInt64(text).map(Int64.init(bitPattern:))
  }

  /// `2001-01-01T00:00:00Z` as seconds since then.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.utf8.split(whereSeparator: { !(48...57).contains($0) }).map { String(Substring($0)) }
    guard text.hasSuffix("Z"), parts.count == 6, parts.allSatisfy({ $0.utf8.count <= 4 }) else { return nil }
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), numbers[3] < 25,
      numbers[4] < 61, numbers[5] < 62
    else { return nil }
    // Days since 2001-01-01 in the calendar that begins its years with March.
    let (year, month) = numbers[1] > 2 ? (numbers[0], numbers[1] - 3) : (numbers[0] - 1, numbers[1] + 9)
    let days =
      365 * year + Int((Double(year) / 4).rounded(.down)) - Int((Double(year) / 100).rounded(.down))
      + Int((Double(year) / 400).rounded(.down)) + (153 * month + 2) / 5 + numbers[2] - 1 - 730_791
    return Double(days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5])
  }

  private static func problem(_ element: MarkupElement, _ message: String) -> PropertyListError {
    PropertyListError(description: "line \(element.line): \(message)")
  }
}

extension PropertyList {
  /// The value as `PropertyListSerialization` gives it: numbers as NSNumber, all else as Swift's own types.
  public var foundationValue: Any {
    switch self {
    case .boolean(let flag): flag
    case .integer(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): Data(bytes)
    case .string(let text): text
    case .uid(let index): NSNumber(value: index)
    case .array(let elements): elements.map(\.foundationValue)
    case .dictionary(let entries): entries.mapValues(\.foundationValue)
    }
  }
}
