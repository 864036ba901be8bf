import Foundation

/// What is said about texts.
enum OracleText {
  /// How texts are compared with options: `n` means as they are and overrides the others. Under `c` texts are equal
  /// that have the same capitals, so that ß is ss; but ı, whose capital is i's, stays a letter of its own. Under `d`
  /// combining marks are dropped. Under either, composed and decomposed letters are the same.
  static func folded(_ text: String, _ options: String) -> String {
    if options.contains("n") || !(options.contains("c") || options.contains("d")) { return text }
    let decomposed = Array(text.decomposedStringWithCanonicalMapping.unicodeScalars)
    func isMark(_ scalar: Unicode.Scalar) -> Bool { (0x300...0x36F).contains(scalar.value) }
    // A mark on nothing is no diacritic.
    let first = decomposed.prefix(while: isMark)
    let scalars = options.contains("d") ? first + decomposed.filter { !isMark($0) } : decomposed[...]
    let letters = scalars.map { scalar in
      options.contains("c") && scalar != "ı" ? String(scalar).uppercased().lowercased() : String(scalar)
    }
    return letters.joined().precomposedStringWithCanonicalMapping
  }

  /// Without options texts are their UTF-8 bytes.
  static func bytes(_ text: String, _ options: String) -> [UInt8] { Array(folded(text, options).utf8) }

  static func search(
    _ text: String, _ piece: String, _ operation: OracleComparison.Operator, _ options: String
  ) -> Bool {
    let (text, piece) = (bytes(text, options), bytes(piece, options))
    // Nothing is found in a text by looking for nothing.
    if piece.isEmpty { return false }
    guard text.count >= piece.count else { return false }
    /// Whether a place is not between two bytes of one word. Letters outside of ASCII belong to words.
    func isBorder(_ place: Int) -> Bool {
      func isWord(_ byte: UInt8) -> Bool {
        byte >= 128 || "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8.contains(byte)
      }
      return place == 0 || place == text.count || !isWord(text[place - 1]) || !isWord(text[place])
    }
    let places = (0...(text.count - piece.count)).filter { start in
      let isHere = Array(text[start..<(start + piece.count)]) == piece
      return isHere && (!options.contains("w") || (isBorder(start) && isBorder(start + piece.count)))
    }
    switch operation {
    case .begins: return places.contains(0)
    case .ends: return places.contains(text.count - piece.count)
    default: return !places.isEmpty
    }
  }

  /// `*` is any text, `?` one Unicode scalar, `\` takes the next scalar as it is.
  static func isLike(_ text: String, _ pattern: String, _ options: String) -> Bool {
    func fits(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
      guard let sign = pattern.first else { return text.isEmpty }
      let rest = pattern.dropFirst()
      if sign == "*" { return fits(text, rest) || (!text.isEmpty && fits(text.dropFirst(), pattern)) }
      guard let letter = text.first else { return false }
      if sign == "?" { return fits(text.dropFirst(), rest) }
      if sign == "\\", let next = rest.first {
        return letter == next && fits(text.dropFirst(), rest.dropFirst())
      }
      return letter == sign && fits(text.dropFirst(), rest)
    }
    return fits(
      Array(folded(text, options).unicodeScalars)[...], Array(folded(pattern, options).unicodeScalars)[...])
  }

  /// Whether the whole text matches a regular expression. The option `c` is left to the expression.
  static func matches(_ text: String, _ pattern: String, _ options: String) -> Bool {
    let others = options.filter { $0 != "c" }
    let text = folded(text, others)
    let expression = try! NSRegularExpression(
      pattern: "(?:\(folded(pattern, others)))\\z",
      options: options.contains("c") && !options.contains("n") ? .caseInsensitive : [])
    let whole = NSRange(location: 0, length: text.utf16.count)
    return expression.firstMatch(in: text, options: .anchored, range: whole) != nil
  }

  /// The number that a text is, all of it but for blanks around it.
  static func number(_ text: String) -> OracleValue? {
    let digits = text.trimmingCharacters(in: .whitespaces)
    guard !digits.isEmpty, digits.allSatisfy({ "0123456789+-.eE".contains($0) }), digits != "+", digits != "-"
    else { return nil }
    if let integer = Int64(digits) { return .int(integer) }
    return Double(digits).map(OracleValue.real)
  }

  /// The number that a text begins with, 0 if with none.
  static func leadingNumber(_ text: String) -> OracleValue {
    var digits = text.drop { $0 == " " }
    while !digits.isEmpty {
      if let number = number(String(digits)), digits.last != " " { return number }
      digits = digits.dropLast()
    }
    return .int(0)
  }

  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}
