import Foundation
import Testing

@testable import Learning

@Suite("Screens")
struct ScreenTests {
  let small: SmallCourse

  init() throws { small = try SmallCourse() }

  func text(_ outcome: Outcome, index: Int = 0) throws -> String {
    _ = try LearnerFiles(course: small.course()).prepare(small.exercise(index), hasBegun: false)
    return ExerciseScreens(course: try small.course(), progress: Progress()).result(outcome, try small.exercise(index))
      .text
  }

  @Test("A wrong value is shown beside the right one, with the test's place")
  func wrongValue() throws {
    #expect(
      try text(Stream.failed).hasPrefix(
        """
        1 of 2 tests pass. The first that does not:

          Sentence 2
            Expected  42
            Got       41
            Checked   count == 42
            At        /x/Tests.swift:22

        Read      Chapters/01-Stack/README.md
                  section "Four properties"

        """))
  }

  @Test("A trap is named with its signal, its test, its line and its last words")
  func trap() throws {
    let output =
      "◇ Test run started.\nExercises/AddTheStore.swift:11: Fatal error: Unexpectedly found nil\nCurrent stack trace:\n0 a\n"
    #expect(
      try text(.crashed(signal: 4, Stream.run([nil, nil], upTo: 1), output: output)).hasPrefix(
        """
        The program crashed, and took the remaining tests with it.
            Signal    SIGILL: a trap of Swift, as for nil behind ! or an index out of
                      range
            In test   Sentence 2
            At        Chapters/Exercises/Exercises/Mine/01-AddTheStore/AddTheStore.swift:11
            Its last words:
              Exercises/AddTheStore.swift:11: Fatal error: Unexpectedly found nil

        """))
  }

  @Test("The time limit names the test that did not end")
  func timeLimit() throws {
    let text = try text(.timedOut(seconds: 20, Stream.run([nil], upTo: 0), output: ""))
    #expect(text.hasPrefix("It had not ended after 20 seconds, and was stopped.\n    In test   Sentence 1\n"))
  }

  @Test("An end by exit is no success")
  func exit() throws {
    let text = try text(.left(code: 0, Stream.run([nil], upTo: 0), output: ""))
    #expect(
      text.hasPrefix("The program exited with code 0, in the middle of a test.\n    In test   Sentence 1\n"))
  }

  @Test("No test run is an error")
  func nothingRun() throws {
    #expect(try text(.nothingRun(output: "")).hasPrefix("No test was run, so you can't know whether it is right."))
  }

  @Test("Of the compiler's errors the first in the learner's file is shown; one in the tests is explained")
  func compileErrors() throws {
    let tests = small.root.appendingPathComponent(small.path("01-AddTheStore", "Tests/AddTheStoreTests.swift")).path
    let mine = small.root.appendingPathComponent(small.path("Mine/01-AddTheStore", "AddTheStore.swift")).path
    let inTests = CompilerMessage(file: tests, line: 2, column: 1, message: "cannot find 'addTheStore' in scope")
    let inMine = CompilerMessage(file: mine, line: 2, column: 1, message: "expected '}'")
    let both = try text(.notBuilt([inTests, inMine], output: ""))
    #expect(
      both.hasPrefix("It does not compile. The compiler has 2 errors; the first is often the reason\nfor the others.\n")
    )
    #expect(both.contains("Error     expected '}'"))
    #expect(try text(.notBuilt([inTests], output: "")).contains("That is in the tests. They use a name or a type"))
  }

  @Test("A build that fails without the compiler shows what was said")
  func linker() throws {
    let text = try text(.notBuilt([], output: "Building\nerror: link command failed\nmore\n"))
    #expect(text.hasPrefix("The exercise can't be built.\n    error: link command failed\n"))
  }

  @Test("An issue outside of all tests is shown too")
  func strayIssue() throws {
    let stray = Stream.issue("late", 0).replacingOccurrences(of: #","testID":"T.S/t0()""#, with: "")
    let run = TestRun(eventStream: Stream.lines([nil]) + stray)
    #expect(
      try text(.failed(run)).hasPrefix(
        "The run failed, although no test did:\n    late\n    At        /x/Tests.swift:12\n"))
  }

  @Test("A word that is wider than the page stays whole; lines break between words")
  func longWord() {
    let word = String(repeating: "x", count: 100)
    #expect(Screen.wrapped("See \(word) there", indent: 2, hanging: 0) == ["  See", "  " + word, "  there"])
    var screen = Screen()
    screen.verbatim(["error: the initializer of \(word) is unavailable, and so on"], indent: 4)
    #expect(screen.lines == ["    error: the initializer of", "      " + word, "      is unavailable, and so on"])
    #expect(Screen.cut("let answer = 42", to: 8) == "let ans…")
  }

  @Test("A source line that does not fit ends in an ellipsis")
  func longLine() throws {
    let mine = small.path("Mine/01-AddTheStore", "AddTheStore.swift")
    try small.write(mine, "let sum = \(String(repeating: "1 + ", count: 40))1\n")
    let file = small.root.appendingPathComponent(mine).path
    let text = try text(.notBuilt([CompilerMessage(file: file, line: 1, column: 1, message: "no")], output: ""))
    let line = try #require(text.components(separatedBy: "\n").first { $0.contains("let sum") })
    #expect(line.count == 80 && line.hasSuffix("…"))
  }

  @Test("Nothing but a path is wider than 80 columns")
  func width() throws {
    let long = String(repeating: "many words in a row ", count: 40)
    let run = Stream.run(["Expectation failed: (\(long) → \(long)) == (\(long) → \(long))"])
    let outcomes: [Outcome] = [
      Stream.passed, .failed(run), .crashed(signal: 11, run, output: long), .left(code: 3, run, output: long),
      .timedOut(seconds: 20, run, output: long), .nothingRun(output: long), .notBuilt([], output: long),
      .notBuilt([CompilerMessage(file: "/a.swift", line: 1, column: 1, message: long)], output: ""),
    ]
    let guide = small.path("01-AddTheStore", "Guide.md")
    try small.change(guide, "Goal: the answer is known.", "Goal: \(long)")
    try small.change(guide, "What is asked?", long)
    try small.change(guide, "# Add the store", "# \(long)")
    try small.change(small.path("01-AddTheStore", "Tests/AddTheStoreTests.swift"), "The answer is 42", long)
    let exercise = try small.exercise(0)
    let screens = ExerciseScreens(course: try small.course(), progress: Progress())
    var lines = try outcomes.flatMap { try text($0).components(separatedBy: "\n") }
    for screen in [
      screens.welcome(), screens.firstBuild(hasModule: false), screens.head(exercise), screens.introduction(exercise),
      screens.list(),
      screens.hint(1, exercise), screens.allDone(), screens.prepared(.putBack(["A.swift"]), exercise),
    ] { lines += screen.lines }
    for line in lines where !line.contains(".swift") && !line.contains("README.md") {
      #expect(line.count <= 80, "\(line.count) columns: \(line)")
    }
  }

  @Test("Colours are only there when asked for, and do not count as width")
  func colours() throws {
    let plain = ExerciseScreens(course: try small.course(), progress: Progress()).result(
      Stream.failed, try small.exercise(0))
    let coloured = ExerciseScreens(course: try small.course(), progress: Progress(), hasColours: true)
      .result(Stream.failed, try small.exercise(0))
    #expect(!plain.text.contains("\u{1B}"))
    #expect(coloured.text.contains("\u{1B}[31m  Sentence 2\u{1B}[0m"))
    #expect(coloured.text.replacing(#/\u{1B}\[\d+m/#, with: "") == plain.text)
  }

  @Test("The bar is full only at the end")
  func bar() {
    #expect(Screen.bar(0, of: 42).hasPrefix("[----"))
    #expect(Screen.bar(41, of: 42).contains("#-] 41 of 42"))
    #expect(Screen.bar(42, of: 42).contains("##] 42 of 42"))
  }
}
