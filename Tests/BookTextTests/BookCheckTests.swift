import BookText
import Foundation
import Testing

@Suite("Checking the book")
struct BookCheckTests {
  static let page = "Chapters/01-Keeping/README.md"
  static let source = "Chapters/01-Keeping/Keeper.swift"
  static let transcript = "Chapters/01-Keeping/run.transcript"

  @Test("A sound book has no problems, and all its blocks are verified")
  func sound() throws {
    let result = try SmallBook().check()
    #expect(result.problems.isEmpty, "\(result.problems)")
    #expect(result.blockCount == 5)
    #expect(result.verifiedShare == 100)
    #expect(result.transcriptCount == 1)
  }

  @Test("Notes on lines of code and the parts that a section speaks of are no mistakes")
  func notes() throws {
    let book = try SmallBook()
    try book.plant(
      "}\n```\n\n<!-- notes -->\n1. `things.append`: keeps it,\n   whatever it is.\n2. `if twice`: and [again](#how-it-keeps).\n\n```swift",
      for: "}\n```\n\n```swift", in: Self.page)
    try book.plant("## How it keeps\n<!-- parts: objects, SQL -->\n", for: "## How it keeps\n", in: Self.page)
    let result = try book.check()
    #expect(result.problems.isEmpty, "\(result.problems)")
    let page = try #require(Book(root: book.root).pages.first { $0.path == Self.page })
    let notes = try #require(page.markdown.lineNotes.first)
    #expect(notes.places(in: page.blocks[1].body) == [3, 4])
    #expect(page.markdown.sectionParts.map(\.parts) == [[.objects, .sql]])
  }

