import Foundation
import Testing

@testable import Learning

@Suite("Exercises and the order of the book")
struct ReadingOrderTests {
  let small: SmallCourse

  init() throws { small = try SmallCourse() }

  func form() throws -> [String] {
    try small.updateGoals()
    return try FormCheck(course: small.course()).problems().map(\.description)
  }

  func move(_ exercise: String, to link: String) throws {
    let guide = small.path(exercise, "Guide.md")
    try small.write(guide, try small.read(guide).replacing(#/Chapter: .*/#, with: "Chapter: \(link)"))
  }

  /// In the solution's place of the answer.
  func solve(_ exercise: String, by code: String) throws {
    let subject = exercise.dropFirst(3)
    try small.change(small.path(exercise, "Solution/\(subject).swift"), "return 42", code)
  }

  // MARK: Steps back

  @Test("An exercise whose section stands before that of the one before it is a step back")
  func chapters() throws {
    try move("01-AddTheStore", to: "02-Undo#one-step-back")
    #expect(
      try form() == [
        "02-CountRows: its section 01-Stack#four-properties comes before that of 01-AddTheStore, 02-Undo#one-step-back; "
          + "to give them the right numbers: swift run learn number"
      ])
  }

  @Test("Sections of one chapter are in order too, and one section may have several exercises")
  func sections() throws {
    try small.change("Chapters/01-Stack/README.md", "## Four properties", "## First\n\n## Four properties")
    #expect(try form() == [])
    try move("02-CountRows", to: "01-Stack#first")
    #expect(
      try form().map { $0.prefix(70) } == ["02-CountRows: its section 01-Stack#first comes before that of 01-AddTh"])
  }

  @Test("Pages beside the chapters come after them")
  func besides() throws {
    try small.write("Chapters/A-Page/README.md", "# A page\n\n## Part\n\n\(ChapterLists.begin)\n\(ChapterLists.end)\n")
    try move("03-UndoOnce", to: "A-Page#part")
    #expect(try form() == [])
    try move("02-CountRows", to: "A-Page#part")
    try move("03-UndoOnce", to: "02-Undo#one-step-back")
    #expect(try form().count == 1)
  }

  @Test("Numbers follow the order of the sections, and those of one section keep theirs")
  func numbering() throws {
    try move("01-AddTheStore", to: "02-Undo#one-step-back")
    let changes = try Numbering(course: try small.course()).apply()
    #expect(changes.map(\.from) == ["02-CountRows", "01-AddTheStore"])
    #expect(changes.map(\.to) == ["01-CountRows", "02-AddTheStore"])
    #expect(try form() == [], "the suites have the new numbers, too")
    #expect(try Numbering(course: try small.course()).apply().isEmpty)
  }

  // MARK: Names that are needed

  @Test("A name of the solution that no section up to its own has is unknown to the learner")
  func unknown() throws {
    try solve("02-CountRows", by: "return fetcher.countForRequest(NSThing(propertiesToCount: 42))")
    #expect(
      try form() == [
        "02-CountRows: no section up to its own, 01-Stack#four-properties, has `NSThing`, `countForRequest`, `fetcher`, "
          + "`propertiesToCount`; name a later section, or say it there"
      ])
  }

  @Test("A name is known from its own section's text or code, and from those before, but not from a later one")
  func known() throws {
    try solve("01-AddTheStore", by: "return propertiesToCount")
    let page = "Chapters/01-Stack/README.md"
    let text = try small.read(page)
    try small.write(page, text + "\n## Later\n\nThere is `propertiesToCount`.\n")
    #expect(try form().count == 1)
    try small.write(page, text + "\n### A part of it\n\nThere is `propertiesToCount`.\n")
    #expect(try form() == [])
    try small.write(page, "# 1. The stack\n\n```swift\nrequest.propertiesToCount = 1\n```\n" + text.dropFirst(15))
    #expect(try form() == [])
  }

  @Test("An exercise of a later chapter knows all earlier ones")
  func earlierChapters() throws {
    try solve("03-UndoOnce", by: "return propertiesToCount")
    #expect(try form().count == 1)
    try small.change("Chapters/01-Stack/README.md", "## Four properties", "## Four properties\n\n`propertiesToCount`")
    #expect(try form() == [])
  }

  @Test(
    "Names that the solution declares, that the stub says, and everyday Swift are no news",
    arguments: [
      "let (first, second) = (1, 2); return first + second",
      "for item in 0..<42 { print(item) }; return 42",
      "return [1].map { entry in entry }.reduce(0, +)",
      "func helper(of part: Int, _ rest: Int) -> Int { part + rest }; return helper(of: 1, 41)",
      "guard let addTheStore = Optional(42) else { throw Unfinished(\"\") }; return addTheStore",
      "// NSThing is not code.\n  return 42",
      "return \"NSThing\".count",
    ])
  func everyday(_ code: String) throws {
    try solve("01-AddTheStore", by: code)
    #expect(try form().filter { $0.contains("no section up to") } == [])
  }

  @Test("A predicate's operators are names as well, though they stand in a text")
  func operators() throws {
    try solve("01-AddTheStore", by: "return \"SUBQUERY(orders, $o, TRUEPREDICATE)\".count")
    #expect(try form().count == 1)
    #expect(try form()[0].contains("`SUBQUERY`, `TRUEPREDICATE`"))
    try small.change(
      "Chapters/01-Stack/README.md", "## Four properties", "## Four properties\n\nSUBQUERY, TRUEPREDICATE")
    #expect(try form() == [])
  }

  @Test("What the exercises' support and the shared model have is given, with the accessors that are made from it")
  func support() throws {
    try small.write("Chapters/Exercises/Support/Bench.swift", "public final class Bench { public var storeURL = 1 }\n")
    try small.write(
      "Chapters/Exercises/Support/Shop.xcdatamodeld/Shop.xcdatamodel/contents",
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
        <entity name="Book" representedClassName="Book" codeGenerationType="class">
          <relationship name="shelves" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="shelves" inverseEntity="Book"/>
        </entity>
      </model>
      """)
    try solve("01-AddTheStore", by: "return Book(Bench().storeURL).addToShelves(shelves)")
    #expect(try form() == [])
  }

  // MARK: Lists at the chapters' ends

  @Test("Each chapter's list has its exercises, and is written between its marks")
  func lists() throws {
    #expect(
      try small.read("Chapters/01-Stack/README.md") == """
        # 1. The stack

        ## Four properties

        <!-- exercises: written by `swift run learn goals` -->

        Exercises of `swift run learn`, which check themselves:

        - [Add the store](../Exercises/README.md#goals), 5 minutes: `swift run learn run AddTheStore`
        - [Count rows](../Exercises/README.md#goals), 5 minutes: `swift run learn run CountRows`

        <!-- end of exercises -->

        """)
  }

  @Test("A list that is not as the guides have it is a problem, and so is none where there are exercises")
  func outdated() throws {
    try small.change(small.path("01-AddTheStore", "Guide.md"), "Minutes: 5", "Minutes: 6")
    let lists = ChapterLists(course: try small.course())
    #expect(
      lists.problems() == [
        "Chapters/01-Stack/README.md has another list of exercises; write it by: swift run learn goals"
      ])
    try lists.write()
    #expect(lists.problems() == [])
    try small.write("Chapters/02-Undo/README.md", "# 2. Undo\n\n## One step back\n")
    #expect(lists.problems().map { $0.prefix(51) } == ["Chapters/02-Undo/README.md has exercises and no pla"])
  }
}
