/// A terminal: typed commands and printed output. A line with `…` stands for lines that are left out.
struct ConsoleLexer: Lexer {
  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    guard scanner.isAtLineStart else {
      scanner.skipLine()
      scanner.skip(while: \.isNewline)
      return .plain
    }
    let line = scanner.rest.prefix { !$0.isNewline }
    let text = line.drop { $0 == " " }
    if text.hasPrefix("CoreData: "),
      let mark = ["CoreData: sql: ", "CoreData: annotation: "].first(where: text.hasPrefix)
    {
      scanner.skip { $0 == " " }
      _ = scanner.skip(mark)
      return .comment
    }
    scanner.skipLine()
    if text.hasPrefix("$ ") { return .command }
    if text == "…" { return .comment }
    if text.hasPrefix("Error: ") || text.hasPrefix("error: ") || text.hasPrefix("Fatal error: ") { return .failure }
    scanner.skip(while: \.isNewline)
    return .plain
  }
}
