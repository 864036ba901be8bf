import Foundation

/// Cuts the UTF-8 bytes of a format string into tokens, one at a time.
struct PredicateLexer {
  let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The next token. After the last one, every call returns `end`.
  mutating func next() throws -> PredicateToken {
    skipBlanks()
    let start = position
    guard start < bytes.count else { return PredicateToken(kind: .end, start: start, end: start) }
    let byte = bytes[start]
    if byte >= 0x80 { try expectLetter(at: start) }
    if isLetter(byte) { return try word(from: start) }
    if isDigit(byte) || (byte == UInt8(ascii: ".") && isDigit(peek(1)) && !followsOperand) {
      return try number(from: start)
    }
    switch byte {
    case UInt8(ascii: "%"): return try argument(from: start)
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return try string(from: start)
    case UInt8(ascii: "$"): return try prefixed(.variable, from: start, what: "a variable's name after \"$\"")
    case UInt8(ascii: "#"):
      // `#1` would be a name that nothing else can write.
      let what = "a name after \"#\""
      if isDigit(peek(1)) { throw PredicateSyntaxError(at: start, "expected \(what)") }
      return try prefixed(.escapedWord, from: start, what: what)
    case UInt8(ascii: "@"):
      let token = try prefixed(.collectionOperator, from: start, what: "an operator's name after \"@\"")
      return PredicateToken(kind: .collectionOperator, start: start, end: token.end)
    default: return try sign(from: start)
    }
  }

  /// Whether a name or a bracket precedes. A dot after it belongs to a path, even if a digit follows.
  private var followsOperand: Bool {
    position > 0
      && (isLetter(bytes[position - 1]) || isDigit(bytes[position - 1]) || bytes[position - 1] == 0x5D)
  }

  private func peek(_ distance: Int) -> UInt8 {
    position + distance < bytes.count ? bytes[position + distance] : 0
  }

  private mutating func skipBlanks() {
    while position < bytes.count {
      if isBlank(bytes[position]) {
        position += 1
      } else if bytes[position] >= 0xC2, let (scalar, length) = scalar(at: position),
        scalar.properties.isWhitespace
      {
        position += length
      } else {
        return
      }
    }
  }

