/// Says which stretches of code are what, for the languages of the book.
public enum Highlighter {
  /// The tokens of `text`. In a language that isn't known, all of it is plain.
  ///
  /// - Parameter language: As after the fence of a block in Markdown: `swift`, `sql`, `xml`, `json`, `console`,
  ///   `yaml`, `diff`.
  public static func tokens(of text: some StringProtocol, language: String) -> [Token] {
    var lexer = lexer(for: language)
    var scanner = CodeScanner(text)
    var tokens: [Token] = []
    while !scanner.isAtEnd {
      let start = scanner.position
      let kind = lexer.skipToken(in: &scanner)
      // Whatever a lexer does, the text goes on.
      if scanner.position == start { scanner.advance() }
      tokens.append(Token(kind: kind, text: scanner.slice(from: start)))
    }
    return joined(tokens, of: Substring(text))
  }

  /// The same in lines, without their ends; a token that goes over several lines is in each of them.
  public static func lines(of text: some StringProtocol, language: String) -> [[Token]] {
    var lines: [[Token]] = [[]]
    for token in tokens(of: text, language: language) {
      for (index, part) in token.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      {
        if index > 0 { lines.append([]) }
        if !part.isEmpty { lines[lines.count - 1].append(Token(kind: token.kind, text: part)) }
      }
    }
    return lines
  }

  private static func lexer(for language: String) -> any Lexer {
    switch language {
    case "swift": SwiftLexer()
    case "sql": SQLLexer()
    case "xml": XMLLexer()
    case "json": JSONLexer()
    case "console": ConsoleLexer()
    case "yaml", "yml": YAMLLexer()
    case "diff": DiffLexer()
    default: PlainLexer()
    }
  }

  /// Neighbours of one kind are one token.
  private static func joined(_ tokens: [Token], of text: Substring) -> [Token] {
    var result: [Token] = []
    for token in tokens {
      if let last = result.last, last.kind == token.kind {
        result[result.count - 1] = Token(
          kind: last.kind, text: text[last.text.startIndex..<token.text.endIndex])
      } else {
        result.append(token)
      }
    }
    return result
  }
}

/// Knows one language. It may keep what it is in the middle of.
protocol Lexer {
  /// Moves behind the token that begins here, and says what it is. Called before the end of the text only.
  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind
}

/// The language of which nothing is known.
struct PlainLexer: Lexer {
  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    scanner.skip { _ in true }
    return .plain
  }
}
