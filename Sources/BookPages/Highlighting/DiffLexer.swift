/// A unified difference. Each line is inserted, deleted, or the same.
struct DiffLexer: Lexer {
  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    let kind: Token.Kind =
      switch scanner.next {
      case "+": .inserted
      case "-": .deleted
      case "@": .comment
      default: .plain
      }
    scanner.skipLine()
    if scanner.next != nil { scanner.advance() }
    return kind
  }
}
