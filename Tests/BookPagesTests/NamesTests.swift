import BookText
import Foundation
import Testing

@testable import BookPages

@Suite("Names in code lead to their declarations") struct NamesTests {
  let names = PublicNames(
    source: """
      open class Context {
        public func save() throws {}
        public func fetch(_ request: Request) -> [Int] { [] }
        public func fetch(_ request: Request, limit: Int) -> [Int] { [] }
        public var hasChanges: Bool { false }
        public var name: String?
        func hidden() {}
      }
      public enum Kind { case mainQueue }
      public protocol Watcher { func contextChanged() }
      struct Secret { public func whisper() {} }
      """)

  @Test(
    "Inline code means names of the module",
    arguments: [
      ("Context", "Context"), ("save()", "save()"), ("save", "save()"), ("context.save()", "save()"),
      ("try context.save()", "save()"), ("fetch(_:limit:)", "fetch(_:limit:)"),
      ("fetch(request)", "fetch(_:) fetch(_:limit:)"), ("hasChanges", "hasChanges"),
      ("context.hasChanges", "hasChanges"),
      (".mainQueue", "mainQueue"), ("Kind.mainQueue", "mainQueue"), ("contextChanged()", "contextChanged()"),
    ])
  func meaning(code: String, expected: String) {
    #expect(names.names(meantBy: code).map(\.name).joined(separator: " ") == expected)
  }

  @Test(
    "A word that may be anything, and what is not public, mean nothing",
    arguments: [
      "name", ".name", "Other.hasChanges", "hidden()", "nothing()", "let x = 1", "-com.apple.CoreData.SQLDebug 1",
      "Z_PK", "",
    ])
  func noMeaning(code: String) {
    #expect(names.names(meantBy: code).isEmpty)
  }

  @Test func `In the index, a section with the name in its heading comes first`() {
    func section(_ id: String, code: [String], headingCode: [String] = []) -> RenderedPage.Section {
      RenderedPage.Section(
        heading: RenderedPage.Heading(level: 2, id: id, html: id, text: id), code: code, headingCode: headingCode)
    }
    let page = RenderedPage(
      file: "a.html", title: "A", content: "",
      sections: [section("one", code: ["save()", "save()"]), section("two", code: [], headingCode: ["save()"])])
    let index = APIIndex(pages: [page], names: names)
    #expect(index.entries.map(\.name) == ["save()"])
    #expect(index.entries.first?.owners == ["Context"])
    #expect(index.entries.first?.mentions.map(\.id) == ["two", "one"])
    #expect(index.page().content.contains("<b><a href=\"a.html#two\">"))
  }
}