  /// A small change to the sound book, and the beginning of the one line that the check has to print.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let file: String
    let old: String
    let new: String
    let found: String
    var testDescription: String { name }
  }

  /// Notes below the first block of the page.
  private static func noted(_ name: String, _ notes: String, found: String) -> Mistake {
    Mistake(
      name: name, file: page, old: "}\n```\n\n```swift", new: "}\n```\n\n<!-- notes -->\n\(notes)\n\n```swift",
      found: "\(page):\(found)")
  }

  static let mistakes = [
    Mistake(
      name: "a record that is not there", file: page, old: "## How it keeps\n",
      new: "<!-- figures gone.json -->\n\n## How it keeps\n",
      found: "\(page):9: there is no Chapters/01-Keeping/gone.json"),
    noted(
      "a note on code that is not there", "1. `gone`: nothing.",
      found: "21: \"gone\" is in no line of the block above"),
    noted(
      "a note on a line above the last one's", "1. `if twice`: once more.\n2. `things.append`: the first.",
      found: "22: \"things.append\" stands only in a line above that of the note before"),
    noted(
      "a note on the line that names the file", "1. `Keeper.swift`: the file.",
      found: "21: \"Keeper.swift\" is in no line"),
    noted(
      "notes in another order", "2. `if twice`: once more.",
      found: "21: this is note 1, and not 2"),
    noted(
      "a note that names no code", "1. Once more.",
      found: "21: a note begins with code of its line"),
    noted(
      "a long note", "1. `if twice`: \(String(repeating: "word ", count: 39))word.",
      found: "21: the note has 41 words; a margin has room for 30"),
    Mistake(
      name: "notes below no block", file: page, old: "A keeper keeps.",
      new: "<!-- notes -->\n1. `things`: all.\n\nA keeper keeps.",
      found: "\(page):3: these notes stand below no block of code"),
    Mistake(
      name: "a part that is none", file: page, old: "## How it keeps\n",
      new: "## How it keeps\n<!-- parts: contexts -->\n",
      found: "\(page):10: \"contexts\" is no part of a stack; these are: objects, context"),
    Mistake(
      name: "parts of no section", file: page, old: "A keeper keeps.",
      new: "<!-- parts: store -->\n\nA keeper keeps.",
      found: "\(page):3: parts stand right below the heading of a section"),
    Mistake(
      name: "a part twice", file: page, old: "## How it keeps\n",
      new: "## How it keeps\n<!-- parts: store, store -->\n", found: "\(page):10: a part is named twice"),
    Mistake(
      name: "a changed word of code", file: page, old: "/// Takes one more.", new: "/// Takes some more.",
      found: "\(page):13: the source has \"/// Takes one more.\" here"),
    Mistake(
      name: "a missing line of code", file: page, old: "  if twice { things.append(thing) }\n}", new: "}",
      found: "\(page):16: the source has \"  if twice { things.append(thing) }\" here"),
    Mistake(
      name: "one line of code too many", file: page, old: "}\n```\n\n```swift", new: "}\n// more\n```\n\n```swift",
      found: "\(page):18: the source has no such line here"),
    Mistake(
      name: "a wrong context line", file: page, old: "things.append(thing)\nif", new: "things.append(other)\nif",
      found: "\(page):22: the source has \"things.append(thing)\" here"),
    Mistake(
      name: "a wrong enclosing declaration", file: page, old: "in func Keeper.keep(_:twice:)", new: "in class Keeper",
      found: "\(page):21: the source has \"// Keeper.swift, in func Keeper.keep(_:twice:)\" here"),
    Mistake(
      name: "a region that is not there", file: page, old: "region=keep", new: "region=kept",
      found: "\(page):11: there is no region \"kept\" in \(source)"),
    Mistake(
      name: "a file that is not there", file: page, old: "Keeper.swift region=keep", new: "Kept.swift region=keep",
      found: "\(page):11: there is no such file"),
    Mistake(
      name: "a region that no text shows", file: source, old: "  private var",
      new: "  //> state\n  private var things2 = 0\n  //< state\n  private var",
      found: "\(source):5: the region \"state\" is shown nowhere in the book"),
    Mistake(
      name: "a region that is not closed", file: source, old: "    //< twice\n", new: "",
      found: "\(source):14: `//< keep` closes no region, the innermost open region is \"twice\""),
    Mistake(
      name: "two regions of one name", file: source, old: "//> twice", new: "//> keep",
      found: "\(source):11: there is a second region \"keep\""),
    Mistake(
      name: "a changed word of the shown output", file: page, old: "kept: 2", new: "kept: 3",
      found: "\(page):27: this is not in \(transcript)"),
    Mistake(
      name: "shown output in another order", file: page, old: "kept: 2\n…\nthe file is /tmp/strata/Keep/kept",
      new: "the file is /tmp/strata/Keep/kept\n…\nkept: 2", found: "\(page):26: this is not in \(transcript)"),
    Mistake(
      name: "a statement that did not run", file: page, old: "INSERT INTO ZTHING", new: "INSERT INTO ZTHINGS",
      found: "\(page):32: this is not in \(transcript)"),
    Mistake(
      name: "a part of a statement", file: page, old: "\n  VALUES(?, ?)", new: "",
      found: "\(page):32: this is not in \(transcript)"),
    Mistake(
      name: "a command of no transcript", file: page, old: "--fresh\n```", new: "--stale\n```",
      found: "\(page):6: \"$ swift run Keep --store /tmp/strata/Keep --stale\" is neither a transcript's command"),
    Mistake(
      name: "a dead link", file: page, old: "../README.md", new: "../READ.md",
      found: "\(page):3: the link \"../READ.md\" leads nowhere"),
    Mistake(
      name: "a link to no heading", file: page, old: "#how-it-keeps", new: "#how-it-looses",
      found: "\(page):3: the link \"#how-it-looses\" leads to no heading"),
    Mistake(
      name: "a block of unknown origin", file: page, old: "```console transcript=run", new: "```console",
      found: "\(page):26: the block does not say where it is from"),
    Mistake(
      name: "a block that is unchecked for no reason", file: page, old: "transcript=run", new: "unchecked",
      found: "\(page):26: an unchecked block says why"),
    Mistake(
      name: "indented code", file: page, old: "## How", new: "    let it = 1\n\n## How",
      found: "\(page):9: indented code"),
    Mistake(
      name: "a fence that is never closed", file: page, old: "VALUES(?, ?)\n```", new: "VALUES(?, ?)",
      found: "\(page):32: this fence is never closed"),
  ]

  @Test("A mistake is found, at its line", arguments: mistakes)
  func mistake(_ mistake: Mistake) throws {
    let book = try SmallBook()
    try book.plant(mistake.new, for: mistake.old, in: mistake.file)
    let problems = try book.problems()
    #expect(problems.contains { $0.hasPrefix(mistake.found) }, "\(problems)")
  }

  @Test("A source that is empty is named where a block quotes it")
  func emptySource() throws {
    let book = try SmallBook()
    try book.write("Chapters/01-Keeping/Empty.swift", "")
    try book.plant("Empty.swift", for: "Keeper.swift region=keep", in: Self.page)
    #expect(try book.problems().contains { $0.hasPrefix("\(Self.page):11: Chapters/01-Keeping/Empty.swift is empty") })
  }

  @Test("A program that prints something else than its transcript is found, with the line and what it prints")
  func changedProgram() throws {
    let book = try SmallBook()
    try book.plant("echo \"kept: 3\"", for: "echo \"kept: 2\"", in: "programs/Keep")
    #expect(
      try book.problems() == [
        "\(Self.transcript):2: the program prints \"kept: 3\" here; `book check --bless` writes what it prints"
      ])
  }

  @Test("A word changed in the transcript is found by running its program")
  func changedTranscript() throws {
    let book = try SmallBook()
    try book.plant("is the", for: "the file is", in: Self.transcript)
    #expect(try book.problems().contains { $0.hasPrefix("\(Self.transcript):5: the program prints \"the file is") })
  }

  @Test("A program that is not built, or dies, is a problem of its transcript")
  func noProgram() throws {
    let book = try SmallBook()
    try book.write("programs/Keep", "#!/bin/sh\nkill -9 $$\n")
    #expect(try book.problems().first?.contains("Keep was ended by signal 9") == true)
    try FileManager.default.removeItem(at: book.root.appendingPathComponent("programs/Keep"))
    #expect(try book.problems().first?.contains("the program Keep is not in") == true)
  }

  @Test("A session has several commands, of which one may be killed if the transcript says so")
  func session() throws {
    let book = try SmallBook()
    let program = try book.read("programs/Keep")
    try book.write(
      "programs/Keep",
      program + "if [ -e \"$2/mark\" ]; then echo again; exit; fi\nmkdir -p \"$2\"; touch \"$2/mark\"; kill -9 $$\n")
    let printed = try book.read(Self.transcript).split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
    let again = "$ swift run Keep --store /tmp/strata/Keep\n\(printed)again\n"
    try book.write(Self.transcript, try book.read(Self.transcript) + "Killed\n" + again)
    #expect(try book.problems().isEmpty)
    try book.plant("--store /tmp/strata/Keep\n```", for: "--store /tmp/strata/Keep --fresh\n```", in: Self.page)
    #expect(try book.problems().isEmpty)
    try book.plant("Kill", for: "Killed", in: Self.transcript)
    #expect(try book.problems().first?.contains("Keep was ended by signal 9") == true)
  }

  @Test("A program that leaves with the code for a service that is not there is skipped, and its words are kept")
  func skipped() throws {
    let book = try SmallBook()
    try book.write("programs/Keep", "#!/bin/sh\necho install it\nexit 69\n")
    let result = try book.check()
    #expect(result.problems.isEmpty)
    #expect(result.skipped.map(\.reason) == ["install it"])
    try book.write("programs/Keep", "#!/bin/sh\necho install it\nexit 68\n")
    #expect(try book.problems().first?.contains("prints \"install it\" here") == true)
  }

  @Test("Blessing writes what the programs print now, after which the book is sound again")
  func bless() throws {
    let book = try SmallBook()
    try book.plant("echo more\necho \"the file", for: "echo \"the file", in: "programs/Keep")
    let runner = TranscriptRunner(programs: book.root.appendingPathComponent("programs"), root: book.root)
    let outcome = try BookCheck(book: Book(root: book.root)).bless(programs: runner)
    #expect(outcome.changed == [Self.transcript])
    #expect(outcome.problems.isEmpty)
    #expect(try book.read(Self.transcript).contains("…s\nmore\nthe file"))
    #expect(try book.problems().isEmpty)
  }

  @Test("An unchecked block with a reason is counted, and no problem")
  func unchecked() throws {
    let book = try SmallBook()
    try book.plant("unchecked=\"times differ\"", for: "transcript=run", in: Self.page)
    let result = try book.check()
    #expect(result.problems.isEmpty)
    #expect(result.verifiedShare == 80)
    #expect(result.unchecked.map(\.reason) == ["times differ"])
  }

  @Test("Code that is too wide for a page is found where it is shown")
  func wide() throws {
    let book = try SmallBook()
    let wide = "let text = \"" + String(repeating: "x", count: 90) + "\""
    try book.plant(wide, for: "if twice { things.append(thing) }", in: Self.source)
    _ = try Weaver(book: Book(root: book.root)).weave()
    let problems = try book.problems()
    #expect(
      problems.contains { $0.hasPrefix("\(Self.page):16: the line has 105 columns; a page shows 96") }, "\(problems)")
  }

  @Test("A source that can't be read is named, and not passed over")
  func unreadableSource() throws {
    let book = try SmallBook()
    let url = book.root.appendingPathComponent("Chapters/01-Keeping/Broken.swift")
    try Data([0x2F, 0x2F, 0xFF, 0xFE]).write(to: url)
    #expect(try book.problems() == ["Chapters/01-Keeping/Broken.swift: the source can't be read as text in UTF-8"])
  }

  @Test("A hidden region need not be shown")
  func hidden() throws {
    let book = try SmallBook()
    try book.plant("  //> state hidden\n  private var", for: "  private var", in: Self.source)
    try book.plant("= []\n  //< state", for: "= []", in: Self.source)
    #expect(try book.problems().isEmpty)
  }
}
