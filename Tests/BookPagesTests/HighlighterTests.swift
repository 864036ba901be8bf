import Foundation
import TestDice
import Testing

@testable import BookPages

@Suite("Colours of code") struct HighlighterTests {
  static let languages = ["swift", "sql", "xml", "json", "console", "yaml", "diff", "text", ""]

  /// What stands in the languages of the book, whole and broken off.
  private static let fragments = [
    "let", "class", "Student", "name", "12", "0x1F", "3.5", "1_000", "-", " ", "  ", "\n", "\r\n", "\t", "\"", "\"\"\"",
    "#\"",
    "\"#", "\\", "\\(", ")", "(", "'", "''", "//", "/*", "*/", "--", "@", "#if", "`", "<", "</", "<!--", "-->", ">",
    "/>", "=",
    "&amp;", "&", "?", "SELECT", "ZBOOK", ": ", ":", "#", "$ swift run", "…", "CoreData: sql: ", "Error: ", "+", "@@",
    "{", "}", "é",
    "e\u{301}", "👩‍👩‍👧", "\u{0}", "true", "null", ".", ",",
  ]

  @Test("No language loses or changes a character", arguments: languages)
  func nothingIsLost(language: String) {
    var random = Dice(state: 7)
    for _ in 0..<400 {
      let text = (0..<Int.random(in: 0...40, using: &random))
        .map { _ in Self.fragments.randomElement(using: &random)! }.joined()
      let tokens = Highlighter.tokens(of: text, language: language)
      #expect(tokens.map(\.text).joined() == text)
      #expect(tokens.allSatisfy { !$0.text.isEmpty })
    }
  }

  @Test("Lines put together are the text", arguments: languages)
  func linesAreTheText(language: String) {
    var random = Dice(state: 11)
    for _ in 0..<200 {
      let text = (0..<30).map { _ in Self.fragments.filter { $0 != "\r\n" }.randomElement(using: &random)! }.joined()
      let lines = Highlighter.lines(of: text, language: language)
      #expect(lines.map { $0.map(\.text).joined() }.joined(separator: "\n") == text)
    }
  }

  @Test func `The project's own Swift files come through whole`() throws {
    let sources = projectRoot.appendingPathComponent("Sources/BookPages")
    let files = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
      .filter { $0.hasSuffix(".swift") }
    #expect(!files.isEmpty)
    for file in files {
      let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
      #expect(Highlighter.tokens(of: text, language: "swift").map(\.text).joined() == text)
    }
  }

  @Test func `Swift: keywords, types, numbers, comments`() {
    #expect(
      marked("@objc public let count: Int = 0x1F // how many", "swift")
        == "attribute(@objc) keyword(public) keyword(let) count: type(Int) = number(0x1F) comment(// how many)")
    #expect(marked("/* a /* b */ c */ x", "swift") == "comment(/* a /* b */ c */) x")
    #expect(marked("#if os(Linux)", "swift") == "keyword(#if) os(type(Linux))")
  }

  @Test func `Swift: what is interpolated is code, also with strings in it`() {
    #expect(
      marked(#""a \(f("b")) c" let"#, "swift") == #"string("a \()f(string("b"))string() c") keyword(let)"#)
    #expect(marked(##"#"no \(code)"# let"##, "swift") == ##"string(#"no \(code)"#) keyword(let)"##)
    #expect(marked("\"\"\"\n\"x\"\n\"\"\" let", "swift") == "string(\"\"\"\n\"x\"\n\"\"\") keyword(let)")
  }

  @Test func `Swift: labels and members that look like keywords are none`() {
    #expect(marked("perform(in: x, as: .default)", "swift") == "perform(in: x, as: .default)")
    #expect(marked("a.self", "swift") == "a.keyword(self)")
  }

  @Test func `A string that is not closed ends with its line`() {
    #expect(marked("\"abc\nlet", "swift") == "string(\"abc)\nkeyword(let)")
  }

  @Test func `SQL: keywords in any case, texts, parameters`() {
    #expect(
      marked("select ZNAME from ZBOOK where Z_PK = ? and x = 'it''s'", "sql")
        == "keyword(select) ZNAME keyword(from) ZBOOK keyword(where) Z_PK = number(?) keyword(and) x = string('it''s')")
  }

  @Test func `XML: tags, attributes, text`() {
    #expect(
      marked("<a b=\"c>d\">x &amp; y</a><!-- < -->", "xml")
        == "keyword(<a) attribute(b)=string(\"c>d\")keyword(>)x number(&amp;) ykeyword(</a>)comment(<!-- < -->)")
  }

  @Test func `JSON: keys are no values`() {
    #expect(
      marked("{\"a\": [\"b\", -1.5e3, true]}", "json")
        == "{attribute(\"a\"): [string(\"b\"), number(-1.5e3), keyword(true)]}")
  }

  @Test func `Console: what was typed, what was left out, what went wrong`() {
    #expect(
      marked("$ swift run X\n  1 row\n…\nCoreData: sql: COMMIT\nError: no file", "console")
        == "command($ swift run X)\n  1 row\ncomment(…)\ncomment(CoreData: sql: )COMMIT\nfailure(Error: no file)")
  }

  @Test func `YAML: keys, values, comments`() {
    #expect(
      marked("jobs: # all\n  - run: \"a # b\"\n    uses: x/y#1", "yaml")
        == "attribute(jobs): comment(# all)\n  keyword(-) attribute(run): string(\"a # b\")\n    attribute(uses): x/y#1"
    )
  }

  @Test func `A difference's lines are inserted, deleted or the same`() {
    #expect(marked("-a\n+b\n c", "diff") == "deleted(-a\n)inserted(+b\n) c")
  }

  @Test func `HTML has the text escaped, and plain text without spans`() {
    #expect(Highlighter.html(of: "a < b && \"c\"", language: "") == "a &lt; b &amp;&amp; &quot;c&quot;")
    #expect(
      Highlighter.html(of: "let a = \"<\"", language: "swift")
        == "<span class=\"keyword\">let</span> a = <span class=\"string\">&quot;&lt;&quot;</span>")
  }

  @Test func `No line is broken inside of the opening of an interpolation`() {
    #expect(
      Highlighter.html(of: "\"a \\(b)\"", language: "swift")
        == "<span class=\"string\">&quot;a <span class=\"whole-word\">\\(</span></span>b<span class=\"string\">)&quot;</span>"
    )
    #expect(Highlighter.html(of: "\"(\"", language: "swift") == "<span class=\"string\">&quot;(&quot;</span>")
  }

  /// Tokens as `kind(text)`, plain ones as they are.
  private func marked(_ text: String, _ language: String) -> String {
    Highlighter.tokens(of: text, language: language)
      .map { $0.kind == .plain ? String($0.text) : "\($0.kind.rawValue)(\($0.text))" }.joined()
  }
}

let projectRoot = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
