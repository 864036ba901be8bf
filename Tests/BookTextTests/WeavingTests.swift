import BookText
import Foundation
import Testing

@Suite("Weaving the book")
struct WeavingTests {
  static let page = "Chapters/01-Keeping/README.md"
  static let source = "Chapters/01-Keeping/Keeper.swift"

  private func woven(_ fence: String, _ prepare: (SmallBook) throws -> Void = { _ in }) throws -> [String] {
    let book = try SmallBook()
    try book.write(Self.page, "# 1. Keeping\n\n```\(fence)\n```\n")
    try prepare(book)
    let outcome = try Weaver(book: Book(root: book.root)).weave()
    #expect(outcome.problems.isEmpty, "\(outcome.problems)")
    return try book.read(Self.page).components(separatedBy: "```")[1].split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropFirst().dropLast().map(String.init)
  }

  @Test("Weaving a woven book changes nothing; a changed source is written anew")
  func twice() throws {
    let book = try SmallBook()
    #expect(try Weaver(book: Book(root: book.root)).weave().changed.isEmpty)
    try book.plant("Takes one thing more.", for: "Takes one more.", in: Self.source)
    #expect(try Weaver(book: Book(root: book.root)).weave().changed == [Self.page])
    #expect(try book.read(Self.page).contains("/// Takes one thing more."))
    #expect(try book.problems().isEmpty)
  }

  @Test("A region is shown without marks, as far to the left as it goes, with lines around it when they are asked for")
  func region() throws {
    #expect(
      try woven("swift file=\(Self.source) region=twice before=1 after=1") == [
        "// Keeper.swift, in func Keeper.keep(_:twice:)",
        "  things.append(thing)", "  if twice { things.append(thing) }", "}",
      ])
  }

  @Test(
    "A symbol is found by its path, with or without labels",
    arguments: ["Keeper.keep(_:twice:)", "Keeper.keep"])
  func symbol(name: String) throws {
    let lines = try woven("swift file=\(Self.source) symbol=\(name)")
    #expect(lines.first == "// Keeper.swift, in class Keeper")
    #expect(lines[1] == "public func keep(_ thing: String, twice: Bool = false) {")
    #expect(lines.last == "}")
    #expect(lines.count == 5)
  }

  @Test("The comment above a symbol is shown when it is asked for")
  func documentation() throws {
    #expect(
      try woven("swift file=\(Self.source) symbol=Keeper docs=yes").prefix(2) == [
        "// Keeper.swift", "/// Keeps things.",
      ])
  }

  @Test("Lines and elements of other files")
  func others() throws {
    let xml = "<model>\n    <entity name=\"Thing\">\n        <attribute name=\"size\"/>\n    </entity>\n</model>\n"
    let entity = try woven("xml file=Chapters/contents element=Thing") { try $0.write("Chapters/contents", xml) }
    #expect(
      entity == [
        "<!-- contents -->", "<entity name=\"Thing\">", "    <attribute name=\"size\"/>", "</entity>",
      ])
    let attribute = try woven("xml file=Chapters/contents element=size") { try $0.write("Chapters/contents", xml) }
    #expect(attribute.last == "<attribute name=\"size\"/>")
    let lines = try woven("json file=Chapters/a.json lines=2-3") { try $0.write("Chapters/a.json", "[\n1,\n2\n]") }
    #expect(lines == ["1,", "2"])
  }

  @Test("A difference has the lines of both sides, common ones once")
  func difference() throws {
    let other = "func keep() {\n  things.append(thing)\n}\n"
    let lines = try woven("diff difference from=Chapters/Other.swift#keep() to=\(Self.source)#keep") {
      try $0.write("Chapters/Other.swift", other)
    }
    #expect(
      lines == [
        "--- Other.swift", "+++ Keeper.swift, in class Keeper", "-func keep() {", "+/// Takes one more.",
        "+public func keep(_ thing: String, twice: Bool = false) {", "   things.append(thing)",
        "+  if twice { things.append(thing) }", " }",
      ])
  }

  @Test("What can't be found is named with the text's line, and the text stays as it is")
  func problems() throws {
    let book = try SmallBook()
    try book.write(Self.page, "# 1. Keeping\n\n```swift file=\(Self.source) symbol=Keeper.loose\nold\n```\n")
    let before = try book.read(Self.page)
    let outcome = try Weaver(book: Book(root: book.root)).weave()
    #expect(
      outcome.problems.map(\.description)
        == ["\(Self.page):3: there is no region and no symbol \"Keeper.loose\" in \(Self.source)"])
    #expect(outcome.changed.isEmpty)
    #expect(try book.read(Self.page) == before)
  }
}
