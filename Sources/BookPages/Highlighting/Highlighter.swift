/// Finds the tokens of code in the languages of the book.
public enum Highlighter {
  /// The tokens of `text`. In an unknown language all of it is plain.
  ///
  /// - Parameter language: the word after a Markdown fence: `swift`, `sql`, `xml`, `json`, `console`, `yaml`, `diff`.
  public static func tokens(of text: some StringProtocol, language: String) -> [Token] {
    var lexer = lexer(for: language)
    var scanner = CodeScanner(text)
    var tokens: [Token] = []
    while !scanner.isAtEnd {
      let start = scanner.position
      let kind = lexer.skipToken(in: &scanner)
      // Go on even if the lexer doesn't move.
      if scanner.position == start { scanner.advance() }
      tokens.append(Token(kind: kind, text: scanner.slice(from: start)))
    }
    return joined(tokens, of: Substring(text))
  }

  /// The tokens by line, without line ends. A token of several lines is split among them.
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

  /// Joins neighbouring tokens of the same kind.
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

/// Knows one language. It may keep state between tokens.
protocol Lexer {
  /// Skips the token at the current position, and returns its kind. It is never called at the end of the text.
  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind
}

/// For an unknown language.
struct PlainLexer: Lexer {
  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    scanner.skip { _ in true }
    return .plain
  }
}
