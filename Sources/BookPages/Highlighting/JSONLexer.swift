/// JSON. A string before a colon is a key.
struct JSONLexer: Lexer {
  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    guard let next = scanner.next else { return .plain }
    switch next {
    case "\"":
      scanner.skipQuoted("\"", escape: "\\")
      return scanner.rest.drop(while: \.isWhitespace).first == ":" ? .attribute : .string
    case _ where next.isNumber || next == "-":
      scanner.skip { $0.isNumber || "+-.eE".contains($0) }
      return .number
    case _ where next.isLetter:
      let start = scanner.position
      scanner.skip(while: \.isLetter)
      return ["true", "false", "null"].contains(String(scanner.slice(from: start))) ? .keyword : .plain
    default:
      scanner.advance()
      return .plain
    }
  }
}
