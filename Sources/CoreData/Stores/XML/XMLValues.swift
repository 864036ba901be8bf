internal import DataModelFiles

/// Attribute values as text:
///
/// | type | text |
/// |---|---|
/// | `int16`, `int32`, `int64` | digits |
/// | `bool` | 0 or 1; `true` and `false` are read |
/// | `float`, `double` | the shortest digits that give the same number; `nan`, `inf` |
/// | `decimal` | digits; `NaN` |
/// | `date` | seconds since 2001-01-01 00:00 UTC |
/// | `string`, `uri` | the text, with the numbers of `StoreText`; base64 with `encoding="base64"` if it has characters that XML does not allow |
/// | `uuid` | 36 characters |
/// | `binary`, `transformable` | base64 |
enum XMLValues {
  /// Whether a value declared with a type may be read as a kind: the same type, or another integer or real type.
  static func takes(_ type: MarkupText, for kind: SlotKind) -> Bool {
    if type.isEqual(to: kind.fileName) { return true }
    let alike: [SlotKind] =
      switch kind.form {
      case .integer: kind == .boolean ? [] : [.int16, .int32, .int64]
      case .real: kind == .date ? [] : [.float, .double]
      case .text, .uuid, .decimal, .bytes, .destination, .none: []
      }
    return alike.contains { type.isEqual(to: $0.fileName) }
  }

  // Reading.

  /// Sets an attribute of the row being built. Returns false if the text is not a value of the attribute's type.
  static func set(
    _ text: MarkupText, isBase64: Bool, property: LayoutProperty, builder: inout RowBuilder
  ) -> Bool {
    let (slot, word) = (property.slot, property.word)
    switch property.form {
    case .integer where property.kind == .boolean:
      guard let value = boolean(text) else { return false }
      builder.setInt(value ? 1 : 0, slot: slot, word: word)
    case .integer:
      guard let value = integer(text), property.kind.range.contains(value) else { return false }
      builder.setInt(value, slot: slot, word: word)
    case .real where property.kind == .float:
      guard let value = Float(text.string) else { return false }
      builder.setDouble(Double(value), slot: slot, word: word)
    case .real:
      guard let value = Double(text.string) else { return false }
      // A date that is no number is null, as in a SQLite store. Foundation can't print one: it ends the program.
      if property.kind == .date, value.isNaN { break }
      builder.setDouble(value, slot: slot, word: word)
    case .decimal:
      guard let value = decimal(text.string) else { return false }
      builder.setDecimal(value, slot: slot, word: word)
    case .uuid:
      guard let value = UUID(uuidString: text.string) else { return false }
      builder.setUUID(value, slot: slot, word: word)
    case .text:
      guard isBase64 else {
        if let value = StoreText.decoded(text) {
          value.withUnsafeBytes { builder.setBytes($0, slot: slot, word: word) }
        } else {
          builder.setBytes(UnsafeRawBufferPointer(text), slot: slot, word: word)
        }
        break
      }
      guard let value = Base64.decode(text), String(validating: value, as: UTF8.self) != nil else { return false }
      value.withUnsafeBytes { builder.setBytes($0, slot: slot, word: word) }
    case .bytes:
      guard let value = Base64.decode(text) else { return false }
      value.withUnsafeBytes { builder.setBytes($0, slot: slot, word: word) }
    case .destination, .none: return false
    }
    return true
  }

  static func integer(_ text: MarkupText) -> Int64? {
    var digits = text[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    if digits.isEmpty { return nil }
    var value: Int64 = 0
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let digit = Int64(byte - UInt8(ascii: "0"))
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isTooLargeNow) =
        isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      if isTooLarge || isTooLargeNow { return nil }
      value = sum
    }
    return value
  }

  private static func boolean(_ text: MarkupText) -> Bool? {
    if text.isEqual(to: "1") || text.isEqual(to: "true") { return true }
    if text.isEqual(to: "0") || text.isEqual(to: "false") { return false }
    return nil
  }

  /// Reads a decimal strictly; Foundation's reader stops at the first character that it doesn't understand.
  private static func decimal(_ text: String) -> Decimal? {
    if text == "NaN" { return .nan }
    var digits = text.utf8[...]
    if digits.first == UInt8(ascii: "-") { digits = digits.dropFirst() }
    guard let first = digits.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
      digits.allSatisfy({ "0123456789.eE+-".utf8.contains($0) })
    else { return nil }
    return Decimal(string: text)
  }

  // Writing.

  /// Whether XML allows all characters of a UTF-8 text.
  static func isWritable(_ text: UnsafeRawBufferPointer) -> Bool {
    for (index, byte) in text.enumerated() {
      if byte < 0x20 {
        if byte != 0x09, byte != 0x0A, byte != 0x0D { return false }
      } else if byte == 0xEF, index + 2 < text.count, text[index + 1] == 0xBF, text[index + 2] >= 0xBE {
        return false
      }
    }
    return true
  }

  /// Writes the text of a value: by number what Apple's framework writes so, and each backslash, so that none begins a
  /// number where it should not.
  static func appendText(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): output.append("\\u2600")
      case UInt8(ascii: "<"): output.append("\\u3c00")
      case UInt8(ascii: ">"): output.append("\\u3e00")
      case UInt8(ascii: "\\"): output.append("\\u5c00")
      // A reader would turn it into a line feed.
      case 0x0D: output.append("&#13;")
      default: output.append(byte)
      }
    }
  }

  /// Writes a name or a text of the metadata, which have XML's references.
  static func appendEscaped(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): output.append("&amp;")
      case UInt8(ascii: "<"): output.append("&lt;")
      case UInt8(ascii: ">"): output.append("&gt;")
      // A reader would turn it into a line feed.
      case 0x0D: output.append("&#13;")
      default: output.append(byte)
      }
    }
  }

  /// Writes a value that is not a text.
  static func append(_ row: RowSnapshot, _ property: LayoutProperty, to output: inout [UInt8]) {
    let word = property.word
    switch property.form {
    case .integer where property.kind == .boolean: output.append(decimal: row.int(word: word) == 0 ? 0 : 1)
    case .integer: output.append(decimal: row.int(word: word))
    case .real where property.kind == .float: output.append(Float(row.double(word: word)).description)
    case .real: output.append(row.double(word: word).description)
    case .decimal: output.append(NSDecimalNumber(decimal: row.decimal(word: word)).stringValue)
    case .uuid: output.append(row.uuid(word: word).uuidString)
    case .bytes: Base64.append(row.tail(word: word), to: &output)
    case .text, .destination, .none: break
    }
  }
}

extension [UInt8] {
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }

  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(decimal value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = count
    repeat {
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }
}
