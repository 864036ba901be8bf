import Foundation
import Learning
import Testing

/// A learner's commands, with given results; what they print is looked at as text.
@Suite("A learner at work")
struct SessionTests {
  let small: SmallCourse
  let runner = FakeRunner()
  let printed = Printed()

  final class Printed {
    var text = ""
    func take() -> String {
      defer { text = "" }
      return text
    }
  }

  init() throws { small = try SmallCourse() }

  func session() throws -> Session {
    let session = try Session(course: try small.course(), runner: runner) { [printed] in printed.text += $0 }
    session.now = { Date(timeIntervalSince1970: 1_700_000_000) }
    return session
  }

  @Test("A new learner is told what to do, and what is being built")
  func first() throws {
    runner.isFirstBuild = true
    runner.outcomes = [Stream.unfinished]
    #expect(try session().goOn() == false)
    let text = printed.take()
    #expect(
      text.hasPrefix(
        """
        3 exercises. You finish a file, and its tests tell you when it is right.
          1. Open the file named below, and find its TODO.
          2. Make it true. The named section of the book tells you how.
          3. Save, and run it again: swift run learn
          Stuck? swift run learn hint. To run it at every save: swift run learn watch.

        Building the module CoreData
        """))
    #expect(runner.selections == [.mine("01-AddTheStore")])
    #expect(small.exists(small.path("Mine/01-AddTheStore", "AddTheStore.swift")))
    runner.outcomes = [Stream.unfinished]
    try session().goOn()
    #expect(!printed.take().contains("3 exercises"))
  }

  @Test("A part that is not written yet is shown with its line in the learner's file")
  func unfinished() throws {
    runner.outcomes = [Stream.unfinished]
    try session().goOn()
    #expect(
      printed.take().hasSuffix(
        """
        [----------------------------------------] 0 of 3

        01 Add the store (about 5 minutes)
        Goal      the answer is known.
        Edit      Chapters/Exercises/Exercises/Mine/01-AddTheStore/AddTheStore.swift
        Model     its own, in the file

        0 of 2 tests pass. The first that does not:

          Sentence 1
            Expected  the answer is given
            Got       nothing yet: that part is not written
            At        Chapters/Exercises/Exercises/Mine/01-AddTheStore/AddTheStore.swift:4

        Read      Chapters/01-Stack/README.md
                  section "Four properties"

        again   swift run learn
        a hint  swift run learn hint
        later   swift run learn skip


        """))
  }

  @Test("When the TODO is gone and the error is still thrown, that is said")
  func noTODO() throws {
    try small.writeMine(
      try small.exercise(0), "func addTheStore() throws -> Int {\n  throw Unfinished(\"the answer is given\")\n}\n")
    runner.outcomes = [Stream.unfinished]
    try session().goOn()
    let text = printed.take()
    #expect(text.contains("The TODO is gone, but the line with `throw Unfinished` is still there"))
    #expect(text.contains("AddTheStore.swift:2\n"))
  }

  @Test("A passed exercise is noted with its time, and the next is introduced without a build")
  func passing() throws {
    runner.outcomes = [Stream.passed]
    #expect(try session().goOn())
    let text = printed.take()
    #expect(
      text.contains(
        "01 Add the store: all 2 tests pass.\nSee how the book does it, and what matters there: swift run learn solution 01\n"
      ))
    #expect(text.contains("[#############---------------------------] 1 of 3\n\n02 Count rows (about 5 minutes)"))
    #expect(text.contains("What your code has to make true:\n  - The answer is 42\n"))
    #expect(runner.selections.count == 1)
    #expect(
      try small.read(small.path("Mine", "progress.txt")).contains(
        "01-AddTheStore passed=2023-11-14T22:13:20Z attempts=1 hints=0\n02-CountRows attempts=0 hints=0\n"))
  }

  @Test("Exercises that were written ahead are run one after the other")
  func ahead() throws {
    try small.writeMine(try small.exercise(1), "written ahead")
    runner.outcomes = [Stream.passed, Stream.failed]
    #expect(try session().goOn())
    #expect(runner.selections == [.mine("01-AddTheStore"), .mine("02-CountRows")])
  }

  @Test("A build that fails runs no tests; the attempt counts")
  func compileError() throws {
    let file = small.root.appendingPathComponent(small.path("Mine/01-AddTheStore", "AddTheStore.swift")).path
    runner.builds = [BuildResult(hasSucceeded: false, output: "\(file):3:9: error: cannot find 'x' in scope\n")]
    #expect(try session().goOn() == false)
    let text = printed.take()
    #expect(
      text.contains(
        """
        It does not compile.
            At        Chapters/Exercises/Exercises/Mine/01-AddTheStore/AddTheStore.swift:3:9
            Error     cannot find 'x' in scope
            Line      // TODO: Give the answer.

        """))
    #expect(try session().progress["01-AddTheStore"].attempts == 1)
  }

  @Test("A deleted file is put back, and that is said")
  func deleted() throws {
    runner.outcomes = [Stream.unfinished, Stream.unfinished]
    let session = try session()
    try session.goOn()
    try FileManager.default.removeItem(
      at: small.root.appendingPathComponent(small.path("Mine/01-AddTheStore", "AddTheStore.swift")))
    _ = printed.take()
    try session.goOn()
    #expect(
      printed.take().hasPrefix(
        "AddTheStore.swift was gone from your folder 01-AddTheStore. A fresh copy is\nthere now.\n"))
  }

  @Test("Hints come one at a time and say which they are; after the last comes the last")
  func hints() throws {
    let session = try session()
    let exercise = try small.exercise(0)
    for (number, line) in [(1, "What is asked?"), (2, "Look at the section."), (3, "It is `42`."), (3, "It is `42`.")] {
      try session.hint(exercise)
      let text = printed.take()
      #expect(text.hasPrefix("01 Add the store: hint \(number) of 3\n\n  \(line)\n"))
      let end =
        number == 3
        ? "That was the last hint. The book's solution: swift run learn solution 01 --show\n"
        : "\(3 - number) more: swift run learn hint\n"
      #expect(text.hasSuffix(end + "Try it: swift run learn\n"))
    }
    #expect(try self.session().progress["01-AddTheStore"].hints == 3)
  }

  @Test("A hint's paragraphs are wrapped once, however its guide wraps them, and its code is left as it is")
  func hintWrapping() throws {
    try small.change(
      small.path("01-AddTheStore", "Guide.md"), "What is asked?",
      """
      A line of a guide has up to 120 columns, and a terminal has 80, so this line does not fit, and
      the next one begins in the middle of a line.

      ```swift
      let a = 1

      let b = 2
      ```

      That was code.
      """)
    try session().hint(try small.exercise(0))
    #expect(
      printed.take().hasPrefix(
        """
        01 Add the store: hint 1 of 3

          A line of a guide has up to 120 columns, and a terminal has 80, so this line
          does not fit, and the next one begins in the middle of a line.

            let a = 1

            let b = 2

          That was code.

        2 more: swift run learn hint

        """))
  }

  @Test("A hint for another exercise than the current one names the commands for that one")
  func hintElsewhere() throws {
    try session().hint(try small.exercise(1))
    #expect(printed.take().hasSuffix("2 more: swift run learn hint 02\nTry it: swift run learn run 02\n"))
  }

  @Test("While it watches, it doesn't tell you to run it again")
  func watching() throws {
    runner.outcomes = [Stream.unfinished]
    let session = try session()
    session.isWatching = true
    try session.goOn()
    let text = printed.take()
    #expect(text.contains("3. Save. This window runs the tests each time you do.\n"))
    #expect(
      text.hasSuffix(
        "again   save the file\na hint  swift run learn hint, in another window\nlater   swift run learn skip\n\n"))
    #expect(!text.contains("swift run learn\n"))
    runner.outcomes = [Stream.passed]
    try session.goOn()
    #expect(printed.take().hasSuffix("Edit the file and save it. Its tests run when you do.\n"))
  }

  @Test("A hint and a skip in another window are known to the one that watches")
  func twoWindows() throws {
    let watching = try session()
    let other = try session()
    try other.hint(try small.exercise(0))
    try other.skip()
    try watching.reloadProgress()
    #expect(watching.current?.name == "02-CountRows")
    #expect(watching.progress["01-AddTheStore"].hints == 1)
  }

  @Test("Where the module is built already, only the exercise is said to be built")
  func onlyTheExercise() throws {
    runner.isFirstBuild = true
    runner.hasBuiltModule = true
    runner.outcomes = [Stream.unfinished]
    try session().goOn()
    let text = printed.take()
    #expect(text.contains("Building the first exercise; the module CoreData is built already."))
  }

  @Test("Skipping leads on to the end, and the end says what was skipped")
  func skipping() throws {
    let session = try session()
    try session.skip()
    #expect(printed.take().contains("Skipped: 01 Add the store."))
    try session.skip()
    try session.skip()
    #expect(
      printed.take().hasSuffix(
        """
        [----------------------------------------] 0 of 3

        You have done all exercises except 3 that you skipped:
          01 Add the store
          02 Count rows
          03 Undo once
        To take one up again: swift run learn run 01

        """))
    runner.outcomes = [Stream.passed]
    #expect(try session.run(try small.exercise(0)))
    #expect(!session.progress["01-AddTheStore"].isSkipped)
  }

  @Test("When all are passed, that is said")
  func allDone() throws {
    runner.outcomes = [Stream.passed, Stream.passed, Stream.passed]
    let session = try session()
    for index in 0...2 { try session.run(try small.exercise(index)) }
    _ = printed.take()
    #expect(try session.goOn())
    #expect(printed.take() == "[########################################] 3 of 3\n\nAll done: 3 exercises.\n")
  }

  @Test("The list groups by chapter and marks the states")
  func list() throws {
    runner.outcomes = [Stream.failed, Stream.passed]
    let session = try session()
    try session.run(try small.exercise(0))
    try session.run(try small.exercise(0))
    try session.hint(try small.exercise(0))
    try session.skip()
    _ = printed.take()
    session.list()
    #expect(
      printed.take() == """
        [#############---------------------------] 1 of 3

        1. The stack
          [x] 01 Add the store (2 attempts, 1 hint)
          [-] 02 Count rows

        2. Undo
          [>] 03 Undo once

        [x] passed   [-] skipped   [>] the next

        """)
  }

  @Test("A reset opens the exercise again and says where the learner's file is")
  func reset() throws {
    runner.outcomes = [Stream.passed]
    let session = try session()
    let exercise = try small.exercise(0)
    try small.writeMine(exercise, "mine")
    try session.run(exercise)
    _ = printed.take()
    try session.reset(exercise)
    #expect(
      printed.take() == """
        01 Add the store starts over. What you wrote is kept here:
                  Chapters/Exercises/Exercises/Mine/Saved/01-AddTheStore-1.swift

        """)
    #expect(session.current?.name == "01-AddTheStore")
    #expect(session.progress["01-AddTheStore"].attempts == 1)
  }

  @Test("The solution is a difference to the learner's file, without its mark, and only after passing")
  func solution() throws {
    let session = try session()
    let exercise = try small.exercise(0)
    #expect(throws: LearningProblem.self) { try session.solution(exercise, evenOpen: false) }
    runner.outcomes = [Stream.passed]
    try small.writeMine(exercise, "/// The answer.\nfunc addTheStore() throws -> Int {\n  40 + 2\n}\n")
    try session.run(exercise)
    _ = printed.take()
    try session.solution(exercise, evenOpen: false)
    #expect(
      printed.take() == """
        --- yours: Chapters/Exercises/Exercises/Mine/01-AddTheStore/AddTheStore.swift
        +++ the book's
        @@ -1,4 +1,5 @@
         /// The answer.
         func addTheStore() throws -> Int {
        -  40 + 2
        +  // What matters: it is this one.
        +  return 42
         }

        """)
  }

  @Test("A progress file that can't be read is said to be kept, and work goes on")
  func unreadable() throws {
    try small.write(small.path("Mine", "progress.txt"), "{\"json\": true}\n")
    _ = try session()
    #expect(printed.take().contains("Chapters/Exercises/Exercises/Mine/progress-unreadable-1.txt"))
    _ = try session()
    #expect(printed.take() == "")
  }

  @Test("A progress file that becomes unreadable while one watches is kept, and what was understood with it")
  func unreadableWhileWatching() throws {
    let watching = try session()
    try watching.skip()
    let file = try small.course().progressFile
    try (String(contentsOf: file, encoding: .utf8) + "a strange line\n").write(
      to: file, atomically: true, encoding: .utf8)
    _ = printed.take()
    try watching.reloadProgress()
    #expect(printed.take().contains("progress-unreadable-1.txt"))
    #expect(watching.current?.name == "02-CountRows")
    #expect(try session().current?.name == "02-CountRows")
  }

  @Test("Timings are in seconds, start and build apart")
  func timings() throws {
    runner.builds = [BuildResult(hasSucceeded: true, seconds: 1.5, buildSeconds: 1.2)]
    runner.outcomes = [Stream.unfinished]
    let session = try session()
    session.showsTimings = true
    try session.goOn()
    #expect(printed.take().contains("start and manifest 0.30 s, plan and build 1.20 s, tests 0.00 s\n"))
  }
}
