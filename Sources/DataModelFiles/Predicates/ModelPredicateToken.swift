/// A piece of a predicate's text.
enum ModelPredicateToken: Hashable {
  /// A key, a word of the language, or a function's selector.
  case word(String)
  case number(String)
  /// What stands in quotes, without them.
  case text(String)
  case sign(String)
  case end

  /// The pieces of a text; nil where it has what `ModelPredicateParser` does not read.
  static func tokens(of text: String) -> [ModelPredicateToken]? {
    var reader = TokenReader(text)
    return reader.tokens()
  }
}

private struct TokenReader {
  private let scalars: [Unicode.Scalar]
  private var index = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isAlphabetic }
  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
    while let scalar = next, condition(scalar) { index += 1 }
  }

  private func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  mutating func tokens() -> [ModelPredicateToken]? {
    var tokens: [ModelPredicateToken] = []
    while true {
      skip { $0.properties.isWhitespace }
      guard let scalar = next else { return tokens }
      guard let token = token(from: scalar) else { return nil }
      tokens.append(token)
    }
  }

  private mutating func token(from scalar: Unicode.Scalar) -> ModelPredicateToken? {
    if Self.isLetter(scalar) || scalar == "@" { return word() }
    if Self.isDigit(scalar) { return number() }
    return scalar == "\"" || scalar == "'" ? text(quote: scalar) : sign()
  }

  private mutating func word() -> ModelPredicateToken {
    let start = index
    index += 1
    skip { Self.isLetter($0) || Self.isDigit($0) }
    // The colons of a selector, `add:to:`.
    while next == ":" {
      index += 1
      skip { Self.isLetter($0) || Self.isDigit($0) }
    }
    return .word(string(scalars[start..<index]))
  }

  private mutating func number() -> ModelPredicateToken? {
    let start = index
    skip { Self.isDigit($0) || $0 == "." }
    if next == "e" || next == "E" {
      index += 1
      if next == "-" || next == "+" { index += 1 }
      skip(while: Self.isDigit)
    }
    if let next, Self.isLetter(next) { return nil }
    return .number(string(scalars[start..<index]))
  }

  private mutating func text(quote: Unicode.Scalar) -> ModelPredicateToken? {
    var content: [Unicode.Scalar] = []
    index += 1
    while let scalar = next, scalar != quote {
      index += 1
      if scalar == "\\" {
        guard let escaped = next, ["\"", "'", "\\"].contains(escaped) else { return nil }
        content.append(escaped)
        index += 1
      } else {
        content.append(scalar)
      }
    }
    guard next != nil else { return nil }
    index += 1
    return .text(string(content))
  }

  private mutating func sign() -> ModelPredicateToken? {
    let pair = string(scalars[index..<min(index + 2, scalars.count)])
    if ["<=", "=<", ">=", "=>", "==", "!=", "<>", "&&", "||"].contains(pair) {
      index += 2
      return .sign(pair)
    }
    guard let scalar = next, "<>=!(){},.$[]+-*/".unicodeScalars.contains(scalar) else { return nil }
    index += 1
    return .sign(String(Character(scalar)))
  }
}
