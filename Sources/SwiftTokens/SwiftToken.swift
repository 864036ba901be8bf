/// A token of Swift source. It has what is needed to find declarations.
package struct SwiftToken: Hashable, Sendable {
  package enum Kind: Sendable {
    /// An identifier or keyword, without backquotes.
    case word
    /// `#if`, `#else` and the like, including the `#`.
    case directive
    /// One character of punctuation.
    case punctuation
    /// A string or number, without its text.
    case literal
    case end
  }
  package var kind: Kind
  package var text: String
  package var line: Int
  /// The line on which it ends, a later one for multi-line strings.
  package var lastLine: Int
  package var column: Int
  /// Its range in the source, in UTF-8 bytes, including quotes and backquotes.
  package var range: Range<Int>
  /// Whether it is the first token on its line.
  package var beginsLine: Bool
  /// Whether it was written in backquotes, and so isn't a keyword.
  package var isQuoted = false

  package func isPunctuation(_ character: String) -> Bool { kind == .punctuation && text == character }
  package func isWord(_ word: String) -> Bool { kind == .word && !isQuoted && text == word }
}

/// Splits Swift source into tokens. It skips comments, also nested ones, and the content of strings: raw, multi-line,
/// and with interpolations.
package struct SwiftTokenizer {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var lineStart = 0
  private var beginsLine = true
  private var tokens: [SwiftToken] = []

  package static func tokens(of source: String) -> [SwiftToken] {
    var tokenizer = SwiftTokenizer(bytes: Array(source.utf8))
    tokenizer.run()
    return tokenizer.tokens
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func run() {
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\n"):
        newLine()
        beginsLine = true
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
      case UInt8(ascii: "/") where at("//"):
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
      case UInt8(ascii: "/") where at("/*"): skipBlockComment()
      case UInt8(ascii: "/"):
        let start = position
        let end = endOfBareExpression()
        position = end ?? position + 1
        add(end == nil ? .punctuation : .literal, end == nil ? "/" : "", from: start)
      case UInt8(ascii: "\""):
        add(.literal, "", from: position)
        skipString(hashes: 0)
        endLiteral()
      case UInt8(ascii: "#"): hash()
      case UInt8(ascii: "`"):
        let start = position + 1
        position = start
        while position < bytes.count, bytes[position] != UInt8(ascii: "`") { position += 1 }
        add(.word, text(start, position), from: start - 1)
        tokens[tokens.count - 1].isQuoted = true
        position = min(position + 1, bytes.count)
        tokens[tokens.count - 1].range = start - 1..<position
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let start = position
        while position < bytes.count, Self.isWordByte(bytes[position]) { position += 1 }
        add(.literal, "", from: start)
      default:
        let start = position
        if Self.isWordByte(byte) {
          while position < bytes.count, Self.isWordByte(bytes[position]) { position += 1 }
          add(.word, text(start, position), from: start)
        } else {
          position += 1
          add(.punctuation, text(start, position), from: start)
        }
      }
    }
    add(.end, "", from: position)
  }

  private mutating func hash() {
    let start = position
    while at("#") { position += 1 }
    if at("\"") {
      add(.literal, "", from: start)
      skipString(hashes: position - start)
      endLiteral()
      return
    }
    if at("/") {
      add(.literal, "", from: start)
      skipRegularExpression(end: "/" + String(repeating: "#", count: position - start))
      endLiteral()
      return
    }
    while position < bytes.count, Self.isWordByte(bytes[position]) { position += 1 }
    add(.directive, text(start, position), from: start)
  }

  private mutating func skipBlockComment() {
    var depth = 0
    while position < bytes.count {
      if at("/*") {
        depth += 1
        position += 2
      } else if at("*/") {
        depth -= 1
        position += 2
        if depth == 0 { return }
      } else if bytes[position] == UInt8(ascii: "\n") {
        newLine()
      } else {
        position += 1
      }
    }
  }

  /// The greatest depth of strings inside interpolations, because reading them is recursive.
  private static let deepestString = 100

  /// Skips a string from its opening quote to behind the closing one.
  ///
  /// - Parameters:
  ///   - hashes: the number of `#` before the quote.
  ///   - depth: the number of strings around it.
  private mutating func skipString(hashes: Int, depth: Int = 0) {
    let isMultiline = at("\"\"\"")
    let quote = isMultiline ? "\"\"\"" : "\""
    let end = quote + String(repeating: "#", count: hashes)
    let escape = "\\" + String(repeating: "#", count: hashes)
    position += quote.utf8.count
    while position < bytes.count {
      if at(end) {
        position += end.utf8.count
        return
      }
      if at(escape) {
        position += escape.utf8.count
        if at("("), depth < Self.deepestString {
          skipInterpolation(depth)
        } else if position < bytes.count, !at("\n") {
          position += 1
        }
      } else if at("\n") {
        // In source that doesn't compile, a single-line string ends with its line.
        if !isMultiline { return }
        newLine()
      } else {
        position += 1
      }
    }
  }

  /// Where a regular expression between bare slashes ends that begins at the position; nil if the slash is an operator.
  ///
  /// Only a parser can be sure. We ask what is before the slash, and whether another one on the same line ends it: no
  /// blank is inside of the two slashes next to them, and no parenthesis is closed that was opened before.
  private func endOfBareExpression() -> Int? {
    guard mayBeginExpression, position + 1 < bytes.count, !Self.isBlank(bytes[position + 1]) else { return nil }
    var place = position + 1
    var (open, isInClass) = (0, false)
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return nil
      case UInt8(ascii: "\\"): place += 1
      case UInt8(ascii: "["): isInClass = true
      case UInt8(ascii: "]"): isInClass = false
      case UInt8(ascii: "(") where !isInClass: open += 1
      case UInt8(ascii: ")") where !isInClass:
        if open == 0 { return nil }
        open -= 1
      case UInt8(ascii: "/"): return Self.isBlank(bytes[place - 1]) ? nil : place + 1
      default: break
      }
      place += 1
    }
    return nil
  }

  /// Whether an expression may begin behind the last token.
  private var mayBeginExpression: Bool {
    guard let last = tokens.last else { return true }
    switch last.kind {
    case .word: return !last.isQuoted && Self.wordsBeforeExpressions.contains(last.text)
    case .punctuation:
      // Behind a value, as in `a!/b`, these are part of it.
      if last.text == "!" || last.text == "?" {
        guard let before = tokens.dropLast().last, before.range.upperBound == last.range.lowerBound else { return true }
        return before.kind == .punctuation && "([{,;:=!&|?".contains(before.text)
      }
      return "([{,;:=&|~".contains(last.text)
    case .directive, .literal, .end: return false
    }
  }

  private static let wordsBeforeExpressions: Set<String> = [
    "await", "case", "else", "if", "in", "return", "throw", "try", "where", "while",
  ]

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }

  /// Skips `#/…/#` from its opening slash.
  private mutating func skipRegularExpression(end: String) {
    position += 1
    while position < bytes.count, !at(end) {
      if at("\n") { newLine() } else { position += 1 }
    }
    position = min(bytes.count, position + end.utf8.count)
  }

  private mutating func skipInterpolation(_ depth: Int) {
    var open = 0
    while position < bytes.count {
      if at("(") { open += 1 }
      if at(")") { open -= 1 }
      if at("\"") {
        skipString(hashes: 0, depth: depth + 1)
        continue
      }
      if at("\n") { newLine() } else { position += 1 }
      if open == 0 { return }
    }
  }

  private mutating func newLine() {
    position += 1
    line += 1
    lineStart = position
  }

  private mutating func add(_ kind: SwiftToken.Kind, _ text: String, from start: Int) {
    tokens.append(
      SwiftToken(
        kind: kind, text: text, line: line, lastLine: line, column: start - lineStart + 1,
        range: start..<max(start, position), beginsLine: beginsLine))
    beginsLine = false
  }

  /// Ends a literal at the current position, which may be on a later line.
  private mutating func endLiteral() {
    let start = tokens[tokens.count - 1].range.lowerBound
    tokens[tokens.count - 1].lastLine = line
    tokens[tokens.count - 1].range = start..<position
  }

  private func at(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private func text(_ start: Int, _ end: Int) -> String {
    String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
      true
    default: false
    }
  }
}
