/// XML: tags, their attributes, and the text between them.
struct XMLLexer: Lexer {
  private var isInTag = false

  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    isInTag ? skipInTag(&scanner) : skipOutside(&scanner)
  }

  private mutating func skipOutside(_ scanner: inout CodeScanner) -> Token.Kind {
    if scanner.skip("<!--") {
      scanner.skip(behind: "-->")
      return .comment
    }
    if scanner.skip("<?") {
      scanner.skip(behind: "?>")
      return .comment
    }
    if scanner.skip("</") || scanner.skip("<") {
      scanner.skip { $0.continuesIdentifier || $0 == ":" || $0 == "-" || $0 == "." || $0 == "!" }
      isInTag = true
      return .keyword
    }
    if scanner.next == "&" {
      scanner.skip { $0 != ";" && $0 != "<" && !$0.isWhitespace }
      _ = scanner.skip(";")
      return .number
    }
    scanner.skip { $0 != "<" && $0 != "&" }
    return .plain
  }

  private mutating func skipInTag(_ scanner: inout CodeScanner) -> Token.Kind {
    if scanner.skip("/>") || scanner.skip("?>") || scanner.skip(">") {
      isInTag = false
      return .keyword
    }
    switch scanner.next {
    case let mark? where mark == "\"" || mark == "'":
      scanner.advance()
      scanner.skip { $0 != mark }
      scanner.advance()
      return .string
    case let next? where next.beginsIdentifier:
      scanner.skip { $0.continuesIdentifier || $0 == ":" || $0 == "-" || $0 == "." }
      return .attribute
    default:
      scanner.advance()
      return .plain
    }
  }
}
