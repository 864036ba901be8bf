import BookText
import Foundation
import Testing

@Suite("The book's voice")
struct VoiceTests {
  private func problems(_ text: String, in path: String = "Chapters/A-More/README.md") throws -> [String] {
    let book = try TeachingBook.make()
    try book.write(path, text)
    return VoiceCheck(book: try Book(root: book.root)).problems().map(\.description)
  }

  private static let page = "Chapters/A-More/README.md"

  @Test(
    "A habit is found, with its line and what to write",
    arguments: [
      ("It begins anew.", "anew", "again, or start over"),
      ("You can mend it.", "mend", "fix"),
      ("It is mended.", "mended", "fix"),
      ("Whoever reads it wins.", "Whoever", "you, or anyone who"),
      ("Somebody\nreads it.", "Somebody", "you, someone, or a name"),
      ("It is read by nobody.", "nobody", "no one, or nothing"),
      ("The one to whom it belongs.", "whom", "you, or who with a verb early"),
      ("One who does not know it writes it.", "who does not", "if you don't"),
      ("Who knows it reads on.", "Who knows", "If you …"),
      ("No sooner said than done.", "No sooner", "as soon as"),
      ("Every store, be it a\nfile or not.", "be it a", "whether it is"),
      ("A delete is a word to the context.", "a word to the", "tell"),
      ("Its queue needs no word.", "no word", "need not name it, or says nothing"),
      ("She has a book more.", "a book more", "one more …"),
      ("She has a `Book` more, and reads.", "a `…` more", "one more …"),
      ("It has no owner any more.", "no owner any more", "no longer a …"),
      ("It is alike to the other.", "alike to", "the same as"),
      ("Let us read.", "Let us", "let's, or an imperative"),
      ("We shall read.", "shall", "will"),
      ("It simply works.", "simply", "leave it out"),
      ("A line in grey.", "grey", "the American spelling"),
      ("Its colours are two.", "colours", "the American spelling"),
      ("It is not optimised.", "optimised", "the American spelling"),
      ("## Take along", "Take along", "takeaways"),
      ("It is 2.4 in a hundred.", "2.4 in a hundred", "%"),
      ("What says Objective-C goes.", "What says", "the … that says"),
      ("It was set to what is none.", "what is none", "what is not one"),
      ("It is none of the store's.", "is none of the", "is not one of the"),
      ("It does if it is so minded.", "so minded", "wants it"),
      ("It is all the same to a store.", "all the same to", "makes no difference to"),
      ("One save it was, but two transactions.", "One save it was,", "it is one …"),
      ("Its name begins with a point.", "begins with a point", "with a dot"),
      ("A box, the like of which is rare.", "the like of", "such as"),
      ("Close it, lest it opens.", "lest", "a word of today"),
    ])
  func habit(text: String, found: String, instead: String) throws {
    #expect(
      try problems("# More\n\n\(text)\n").first == "\(Self.page):3: \"\(found)\" is a habit; write: \(instead)")
  }

  @Test(
    "What only looks like a habit is none",
    arguments: [
      "I recommend amending it.", "It takes a little more.", "A moment more, and `anew` is code.",
      "Who owns it?", "The one who has it.", "```swift unchecked=\"x\"\n// mend\n```", "<!-- mend -->",
      "A link [to it](mend.md).",
    ])
  func innocent(text: String) throws {
    #expect(try problems("# More\n\n\(text)\n") == [])
  }

  @Test("A line that says why may have one")
  func exemption() throws {
    #expect(try problems("# More\n\nThe old title is \"Begin\nanew\". <!-- voice: a title -->\n") == [])
    #expect(try problems("# More\n\nThe old title is \"Begin\nanew\". <!-- voice: -->\n").count == 1)
  }

  @Test("A sentence over forty words is found at its first line; code, cells and items count by themselves")
  func longSentence() throws {
    let words = Array(repeating: "word", count: 39).joined(separator: " ")
    #expect(
      try problems("# More\n\nFirst.\nA short one, e.g. this. One more\n\(words).\n") == [
        "\(Self.page):4: the sentence \"One more word word …\" has 41 words; make two of it, 40 are the most"
      ])
    #expect(try problems("# More\n\nOne `a`\n\(words).\n") == [])
    #expect(try problems("# More\n\n- \(words)\n- \(words)\n\n| \(words) | \(words) |\n|---|---|\n") == [])
    #expect(try problems("# More\n\n- \(words)\n  one two.\n").count == 1)
  }

  @Test("The project's README and the exercises' guides have the same voice")
  func otherTexts() throws {
    #expect(
      try problems("# A book\n\nBegin anew.\n", in: "README.md")
        == ["README.md:3: \"anew\" is a habit; write: again, or start over"])
    let guide = TeachingBook.guide(title: "Keep one", section: "01-Keeping#anew", minutes: 6) + "\nMend it.\n"
    #expect(
      try problems(guide, in: TeachingBook.guide) == ["\(TeachingBook.guide):20: \"Mend\" is a habit; write: fix"])
  }

  @Test("A chapter that never speaks to its reader is named")
  func withoutReader() throws {
    #expect(
      try problems("# 3. Losing\n\nIt is lost.\n", in: "Chapters/03-Losing/README.md")
        == ["Chapters/03-Losing/README.md: the chapter never says \"you\"; write to the reader"])
  }
}