  /// The character beyond ASCII at `offset`.
  private func scalar(at offset: Int) -> (Unicode.Scalar, length: Int)? {
    var decoder = UTF8()
    var rest = bytes[offset..<min(offset + 4, bytes.count)].makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return nil }
    return (scalar, UTF8.width(scalar))
  }

  /// Throws for punctuation beyond ASCII, such as typographic quotes, and for bytes that are not a character.
  private func expectLetter(at offset: Int) throws {
    guard let (scalar, _) = scalar(at: offset) else {
      throw PredicateSyntaxError(at: offset, "the bytes here are not a character")
    }
    switch scalar.properties.generalCategory {
    case .initialPunctuation, .finalPunctuation, .openPunctuation, .closePunctuation, .dashPunctuation:
      let hint = "“”„‟«»‘’‚‛".unicodeScalars.contains(scalar) ? "; put text between \" or '" : ""
      throw PredicateSyntaxError(at: offset, "the sign \"\(scalar)\" means nothing in a predicate\(hint)")
    case .otherPunctuation where !scalar.properties.isXIDContinue:
      throw PredicateSyntaxError(at: offset, "the sign \"\(scalar)\" means nothing in a predicate")
    default: break
    }
  }

  private mutating func word(from start: Int) throws -> PredicateToken {
    try skipName()
    let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
    // The two keywords with hyphens.
    if text.count == 3, peek(0) == UInt8(ascii: "-"), spells("UTI", at: start) {
      for (rest, kind) in [("-CONFORMS-TO", PredicateToken.Kind.utiConformsTo), ("-EQUALS", .utiEquals)]
      where spells(rest, at: position) {
        position += rest.utf8.count
        return PredicateToken(kind: kind, start: start, end: position)
      }
    }
    return PredicateToken(kind: .keyword(text), start: start, end: position)
  }

  private func spells(_ capitals: String, at start: Int) -> Bool {
    guard start + capitals.utf8.count <= bytes.count else { return false }
    return zip(capitals.utf8, bytes[start...]).allSatisfy { $0 == ($1 &- 0x61 < 26 ? $1 & 0xDF : $1) }
  }

  private mutating func skipName() throws {
    while position < bytes.count {
      let byte = bytes[position]
      if byte < 0x80 {
        guard isLetter(byte) || isDigit(byte) else { return }
      } else if byte >= 0xC0 {
        if let (scalar, _) = scalar(at: position), scalar.properties.isWhitespace { return }
        try expectLetter(at: position)
      }
      position += 1
    }
  }

  private mutating func prefixed(
    _ kind: PredicateToken.Kind, from start: Int, what: String
  ) throws -> PredicateToken {
    position += 1
    try skipName()
    guard position > start + 1 else { throw PredicateSyntaxError(at: start, "expected \(what)") }
    return PredicateToken(kind: kind, start: start + 1, end: position)
  }

  /// `12`, `1.5`, `.5e-3`, `0x1F`, `0o17`, `0b101`.
  private mutating func number(from start: Int) throws -> PredicateToken {
    var kind = PredicateToken.Kind.integer
    let prefix = bytes[start] == UInt8(ascii: "0") ? peek(1) | 0x20 : 0
    if prefix == UInt8(ascii: "x") || prefix == UInt8(ascii: "o") || prefix == UInt8(ascii: "b") {
      position += 2
      try skipName()
      return PredicateToken(kind: .integer, start: start, end: position)
    }
    skipDigits()
    if peek(0) == UInt8(ascii: "."), isDigit(peek(1)) {
      kind = .floating
      position += 1
      skipDigits()
    } else if peek(0) == UInt8(ascii: "."), !isLetter(peek(1)) {
      kind = .floating
      position += 1
    }
    if peek(0) | 0x20 == UInt8(ascii: "e") {
      let sign = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+") ? 1 : 0
      if isDigit(peek(1 + sign)) {
        kind = .floating
        position += 1 + sign
        skipDigits()
      }
    }
    if position < bytes.count, isLetter(bytes[position]) {
      throw PredicateSyntaxError(at: position, "expected the end of the number")
    }
    return PredicateToken(kind: kind, start: start, end: position)
  }

  private mutating func skipDigits() {
    while position < bytes.count, isDigit(bytes[position]) { position += 1 }
  }

  /// `%@`, `%K`, and C's conversions with their length modifiers.
  private mutating func argument(from start: Int) throws -> PredicateToken {
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "h"), UInt8(ascii: "l"), UInt8(ascii: "q"), UInt8(ascii: "z"), UInt8(ascii: "t"),
        UInt8(ascii: "j"), UInt8(ascii: "L"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
        continue
      // `%lud`, which some write for `%lu`.
      case UInt8(ascii: "u") where peek(0) == UInt8(ascii: "d"):
        continue
      default:
        if isConversion(byte) { return PredicateToken(kind: .argument, start: start, end: position) }
      }
      break
    }
    if peek(-1) == UInt8(ascii: "%"), position == start + 2 {
      throw PredicateSyntaxError(at: start, "a percent sign may only stand between quotes")
    }
    throw PredicateSyntaxError(at: start, "expected @, K or a conversion such as d, ld, f, s after \"%\"")
  }

  private func isConversion(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "@"), UInt8(ascii: "K"), UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "i"),
      UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"),
      UInt8(ascii: "O"), UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"),
      UInt8(ascii: "g"), UInt8(ascii: "G"), UInt8(ascii: "a"), UInt8(ascii: "A"), UInt8(ascii: "c"),
      UInt8(ascii: "C"), UInt8(ascii: "s"), UInt8(ascii: "S"):
      true
    default: false
    }
  }

  /// The token keeps its quotes; `PredicateLiteral` takes the escapes out.
  private mutating func string(from start: Int) throws -> PredicateToken {
    let quote = bytes[start]
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == quote { return PredicateToken(kind: .string, start: start, end: position) }
    }
    position = bytes.count
    throw PredicateSyntaxError(at: start, "expected the end of the string that begins here")
  }

  private mutating func sign(from start: Int) throws -> PredicateToken {
    func token(_ kind: PredicateToken.Kind, _ length: Int) -> PredicateToken {
      position += length
      return PredicateToken(kind: kind, start: start, end: position)
    }
    let second = peek(1)
    switch (bytes[start], second) {
    case (UInt8(ascii: "="), UInt8(ascii: "=")): return token(.equal, 2)
    case (UInt8(ascii: "="), UInt8(ascii: "<")): return token(.lessOrEqual, 2)
    case (UInt8(ascii: "="), UInt8(ascii: ">")): return token(.greaterOrEqual, 2)
    case (UInt8(ascii: "="), _): return token(.equal, 1)
    case (UInt8(ascii: "!"), UInt8(ascii: "=")): return token(.notEqual, 2)
    case (UInt8(ascii: "!"), _): return token(.not, 1)
    case (UInt8(ascii: "<"), UInt8(ascii: "=")): return token(.lessOrEqual, 2)
    case (UInt8(ascii: "<"), UInt8(ascii: ">")): return token(.notEqual, 2)
    case (UInt8(ascii: "<"), UInt8(ascii: "<")): return token(.shiftLeft, 2)
    case (UInt8(ascii: "<"), _): return token(.less, 1)
    case (UInt8(ascii: ">"), UInt8(ascii: "=")): return token(.greaterOrEqual, 2)
    case (UInt8(ascii: ">"), UInt8(ascii: ">")): return token(.shiftRight, 2)
    case (UInt8(ascii: ">"), _): return token(.greater, 1)
    case (UInt8(ascii: "&"), UInt8(ascii: "&")): return token(.and, 2)
    case (UInt8(ascii: "&"), _): return token(.bitAnd, 1)
    case (UInt8(ascii: "|"), UInt8(ascii: "|")): return token(.or, 2)
    case (UInt8(ascii: "|"), _): return token(.bitOr, 1)
    case (UInt8(ascii: "^"), _): return token(.bitXor, 1)
    case (UInt8(ascii: "~"), _): return token(.bitNot, 1)
    case (UInt8(ascii: "*"), UInt8(ascii: "*")): return token(.power, 2)
    case (UInt8(ascii: "*"), _): return token(.times, 1)
    case (UInt8(ascii: "/"), _): return token(.divide, 1)
    case (UInt8(ascii: "+"), _): return token(.plus, 1)
    case (UInt8(ascii: "-"), _): return token(.minus, 1)
    case (UInt8(ascii: ":"), UInt8(ascii: "=")): return token(.assign, 2)
    case (UInt8(ascii: ":"), _): return token(.colon, 1)
    case (UInt8(ascii: ","), _): return token(.comma, 1)
    case (UInt8(ascii: "."), _): return token(.dot, 1)
    case (UInt8(ascii: "("), _): return token(.openParenthesis, 1)
    case (UInt8(ascii: ")"), _): return token(.closeParenthesis, 1)
    case (UInt8(ascii: "{"), _): return token(.openBrace, 1)
    case (UInt8(ascii: "}"), _): return token(.closeBrace, 1)
    case (UInt8(ascii: "["), _): return token(.openBracket, 1)
    case (UInt8(ascii: "]"), _): return token(.closeBracket, 1)
    default:
      throw PredicateSyntaxError(
        at: start, "the sign \"\(Unicode.Scalar(bytes[start]))\" means nothing in a predicate")
    }
  }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
/// Every byte of a letter beyond ASCII counts as one.
private func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80 }
