import Foundation
import Learning
import Testing

@Suite("The proof")
struct ProofTests {
  let small: SmallCourse

  init() throws { small = try SmallCourse() }

  func form() throws -> [String] { try FormCheck(course: small.course()).problems().map(\.description) }

  // MARK: The form

  @Test("Exercises in their form have no problems")
  func inForm() throws { #expect(try form() == []) }

  @Test(
    "Each planted fault is named with its exercise",
    arguments: [
      ("Guide.md", "## Hint 3", "## Help", "the guide has \"## Help\" where \"## Hint 3\" belongs"),
      ("Guide.md", "## Hint 3\n\nIt is `42`.\n", "", "the guide has 2 hints; three are the least"),
      (
        "Guide.md", "Model: its own, in the file\n", "",
        "the guide has no \"Model: …\": the shared one's name, or its own, in the file"
      ),
      ("Guide.md", "Minutes: 5", "Minutes: 50", "the guide has no \"Minutes: …\" from 2 to 20"),
      ("Guide.md", "#four-properties", "#five-properties", "there is no section 01-Stack#five-properties"),
      ("Stub/AddTheStore.swift", "// TODO:", "// TODO: and\n  // TODO:", "the stub has 2 TODOs; one is right"),
      ("Stub/AddTheStore.swift", "// TODO:", "// Note:", "the stub has 0 TODOs; one is right"),
      (
        "Stub/AddTheStore.swift", "throw Unfinished(", "fatalError(",
        "the stub has a fatalError, which would end the whole run"
      ),
      (
        "Stub/AddTheStore.swift", "addTheStore()", "addTheStore(_ a: Int)",
        "only the stub declares `func addTheStore(_ a: Int) throws -> Int`"
      ),
      ("Stub/AddTheStore.swift", "-> Int", "-> Int64", "only the stub declares `func addTheStore() throws -> Int64`"),
      ("Solution/AddTheStore.swift", "//= return 41", "// No mark", "the solution has 0 `//=` marks; one is right"),
      (
        "Solution/AddTheStore.swift", "  return 42", "  //= a\n\n  //= b\n  return 42",
        "the solution has 2 `//=` marks; one is right"
      ),
      (
        "Solution/AddTheStore.swift", "  return 42\n", "\n",
        "below the solution's `//=` mark there is no line to replace"
      ),
      (
        "Solution/AddTheStore.swift", "return 42\n}", "return 42\n}\nvar more = 1",
        "only the solution declares `var more`, which is not private"
      ),
      ("Tests/AddTheStoreTests.swift", "@Suite(\"01 ", "@Suite(\"02 ", "the tests have no @Suite(\"01 …\""),
      (
        "Tests/AddTheStoreTests.swift", "struct AddTheStoreTests", "struct StoreTests",
        "the tests are not in a struct AddTheStoreTests"
      ),
      ("Tests/AddTheStoreTests.swift", "@Test(\"The answer is 42\")", "@Test", "a test has no sentence as its name"),
      ("Tests/AddTheStoreTests.swift", ", .serialized", "", "the suite is not .serialized"),
    ])
  func planted(_ part: String, _ old: String, _ new: String, _ sentence: String) throws {
    try small.change(small.path("01-AddTheStore", part), old, new)
    #expect(try form().contains("01-AddTheStore: \(sentence)"))
  }

  @Test("A missing part is named", arguments: ["Guide.md", "Stub", "Solution", "Tests"])
  func missing(_ part: String) throws {
    try FileManager.default.removeItem(at: small.root.appendingPathComponent(small.path("01-AddTheStore", part)))
    let sentence = part == "Guide.md" ? "there is no Guide.md" : "there is no Swift file in \(part)"
    #expect(try form().contains("01-AddTheStore: \(sentence)"))
  }

  @Test("Numbers have no gaps, and the table of goals has every row")
  func numbersAndRows() throws {
    try FileManager.default.removeItem(at: small.root.appendingPathComponent(small.path("02-CountRows", "")))
    #expect(
      try form() == [
        "03-UndoOnce: it is number 2 in order; numbers are to run without gaps and repetitions",
        "Exercises: Chapters/Exercises/README.md has rows in its goals that no exercise has; write it again: swift run learn goals",
        "Exercises: Chapters/01-Stack/README.md has another list of exercises; write it by: swift run learn goals",
      ])
    try small.updateGoals()
    try small.change(small.path("03-UndoOnce", "Guide.md"), "the answer is known", "the answer is given")
    #expect(
      try form().last?.hasPrefix("Exercises: Chapters/Exercises/README.md does not have the row | 03 | Undo once |")
        == true)
  }

  @Test("Private helpers, default bodies and comments make no difference to what is declared")
  func api() {
    let stub = "public struct A {\n  let a: Int // note\n  func b(\n    _ c: [Int] = [1]\n  ) throws { throw X() }\n}\n"
    let solution = """
      public struct A {
        let a: Int = 3
        func b( _ c: [Int] = [1] ) throws { helper() }
        private var d = 1
      }
      private func helper() {}
      private extension Int { var e: Int { 1 } }
      fileprivate struct F { var g = 1 }
      """
    #expect(APIComparison.differences(stub: stub, solution: solution) == [])
    #expect(
      APIComparison.differences(stub: "struct A { private(set) var b: Int }", solution: "struct A { var b: Int }").count
        == 2)
  }

  @Test("A mutant has the marked lines in place of the one below, with their margin")
  func mutation() {
    #expect(Mutation.mutated("a\n  //= b\n  c\nd") == "a\n  b\nd")
    #expect(Mutation.mutated("  //= b\n  //=   c\n  d") == "  b\n  c")
    #expect(Mutation.mutated("a") == nil)
    #expect(Mutation.mutated("//= a\nb\n//= c\nd") == nil)
    #expect(Mutation.mutated("//= a") == nil)
    #expect(Mutation.unmarked("a\n  //= b\n  c") == "a\n  c")
  }

  // MARK: The verdicts

  func problems(_ runner: FakeRunner) throws -> [String] {
    try Proof(course: small.course(), runner: runner).problems().map(\.description)
  }

  /// What is right for each variant.
  static func right(_ selection: Selection) -> Outcome {
    selection == .all("Solution") ? Stream.passed : Stream.failed
  }

  @Test("Stubs that fail, solutions that pass and mutants that fail are no problem; three builds are enough")
  func proven() throws {
    let runner = FakeRunner()
    runner.outcome = { selection, _ in Self.right(selection) }
    #expect(try problems(runner) == [])
    #expect(runner.selections == [.all("Stub"), .all("Solution"), .all("Mutants")])
    #expect(
      try Proof(course: small.course(), runner: runner).summary
        == "3 exercises: stubs fail, solutions pass, mutants are caught")
  }

  @Test("The mutants are there while they are built, and gone afterwards")
  func mutants() throws {
    let runner = FakeRunner()
    let path = small.path("Mutants/02-CountRows", "CountRows.swift")
    var seen: String?
    runner.outcome = { [small] selection, _ in
      if selection == .all("Mutants") { seen = try? small.read(path) }
      return Self.right(selection)
    }
    _ = try problems(runner)
    #expect(seen?.contains("  return 41\n}") == true)
    #expect(!small.exists(small.path("Mutants", "")))
  }

  @Test(
    "Whatever goes otherwise is named",
    arguments: [
      ("Stub", Stream.passed, "the stub passes its tests, so there is nothing to do"),
      (
        "Stub", .crashed(signal: 4, Stream.run([nil], upTo: 0), output: "A.swift:1: Fatal error: nil\n"),
        "the stub crashes with signal 4 in \"Sentence 1\": A.swift:1: Fatal error: nil"
      ),
      (
        "Stub", .timedOut(seconds: 20, Stream.run([nil], upTo: 0), output: ""),
        "the stub has not ended after 20 s in \"Sentence 1\""
      ),
      (
        "Stub", .left(code: 0, Stream.run([nil], upTo: 0), output: ""),
        "the stub ends the program with code 0 in \"Sentence 1\""
      ),
      ("Stub", .nothingRun(output: ""), "with the stub no test is run"),
      ("Solution", Stream.failed, "the solution fails: Sentence 2: Expectation failed: (count → 41) == 42"),
      ("Solution", .nothingRun(output: ""), "with the solution no test is run"),
      ("Solution", .passed(Stream.run([nil])), "1 tests run with the solution, and 2 with the stub"),
      ("Mutants", Stream.passed, "the tests pass with the solution's `//=` mistake in; they don't see what matters"),
      ("Mutants", .crashed(signal: 11, TestRun(), output: ""), "the mutant crashes with signal 11"),
    ] as [(String, Outcome, String)])
  func verdicts(_ variant: String, _ outcome: Outcome, _ sentence: String) throws {
    let runner = FakeRunner()
    runner.outcome = { selection, suite in
      selection == .all(variant) && suite == "CountRowsTests" ? outcome : Self.right(selection)
    }
    #expect(try problems(runner) == ["02-CountRows: \(sentence)"])
  }

  @Test("When a build fails, the exercises with the compiler's errors are named, and the other variants are tried")
  func buildFails() throws {
    let file = small.root.appendingPathComponent(small.path("02-CountRows", "Stub/CountRows.swift")).path
    let runner = FakeRunner()
    runner.outcome = { selection, _ in Self.right(selection) }
    runner.builds = [BuildResult(hasSucceeded: false, output: "\(file):3:1: error: no\n")]
    #expect(
      try problems(runner) == [
        "02-CountRows: the stub does not compile: Chapters/Exercises/Exercises/02-CountRows/Stub/CountRows.swift:3: no"
      ])
    #expect(runner.selections.count == 3)
    runner.builds = [BuildResult(hasSucceeded: false, output: "error: no such module\n")]
    #expect(try problems(runner) == ["Exercises: the stubs can't be built:\n  error: no such module"])
  }
}
