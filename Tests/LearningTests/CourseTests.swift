import BookText
import Foundation
import Learning
import Testing

@Suite("A course")
struct CourseTests {
  @Test("A guide in its form is read whole")
  func guide() {
    let guide = Guide(
      """
      # Add the store

      Goal: a coordinator has a store,
      and it is a file.
      Chapter: 01-Stack#four-properties
      Model: Bookshop
      Minutes: 7

      ## Hint 1

      Which part?

      ## Hint 2

      That part.

      ## Hint 3

      ```swift
      let a = 1
      ```
      """)
    #expect(guide.problems == [])
    #expect(guide.title == "Add the store")
    #expect(guide.goal == "a coordinator has a store, and it is a file.")
    #expect(guide.chapter == Guide.ChapterLink(folder: "01-Stack", anchor: "four-properties"))
    #expect(guide.minutes == 7)
    #expect(guide.hints == ["Which part?", "That part.", "```swift\nlet a = 1\n```"])
  }

  @Test("Whatever a guide lacks is named")
  func faultyGuides() {
    #expect(
      Guide("").problems == [
        "the guide has no title, \"# …\"", "the guide has no \"Goal: …\"",
        "the guide has no \"Chapter: FOLDER#anchor\"",
        "the guide has no \"Model: …\": the shared one's name, or its own, in the file",
        "the guide has no \"Minutes: …\" from 2 to 20",
        "the guide has 0 hints; three are the least",
      ])
    let head = "# T\n\nGoal: g.\nChapter: a#b\nModel: its own, in the file\nMinutes: 5\n"
    #expect(
      Guide(head + "\n## Hint 1\n\na\n\n## Hint 3\n\n\n## Hint 3\n\nc").problems == [
        "the guide has \"## Hint 3\" where \"## Hint 2\" belongs", "the guide's hint 2 is empty",
      ])
    #expect(
      Guide(head + "\nSomething else.\n").problems.first
        == "the guide has a line that belongs to nothing: Something else.")
  }

  @Test("Exercises are in the order of their numbers, not of their letters")
  func order() {
    #expect(
      ExerciseName.inOrder(["100-A", "10-A", "9-B", "02-C", "09-A"]) == ["02-C", "09-A", "9-B", "10-A", "100-A"])
  }

  @Test("An exercise is found by number, name, or a beginning that only one has")
  func finding() throws {
    let small = try SmallCourse(["01-AddTheStore", "02-AddRows", "03-UndoOnce"])
    let course = try small.course()
    #expect(try course.exercise(named: "2").name == "02-AddRows")
    #expect(try course.exercise(named: "02").name == "02-AddRows")
    #expect(try course.exercise(named: "02-addrows").name == "02-AddRows")
    #expect(try course.exercise(named: "undo").name == "03-UndoOnce")
    #expect(throws: LearningProblem("\"add\" could be 01-AddTheStore, 02-AddRows.")) {
      try course.exercise(named: "add")
    }
    #expect(throws: LearningProblem.self) { try course.exercise(named: "99") }
  }

  @Test("A mistyped name brings the names that it could be")
  func mistyped() throws {
    let course = try SmallCourse().course()
    #expect(
      throws: LearningProblem(
        "There is no exercise \"AdTheStor\". Did you mean 01-AddTheStore? To list all: swift run learn list")
    ) { try course.exercise(named: "AdTheStor") }
    #expect(throws: LearningProblem("There is no exercise \"zebra\". To list all: swift run learn list")) {
      try course.exercise(named: "zebra")
    }
    let commands = ["continue", "hint", "list", "model", "skip", "show", "run", "reset", "solution", "watch"]
    #expect(Suggestion.nearest(to: "hnt", among: commands) == ["hint"])
    #expect(Suggestion.nearest(to: "ksip", among: commands) == ["skip"])
    #expect(Suggestion.nearest(to: "sol", among: commands) == ["solution"])
    #expect(Suggestion.nearest(to: "frobnicate", among: commands) == [])
    #expect(Suggestion.question("rn", among: commands) == " Did you mean run?")
  }

  @Test("The shared model is read from its source, and the exercises that use it name it")
  func sharedModel() throws {
    let small = try SmallCourse()
    try small.write(
      "Chapters/Exercises/Support/Bookshop.xcdatamodeld/Bookshop.xcdatamodel/contents",
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
        <entity name="Book" representedClassName="Book" codeGenerationType="class">
          <attribute name="stock" optional="YES" attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES"/>
          <attribute name="title" attributeType="String"/>
          <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
        </entity>
        <entity name="Author" representedClassName="Author" codeGenerationType="class">
          <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        </entity>
      </model>
      """)
    let tests = small.path("01-AddTheStore", "Tests/AddTheStoreTests.swift")
    try small.change(tests, "func answer()", "let model = Bench.model\n  func answer()")
    #expect(
      try FormCheck(course: small.course()).problems().map(\.description) == [
        "01-AddTheStore: its tests ask for another model; the guide needs \"Model: Bookshop\""
      ])
    try small.change(small.path("01-AddTheStore", "Guide.md"), "Model: its own, in the file", "Model: Bookshop")
    let screens = ExerciseScreens(course: try small.course(), progress: Progress())
    #expect(
      screens.head(try small.exercise(0)).text.contains(
        "Model     Bookshop: Author, Book (all of it: swift run learn model)\n"))
    #expect(screens.head(try small.exercise(1)).text.contains("Model     its own, in the file\n"))
    #expect(
      screens.model(try ExerciseModel(course: try small.course())).text.contains(
        """

        Author
          books   to-many Book   inverse author, delete rule Cascade

        Book
          stock   Integer 64     default 0
          title   String         required
          author  to-one Author  inverse books, delete rule Nullify

        """))
  }

  @Test("A section is known by its anchor, and shown by its heading")
  func sections() throws {
    let small = try SmallCourse()
    let course = try small.course()
    #expect(course.heading(.init(folder: "01-Stack", anchor: "four-properties")) == "Four properties")
    #expect(course.heading(.init(folder: "01-Stack", anchor: "five-properties")) == nil)
    #expect(course.heading(.init(folder: "09-None", anchor: "four-properties")) == nil)
    #expect(course.chapterTitle("02-Undo") == "2. Undo")
  }

  @Test("A checkout without exercises says where it looked")
  func none() {
    #expect(throws: LearningProblem("There are no exercises in /nowhere/Chapters/Exercises/Exercises.")) {
      try Course(root: URL(fileURLWithPath: "/nowhere"))
    }
  }

  @Test("A test's sentence is read from the source, with its quotes")
  func sentences() throws {
    let small = try SmallCourse()
    try small.change(
      small.path("01-AddTheStore", "Tests/AddTheStoreTests.swift"), "The answer is 42", #"It says \"42\""#)
    #expect(try small.exercise(0).sentences == [#"It says "42""#])
  }
}
