/// `IN` with a constant collection.
///
/// The values of a short list are parameters. Their number is rounded up, so that few statements serve all lists. A
/// long list is a single parameter: a JSON array that SQLite opens as a table. One statement serves every length, and
/// memory is the only limit.
extension PredicateTranslator {
  /// The length up to which each value is a parameter.
  private static let listLimit = 256

  func membership(
    of left: SQLOperand, in members: [PredicateConstant], _ comparison: Comparison, _ scope: QueryScope,
    negated: Bool
  ) throws -> SQLExpression {
    var value = try expression(left, scope)
    let bindings: [Binding]
    if let options = textOptions(comparison, left) {
      // As with `=`, a number beside a text's column is the text that it is written as.
      let isColumn = if case .value(.column, _) = left { true } else { false }
      let texts = members.compactMap { isColumn ? ValueComparison.text(of: $0) : PredicateTranslator.text($0) }
      if comparison.options.contains(.localeSensitive) {
        return PredicateTranslator.anyEqual(value, texts: texts, options: options, negated: negated)
      }
      value = .ownCall("NSCoreDataFold", [value, .number(options)])
      bindings = texts.map { .text(foldForComparison($0, options: comparison.options)) }
    } else {
      bindings = try members.filter { !$0.isNull }.compactMap { try binding($0, for: left, scope) }
    }
    guard let list = list(bindings, beside: left) else { return .truth(negated) }
    return value.isIn(list, negated: negated)
  }

  private static func text(_ constant: PredicateConstant) -> String? {
    switch constant {
    case .string(let text): text
    case .url(let url): url.absoluteString
    default: nil
    }
  }

  /// Compares with each text in turn. Texts that are equal in a locale have no common form to look up.
  private static func anyEqual(
    _ value: SQLExpression, texts: [String], options: Int64, negated: Bool
  ) -> SQLExpression {
    if texts.isEmpty { return .truth(negated) }
    let tests = texts.map {
      SQLExpression.infix(.textOrder(value, .bound(.text($0)), options: options), "=", .number(0))
    }
    let any = SQLExpression.joined(tests, isAnd: false)
    return negated ? .notTrue(any) : any
  }

  /// The list on the right of an IN; nil if it is empty.
  private func list(_ bindings: [Binding], beside left: SQLOperand) -> SQLExpression? {
    guard let last = bindings.last else { return nil }
    if dialect.hasArrays {
      // A number is equal to no text, and PostgreSQL refuses to compare them.
      let isText = left.kind?.form == .text
      let comparable = isText ? bindings.filter { if case .text = $0 { true } else { false } } : bindings
      return comparable.isEmpty ? nil : .elements(.array(comparable))
    }
    if bindings.count > PredicateTranslator.listLimit {
      return PredicateTranslator.jsonArray(bindings, beside: left)
    }
    // Repeats the last value.
    var padded = bindings
    var size = 8
    while size < bindings.count { size *= 2 }
    if bindings.count <= 4 { size = bindings.count }
    while padded.count < size { padded.append(last) }
    return .list(padded.map(SQLExpression.bound))
  }

  /// The values as a JSON array. Integers alone, or texts alone, are written as they are. Otherwise each value is a
  /// text that begins with its kind, and `NSCoreDataValue` turns it back into the value.
  private static func jsonArray(_ bindings: [Binding], beside left: SQLOperand) -> SQLExpression {
    var isTextColumn = false
    if case .value(_, let kind) = left { isTextColumn = kind?.form == .text }
    let isPlain =
      bindings.allSatisfy { if case .int = $0 { true } else { false } } && !isTextColumn
      || bindings.allSatisfy { if case .text(let text) = $0 { !text.utf8.contains(0) } else { false } }
    var json = "["
    for binding in bindings {
      if json.utf8.count > 1 { json += "," }
      switch binding {
      case .int(let value) where isPlain: json += String(value)
      case .int(let value): json += "\"i\(value)\""
      // The bits, because digits would have to be read exactly.
      case .double(let value): json += "\"d\(Int64(bitPattern: value.bitPattern))\""
      case .text(let value) where isPlain: json += jsonString(value, kind: "")
      // SQLite ends a JSON text at a zero.
      case .text(let value) where value.utf8.contains(0): json += "\"h\(hexadecimal(Array(value.utf8)))\""
      case .text(let value): json += jsonString(value, kind: "t")
      case .blob(let value): json += "\"x\(hexadecimal(value))\""
      case .uuid(let value): json += "\"x\(hexadecimal(withUnsafeBytes(of: value.uuid) { Array($0) }))\""
      case .null, .decimal, .array: json += "null"
      }
    }
    json += "]"
    let value: StaticString = isPlain ? "value" : "NSCoreDataValue(value)"
    return .select(SelectStatement([.word(value)], from: .json(.text(json))))
  }

  /// The result of `NSCoreDataValue`.
  static func value(ofTagged text: UnsafeBufferPointer<UInt8>) -> FunctionResult {
    let rest = text.dropFirst()
    func bytes() -> [UInt8] {
      func value(_ digit: UInt8) -> UInt8 { digit < 58 ? digit - 48 : (digit | 32) - 87 }
      return stride(from: 1, to: text.count - 1, by: 2).map { value(text[$0]) << 4 | value(text[$0 + 1]) }
    }
    switch text.first {
    case UInt8(ascii: "i"): return Int64(String(decoding: rest, as: UTF8.self)).map(FunctionResult.int) ?? .null
    case UInt8(ascii: "d"):
      let bits = Int64(String(decoding: rest, as: UTF8.self))
      return bits.map { .double(Double(bitPattern: UInt64(bitPattern: $0))) } ?? .null
    case UInt8(ascii: "t"): return .text(String(decoding: rest, as: UTF8.self))
    case UInt8(ascii: "h"): return .text(String(decoding: bytes(), as: UTF8.self))
    case UInt8(ascii: "x"): return .blob(bytes())
    default: return .null
    }
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func jsonString(_ text: String, kind: String) -> String {
    var result = "\"" + kind
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) { return result + text + "\"" }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20: result += String(format: "\\u%04x", scalar.value)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
