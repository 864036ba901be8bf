import BookText
import Foundation
import Testing

@Suite("Weaving the cards")
struct CardWeavingTests {
  private static let woven =
    "> **Now you:** [Keep one](../Exercises/README.md#goals), 6 minutes: `swift run learn run KeepOne`"

  @Test(
    "A card is filled in from its exercise's title, its name, or the name in its command",
    arguments: [
      "> **Now you:** [Keep one]", "> **Now you:** [Keep one]()", "> **Now you:** KeepOne", "> **Now you:** keep one.",
      "> **Now you:** 01-KeepOne", "> **Now you:** [Keep\n> one](x), 9 minutes: `swift run learn run 1`",
      "> **Now you:** [An old title](../Exercises/README.md#goals), 6 minutes: `swift run learn run KeepOne`",
    ])
  func filled(card: String) throws {
    let book = try TeachingBook.make()
    try book.plant(card, for: Self.woven, in: TeachingBook.page)
    #expect(try Weaver(book: Book(root: book.root)).weave().changed == [TeachingBook.page])
    #expect(try book.read(TeachingBook.page) == TeachingBook.keeping)
  }

  @Test("A card whose exercise isn't there stays as it is, and a woven one too")
  func unknown() throws {
    let book = try TeachingBook.make()
    #expect(try Weaver(book: Book(root: book.root)).weave().changed == [])
    try book.plant("> **Now you:** [Keep none]", for: Self.woven, in: TeachingBook.page)
    #expect(try Weaver(book: Book(root: book.root)).weave().changed == [])
  }

  @Test("What the author has added behind the command keeps its lines")
  func added() throws {
    let book = try TeachingBook.make()
    try book.plant(
      "5 minutes: `x`. Keep it\n> well.", for: "6 minutes: `swift run learn run KeepOne`", in: TeachingBook.page)
    #expect(try Weaver(book: Book(root: book.root)).weave().changed == [TeachingBook.page])
    #expect(try book.read(TeachingBook.page).contains(Self.woven + ". Keep it\n> well.\n"))
  }
}
