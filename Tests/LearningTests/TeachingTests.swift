import BookText
import Foundation
import Testing

@testable import Learning

@Suite("For teachers and authors")
struct TeachingTests {
  let small: SmallCourse

  init() throws { small = try SmallCourse() }

  /// Anna's as a checkout, Ben's as a folder, and Cleo's as a file, all in one folder.
  func writeClass() throws {
    try small.write(
      "class/anna/Chapters/Exercises/Exercises/Mine/progress.txt",
      "01-AddTheStore passed=2023-11-14T22:13:20Z attempts=2 hints=1\n02-CountRows skipped attempts=1 hints=3\n")
    try small.write("class/ben/progress.txt", "01-AddTheStore attempts=4 hints=0\n")
    try small.write("class/Cleo, the third.txt", "01-AddTheStore passed=2023-11-14T22:13:20Z attempts=1 hints=0\n")
    try small.write("class/notes/other.md", "not a state")
  }

  func path(_ name: String) -> String { small.root.appendingPathComponent(name).path }

  @Test("A report has a line for each learner and a sum for each exercise")
  func report() throws {
    try writeClass()
    let learners = try ProgressReport.learners(at: [path("class")])
    #expect(
      ProgressReport(exercises: try small.course().exercises, learners: learners).screen().text == """
        x passed   - skipped   o tried   . not begun

        Exercises 01 to 03
        Cleo, the third  x..  1 of 3
        anna             x-.  1 of 3
        ben              o..  0 of 3

        Passed by how many of 3:
          2  01 Add the store
          0  02 Count rows (skipped by 1)
          0  03 Undo once

        """)
  }

  @Test("Files and folders may be named one by one, and learners are called after them")
  func naming() throws {
    try writeClass()
    let names = try ProgressReport.learners(at: [
      path("class/ben"), path("class/ben/progress.txt"),
      path("class/anna/Chapters/Exercises/Exercises/Mine/progress.txt"),
    ]).map(\.name)
    #expect(names == ["ben", "ben", "anna"])
    #expect(throws: LearningProblem.self) { try ProgressReport.learners(at: [path("nowhere")]) }
    #expect(throws: LearningProblem.self) { try ProgressReport.learners(at: [path("class/notes")]) }
    try small.write("bad.txt", "nonsense\n")
    #expect(throws: LearningProblem.self) { try ProgressReport.learners(at: [path("bad.txt")]) }
  }

  @Test("The comma-separated report has a line for each learner and exercise, with names quoted where needed")
  func csv() throws {
    try writeClass()
    let report = ProgressReport(
      exercises: try small.course().exercises, learners: try ProgressReport.learners(at: [path("class")]))
    let lines = report.csv.split(separator: "\n")
    #expect(lines.count == 10)
    #expect(lines[0] == "learner,exercise,state,passed,attempts,hints")
    #expect(lines[1] == "\"Cleo, the third\",01-AddTheStore,passed,2023-11-14T22:13:20Z,1,0")
    #expect(lines[5] == "anna,02-CountRows,skipped,,1,3")
    #expect(lines[7] == "ben,01-AddTheStore,tried,,4,0")
  }

  @Test("A big course's report stays within 80 columns")
  func width() throws {
    let exercises = try (1...90).map { number in
      let exercise = try small.exercise(0)
      return Exercise(
        name: String(format: "%02d-Exercise", number), folder: exercise.folder,
        guide: Guide("# \(String(repeating: "word ", count: 30))"))
    }
    let learner = ProgressReport.Learner(name: String(repeating: "long ", count: 12), progress: Progress())
    for line in ProgressReport(exercises: exercises, learners: [learner]).screen().lines { #expect(line.count <= 80) }
  }

  @Test("The table of goals is written between its marks, and the rest of the page stays")
  func goals() throws {
    let readme = "Chapters/Exercises/README.md"
    try small.write(readme, "# Before\n\n\(GoalsTable.begin)\nold\n\(GoalsTable.end)\n\nAfter.\n")
    let table = GoalsTable(course: try small.course())
    #expect(table.problems().count == 3)
    let text = try #require(table.written(into: try small.read(readme)))
    #expect(
      text == """
        # Before

        <!-- goals: written by `swift run learn goals` -->

        | | exercise | goal | section | minutes |
        |---|---|---|---|---|
        | 01 | Add the store | the answer is known. | [1: Four properties](../01-Stack/README.md#four-properties) | 5 |
        | 02 | Count rows | the answer is known. | [1: Four properties](../01-Stack/README.md#four-properties) | 5 |
        | 03 | Undo once | the answer is known. | [2: One step back](../02-Undo/README.md#one-step-back) | 5 |

        <!-- end of goals -->

        After.

        """)
    try small.write(readme, text)
    #expect(table.problems() == [])
    #expect(table.written(into: text) == text)
    #expect(table.written(into: "# No marks") == nil)
  }

  @Test("A new exercise has the next number and is in its form")
  func new() throws {
    let files = try NewExercise(course: try small.course()).make("CountTheSQLRows", chapter: "02-Undo#one-step-back")
    #expect(
      files.map { $0.path.components(separatedBy: "Exercises/Exercises/")[1] } == [
        "04-CountTheSQLRows/Guide.md", "04-CountTheSQLRows/Stub/CountTheSQLRows.swift",
        "04-CountTheSQLRows/Solution/CountTheSQLRows.swift", "04-CountTheSQLRows/Tests/CountTheSQLRowsTests.swift",
      ])
    try small.updateGoals()
    #expect(try FormCheck(course: small.course()).problems() == [])
    #expect(try small.exercise(3).guide.title == "Count the SQL rows")
  }

  @Test("A new exercise needs a name that is free and a section that is there")
  func newRefused() throws {
    let new = NewExercise(course: try small.course())
    #expect(throws: LearningProblem.self) { try new.make("UndoOnce", chapter: "02-Undo#one-step-back") }
    #expect(throws: LearningProblem.self) { try new.make("undo twice", chapter: "02-Undo#one-step-back") }
    #expect(throws: LearningProblem.self) { try new.make("UndoTwice", chapter: "02-Undo#two-steps-back") }
    #expect(throws: LearningProblem.self) { try new.make("UndoTwice", chapter: "02-Undo") }
  }
}

@Suite("Differences of texts")
struct TextDifferenceTests {
  @Test("Changes far apart are hunks of their own, with three lines around each")
  func hunks() {
    let old = (1...20).map { "line \($0)\n" }.joined()
    let new = old.replacingOccurrences(of: "line 2\n", with: "").replacingOccurrences(
      of: "line 19\n", with: "line 19\nmore\n")
    #expect(
      TextDifference.unified(from: old, named: "a", to: new, named: "b") == [
        "--- a", "+++ b", "@@ -1,5 +1,4 @@", " line 1", "-line 2", " line 3", " line 4", " line 5", "@@ -17,4 +16,5 @@",
        " line 17", " line 18", " line 19", "+more", " line 20",
      ])
  }

  @Test("The same text has no difference; an empty one is all added")
  func edges() {
    #expect(TextDifference.unified(from: "a\n", named: "a", to: "a\n", named: "b") == [])
    #expect(
      TextDifference.unified(from: "", named: "a", to: "x\n", named: "b") == [
        "--- a", "+++ b", "@@ -1,0 +1,1 @@", "+x",
      ])
  }
}
