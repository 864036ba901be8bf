import BookText
import Foundation
import Testing

@Suite("A chapter's form")
struct ChapterFormTests {
  static let page = TeachingBook.page
  static let next = TeachingBook.next
  static let guide = TeachingBook.guide
  static let drawing = TeachingBook.drawing

  private func problems(_ book: SmallBook) throws -> [String] {
    ChapterFormCheck(book: try Book(root: book.root)).problems().map(\.description)
  }

  @Test("A chapter with all its parts has no problems")
  func sound() throws {
    let book = try TeachingBook.make()
    #expect(try problems(book).isEmpty)
    #expect(
      BookCheck(book: try Book(root: book.root)).run(programs: nil, form: true).problems.map(\.description).filter {
        !$0.contains("is shown nowhere")
      } == [])
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let file: String
    let old: String
    let new: String
    let found: String
    var testDescription: String { name }
  }

  static let cards = [
    Mistake(
      name: "a card of no exercise", file: page,
      old: "[Keep one](../Exercises/README.md#goals), 6 minutes: `swift run learn run KeepOne`",
      new: "[Keep all](../Exercises/README.md#goals), 6 minutes: `swift run learn run KeepAll`",
      found: "\(page):19: there is no exercise \"Keep all\"; `swift run learn list` has their titles"),
    Mistake(
      name: "a card with other minutes", file: page, old: "6 minutes", new: "5 minutes",
      found: "\(page):19: \(guide) says 6 minutes; `book weave` writes it"),
    Mistake(
      name: "a card with another command", file: page, old: "learn run KeepOne", new: "learn run 1",
      found: "\(page):19: the command is `swift run learn run KeepOne`; `book weave` writes it"),
    Mistake(
      name: "a card with an old title", file: page, old: "[Keep one]", new: "[Keep this]",
      found: "\(page):19: the exercise's title is \"Keep one\"; `book weave` writes it"),
    Mistake(
      name: "a card with another link", file: page, old: "#goals), 6", new: "#for-learners), 6",
      found: "\(page):19: the card's link leads to ../Exercises/README.md#goals; `book weave` writes it"),
    Mistake(
      name: "a card with two exercises", file: page, old: "KeepTwo`. Twice.",
      new: "KeepTwo`, then `swift run learn run KeepOne`",
      found: "\(page):35: the card names a second exercise; give that one a card of its own"),
    Mistake(
      name: "a card in another form", file: page, old: "[Keep one](../Exercises/README.md#goals), 6 minutes:",
      new: "KeepOne, in 6 minutes:",
      found:
        "\(page):19: a card is written \"> **Now you:** [Exercise](../Exercises/README.md#goals), 6 minutes: `swift run learn run Name`\""
    ),
    Mistake(
      name: "a card in another chapter than its exercise", file: guide, old: "01-Keeping#how-it-keeps",
      new: "02-Finding#five-questions",
      found:
        "\(page):19: this exercise belongs to 02-Finding#five-questions; put the card there, or change `Chapter:` in \(guide)"
    ),
    Mistake(
      name: "a card before the section that teaches it", file: guide, old: "#how-it-keeps", new: "#keeping-twice",
      found:
        "\(page):19: the card stands before \"Keeping twice\", which teaches what it needs; put it behind that section"),
    Mistake(
      name: "cards in another order than the exercises", file: page, old: "## Five questions",
      new:
        "> **Now you:** [Keep one](../Exercises/README.md#goals), 6 minutes: `swift run learn run KeepOne`\n\n## Five questions",
      found:
        "\(page):37: \"Keep one\" comes before \"Keep two, or more\" in the exercises' order; put the cards in that order"
    ),
    Mistake(
      name: "an exercise that goes back", file: guide, old: "#how-it-keeps", new: "#five-questions",
      found:
        "Chapters/Exercises/Exercises/02-KeepTwo/Guide.md:5: its section 01-Keeping#keeping-twice comes before that of 01-KeepOne, 01-Keeping#five-questions; give it a lower number"
    ),
    Mistake(
      name: "an exercise of no section", file: guide, old: "#how-it-keeps", new: "#how-it-looks",
      found: "\(guide):5: there is no section 01-Keeping#how-it-looks; name one that is there"),
  ]

  static let blocks = [
    Mistake(
      name: "a prediction without a checked answer", file: page,
      old: "</summary>\n\n```console transcript=run\nkept: 2\n```", new: "</summary>\n\nTwo.",
      found: "\(page):23: the answer to \"Predict:\" is not checked; show it in a block with transcript="),
    Mistake(
      name: "a prediction outside of its fold", file: page,
      old: "<details>\n<summary>Predict: how many are kept?</summary>", new: "Predict: how many are kept?",
      found: "\(page):23: \"Predict:\" stands outside of a <details>, as whose <summary> it belongs"),
    Mistake(
      name: "a fold that is never closed", file: page, old: "```\n\n</details>\n\n![", new: "```\n\n![",
      found: "\(page):23: this <details> is never closed; write </details>"),
    Mistake(
      name: "an end of no fold", file: page, old: "More of them.", new: "</details>",
      found: "\(page):101: this </details> closes nothing; take it away"),
    Mistake(
      name: "a fold without a summary", file: page, old: "<summary>Predict: how many are kept?</summary>", new: "",
      found: "\(page):23: this <details> has no summary; write <summary>…</summary> behind it"),
    Mistake(
      name: "no empty line behind a summary", file: page, old: "kept?</summary>\n", new: "kept?</summary>",
      found: "\(page):24: put an empty line behind the summary; without it Markdown is not read in the part"),
    Mistake(
      name: "backticks in a summary", file: page, old: "how many are kept?", new: "what does `keep` do?",
      found: "\(page):24: a summary is HTML; write <code>…</code> in place of backticks"),
    Mistake(
      name: "an aside that is too long", file: page, old: "Some are shelves.",
      new: String(repeating: "word ", count: 117),
      found: "\(page):16: the aside has 121 words; cut it to 120, or make it text"),
    Mistake(
      name: "a picture of one word", file: page, old: "A keeper with two\nthings in it", new: "Keeper",
      found: "\(page):32: the picture's text is \"Keeper\"; write a sentence that says what it shows"),
    Mistake(
      name: "a picture without words", file: page, old: "A keeper with two\nthings in it", new: "",
      found: "\(page):32: the picture's text is \"\"; write a sentence that says what it shows"),
    Mistake(
      name: "a drawing without a title", file: drawing, old: "A keeper", new: "",
      found: "\(drawing):1: the drawing has no <title> with words in it, which \(page):32 needs"),
    Mistake(
      name: "a drawing without a description", file: drawing, old: "<desc>Two things in a box.</desc>", new: "",
      found: "\(drawing):1: the drawing has no <desc> with words in it, which \(page):32 needs"),
  ]

  static let questions = [
    Mistake(
      name: "no questions", file: page, old: "## Five questions", new: "## Some questions",
      found: "\(page):99: the chapter has no section \"## Five questions\"; it stands before the exercises"),
    Mistake(
      name: "a question with two numbers", file: page, old: "**5. What", new: "**6. What",
      found: "\(page):87: this is question 5, and has the number 6"),
    Mistake(
      name: "four questions", file: page, old: "**5. What keeps 5?**", new: "What keeps five?",
      found: "\(page):37: \"Five questions\" has 4 that begin \"**1. …**\"; write five"),
    Mistake(
      name: "a question with one option", file: page, old: "- Not a keeper.\n", new: "",
      found: "\(page):39: question 1 has 1 options; list two to four before its answer"),
    Mistake(
      name: "a question without an answer", file: page, old: "<summary>Answer</summary>",
      new: "<summary>It is</summary>",
      found: "\(page):39: question 1 has no <details> with <summary>Answer</summary>"),
    Mistake(
      name: "an answer without a link", file: page, old: "see [how](#how-it-keeps)", new: "see how",
      found: "\(page):44: the answer to question 1 has no link to a section; name the one to reread"),
    Mistake(
      name: "an answer whose link leads to no section", file: page, old: "see [how](#how-it-keeps)",
      new: "see [how](../02-Finding/README.md#how)",
      found: "\(page):44: the answer to question 1 has no link to a section; name the one to reread"),
  ]

  static let chapters = [
    Mistake(
      name: "no promise", file: page, old: "By\nthe end of this chapter it is kept.", new: "It is kept.",
      found:
        "\(page):5: the second paragraph does not promise a result; say what you will have, with \"At the end\" or \"By the end\""
    ),
    Mistake(
      name: "an output that comes late", file: page, old: "You have a thing.\n",
      new: "You have a thing.\n\nBy the end you have none.\n\n\(String(repeating: "word ", count: 340))\n",
      found: "\(page):7: the first output comes after 368 words; show one (transcript=) before word 350, which is here"),
    Mistake(
      name: "no output", file: next, old: "```console transcript=01-Keeping/run\nkept: 2\n```\n", new: "",
      found: "\(next): the chapter shows no output; put a block with transcript= into its first 350 words"),
    Mistake(
      name: "nothing that comes next", file: page, old: "**Next:** [Finding]", new: "Then [Finding]",
      found: "\(page):104: the chapter does not end with \"**Next:** [Title](../NN-Name/README.md), …\""),
    Mistake(
      name: "something behind what comes next", file: page, old: "turns up.\n", new: "turns up.\n\nThat is all.\n",
      found: "\(page):106: the chapter does not end with \"**Next:** [Title](../NN-Name/README.md), …\""),
    Mistake(
      name: "a next chapter that is not the next one", file: page, old: "../02-Finding/README.md", new: "../README.md",
      found: "\(page):103: \"Next:\" does not lead to the chapter after this one, \(next)"),
    Mistake(
      name: "a last chapter that leads nowhere", file: next, old: "[the exercises](../Exercises/README.md)",
      new: "the exercises",
      found: "\(next):75: \"Next:\" has no link"),
  ]

  @Test("A mistake is found, at its line", arguments: cards + blocks + questions + chapters)
  func mistake(_ mistake: Mistake) throws {
    let book = try TeachingBook.make()
    try book.plant(mistake.new, for: mistake.old, in: mistake.file)
    let problems = try problems(book)
    #expect(problems.contains(mistake.found), "\(problems)")
  }

  @Test("Chapter 0 asks no questions at its end, and each other chapter does")
  func firstChapter() throws {
    let book = try TeachingBook.make()
    let first =
      TeachingBook.keeping.components(separatedBy: "## Five questions")[0]
      + "**Next:** [Keeping](../01-Keeping/README.md).\n"
    try book.write(
      "Chapters/00-Begin/README.md",
      first.replacing(#/> \*\*Now you.*/#, with: "").replacing("=run", with: "=01-Keeping/run"))
    #expect(try problems(book) == [])
  }

  @Test("Forms are asked for, and summed up page by page")
  func summary() throws {
    let book = try TeachingBook.make()
    try book.plant("Predict", for: "By\nthe end", in: Self.page)
    let whole = try Book(root: book.root)
    #expect(!BookCheck(book: whole).run(programs: nil).problems.contains { $0.file == Self.page })
    let forms = PageForm.all(of: whole, problems: ChapterFormCheck(book: whole).problems()).map(\.description)
    #expect(
      forms[1].hasPrefix("01-Keeping: 1 problems, ")
        && forms[1].hasSuffix(
          "output after 20, 2 cards for 2 exercises, 5 questions, Next, 1 predictions, 1 asides, 1 pictures"),
      "\(forms)")
  }

  @Test("The exercises' page stands between the chapters and the side pages")
  func places() throws {
    let book = try TeachingBook.make()
    try book.write("Chapters/A-More/README.md", "# More\n")
    #expect(
      try Book(root: book.root).pages.map(\.folder) == [
        "Chapters", "Chapters/01-Keeping", "Chapters/02-Finding", "Chapters/Exercises", "Chapters/A-More",
      ])
  }
}
