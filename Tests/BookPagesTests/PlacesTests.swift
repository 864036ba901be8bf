import BookText
import Foundation
import Testing

@testable import BookPages

@Suite("Where a page and its sections are") struct PlacesTests {
  @Test(
    "A page's file has its folder's name in small letters",
    arguments: [
      ("01-ManualStack", "01-manual-stack"), ("B-Glossary", "b-glossary"), ("10-InsideTheFile", "10-inside-the-file"),
    ])
  func slug(folder: String, expected: String) {
    #expect(Places.slug(folder) == expected)
  }

  @Test func `Links to texts lead to pages, links to files to their sources, others stay`() throws {
    let folder = try SmallBook.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let places = Places(book: try Book(root: folder), sources: Places.Sources())
    let from = "Chapters/01-First"
    #expect(places.link("../02-SecondStep/README.md#a-step", from: from) == "02-second-step.html#a-step")
    #expect(places.link("../02-SecondStep", from: from) == "02-second-step.html")
    #expect(places.link("../README.md", from: from) == "index.html")
    #expect(places.link("#here", from: from) == "#here")
    #expect(places.link("https://sqlite.org", from: from) == "https://sqlite.org")
    #expect(places.link("Stack.swift", from: from) == "source/Chapters-01-First-Stack.swift.html")
    #expect(places.fromSources.link("Stack.swift", from: from) == "../source/Chapters-01-First-Stack.swift.html")
    #expect(places.link("Missing.swift", from: from) == nil)
    #expect(places.link("..", from: from) == "index.html")
    #expect(places.sources.paths == ["Chapters/01-First/Stack.swift"])
  }
}
