import ArgumentParser
import Foundation
import Learning
import OutputFiles

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows who of a class has passed what, from the learners' progress files.",
    discussion: """
      A learner's state is Chapters/Exercises/Exercises/Mine/progress.txt. Give these files, renamed for their \
      learners, or folders with them: checkouts, or one folder with a folder for each learner.
      """)

  @OptionGroup var place: Place
  @Argument(help: ArgumentHelp("Progress files, or folders with them; else the own.", valueName: "path")) var paths:
    [String] = []
  @Flag(help: "Write a line for each learner and exercise, separated by commas.") var csv = false

  func run() throws {
    try answering {
      let course = try place.course()
      let learners = try ProgressReport.learners(at: paths.isEmpty ? [course.progressFile.path] : paths)
      let report = ProgressReport(exercises: course.exercises, learners: learners)
      print(csv ? report.csv : report.screen(hasColours: Terminal.hasColours).text, terminator: "")
    }
  }
}

struct New: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Makes the folder of a new exercise, with all its parts.")

  @OptionGroup var place: Place
  @Argument(help: "What it is about: CountRows.") var name: String
  @Option(
    help: ArgumentHelp("The section it belongs to, as 01-ManualStack#four-properties.", valueName: "folder#anchor"))
  var chapter: String

  func run() throws {
    try answering {
      let course = try place.course()
      for file in try NewExercise(course: course).make(name, chapter: chapter) { print(course.shown(file)) }
      print("Fill them, then: swift run learn goals, and swift run learn prove.")
    }
  }
}

struct Goals: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the table of all exercises into Chapters/Exercises/README.md.")

  @OptionGroup var place: Place
  @Flag(help: "Change nothing; fail if the table is not as it should be.") var check = false

  func run() throws {
    try answering {
      let course = try place.course()
      let table = GoalsTable(course: course)
      if check {
        let problems = table.problems()
        guard problems.isEmpty else { throw LearningProblem(problems.joined(separator: "\n")) }
        return
      }
      guard let old = try? String(contentsOf: course.readme, encoding: .utf8), let new = table.written(into: old) else {
        throw LearningProblem(table.problems().joined(separator: "\n"))
      }
      print(table.rows.joined(separator: "\n"))
      if new != old { try OutputFile.write(Data(new.utf8), to: course.readme.path) }
    }
  }
}

struct Prove: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Proves that every exercise fails as it is, and passes with its solution.",
    discussion: """
      Builds all stubs together, all solutions, and all solutions with the mistake that they mark by //=. Every \
      stub and every mutant must fail by a test's words, every solution must pass.
      """)

  @OptionGroup var place: Place
  @Option(help: ArgumentHelp("Where to build; else .build of the checkout.", valueName: "folder")) var scratchPath:
    String?

  @Flag(help: "Only read the exercises, and build nothing.") var form = false

  func run() throws {
    try answering {
      let course = try place.course()
      let scratch = scratchPath.map { URL(fileURLWithPath: $0, isDirectory: true) }
      var runner = SwiftRunner(course: course, scratch: scratch)
      let line = ProgressLine(isTerminal: Terminal.writesOver, columns: Terminal.columns, write: Terminal.write)
      runner.note = line.show
      let proof = Proof(course: course, runner: runner) { Terminal.write($0 + "\n") }
      let problems = form ? FormCheck(course: course).problems() : try proof.problems()
      for problem in problems { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
      guard problems.isEmpty else {
        throw LearningProblem(
          "\(course.exercises.count) exercises, \(problems.count) problem\(problems.count == 1 ? "" : "s").")
      }
      print(form ? "\(course.exercises.count) exercises are in their form; nothing was built." : proof.summary)
    }
  }
}
