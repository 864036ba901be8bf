import Testing

@testable import DataModelFiles

@Suite("Suggestions for misspelt names")
struct SpellingTests {
  @Test("A name that was misspelt gets the nearest right one, and a name like no other gets none")
  func spelling() {
    let names = ["title", "author", "pages", "publishedOn", "isbn"]
    #expect(Spelling.nearest(to: "titel", among: names) == "title")
    #expect(Spelling.nearest(to: "Title", among: names) == "title")
    #expect(Spelling.nearest(to: "publishedAt", among: names) == "publishedOn")
    #expect(Spelling.nearest(to: "page", among: names) == "pages")
    #expect(Spelling.nearest(to: "x", among: names) == nil)
    #expect(Spelling.nearest(to: "", among: names) == nil)
    #expect(Spelling.nearest(to: "colour", among: names) == nil)
    #expect(Spelling.nearest(to: "title", among: []) == nil)
    #expect(Spelling.nearest(to: String(repeating: "x", count: 100_000), among: names) == nil)
  }
}
