/// YAML, as far as build recipes use it: keys, values, comments.
struct YAMLLexer: Lexer {
  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    guard let next = scanner.next else { return .plain }
    switch next {
    case "#" where scanner.previous?.isWhitespace ?? true:
      scanner.skipLine()
      return .comment
    case "\"":
      scanner.skipQuoted("\"", escape: "\\")
      return .string
    case "'":
      scanner.skipQuoted("'", escape: "'")
      return .string
    case "-" where isBehindIndentation(scanner):
      scanner.advance()
      return .keyword
    case ":":
      scanner.advance()
      return .plain
    case _ where next.isWhitespace:
      scanner.skip(while: \.isWhitespace)
      return .plain
    default:
      return skipWord(in: &scanner)
    }
  }

  /// A key ends with a colon and a blank, or with a colon at the end of the line. Anything else is a value, up to a
  /// comment.
  private func skipWord(in scanner: inout CodeScanner) -> Token.Kind {
    let line = scanner.rest.prefix { !$0.isNewline }
    let word = line.prefix { $0.continuesIdentifier || "-./".contains($0) }
    let behind = line[word.endIndex...]
    if !word.isEmpty, behind.hasPrefix(": ") || behind == ":" {
      _ = scanner.skip(String(word))
      return .attribute
    }
    var previous: Character = " "
    scanner.skip { character in
      defer { previous = character }
      return !character.isNewline && !(character == "#" && previous.isWhitespace)
    }
    return .plain
  }

  private func isBehindIndentation(_ scanner: CodeScanner) -> Bool {
    guard scanner.rest.dropFirst().first?.isWhitespace ?? true else { return false }
    return scanner.previous?.isWhitespace ?? true
  }
}
