import ArgumentParser
import Foundation
import Learning
import OutputFiles

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows which of your learners have passed what, from their progress files.",
    discussion: """
      Each learner has a file Chapters/Exercises/Exercises/Mine/progress.txt. Collect these files and name each after \
      its learner, or give folders that have them: checkouts, or one folder with a folder for each learner.
      """)

  @OptionGroup var place: Place
  @Argument(help: ArgumentHelp("Progress files, or folders with them. Without it: your own.", valueName: "path"))
  var paths: [String] = []
  @Flag(help: "Write a line for each learner and exercise, with commas between the values.") var csv = false

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
      print("Fill them in, then run: swift run learn number, swift run learn goals, and swift run learn prove.")
    }
  }
}

struct Number: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Numbers the exercises in the order of the book.",
    discussion: "Renames the folders, and a learner's work follows at the next call of learn.")

  @OptionGroup var place: Place

  func run() throws {
    try answering {
      let changes = try Numbering(course: try place.course()).apply()
      for change in changes { print("\(change.from) is now \(change.to)") }
      print(
        changes.isEmpty ? "The exercises are in the order of the book." : "Now write the table: swift run learn goals")
    }
  }
}

struct Goals: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the table of all exercises into their README, and each chapter's list into the chapter.")

  @OptionGroup var place: Place
  @Flag(help: "Change nothing; fail if the table or a list is not as it should be.") var check = false

  func run() throws {
    try answering {
      let course = try place.course()
      let table = GoalsTable(course: course)
      if check {
        let problems = table.problems() + ChapterLists(course: course).problems()
        guard problems.isEmpty else { throw LearningProblem(problems.joined(separator: "\n")) }
        return
      }
      guard let old = try? String(contentsOf: course.readme, encoding: .utf8), let new = table.written(into: old) else {
        throw LearningProblem(table.problems().joined(separator: "\n"))
      }
      print(table.rows.joined(separator: "\n"))
      if new != old { try OutputFile.write(Data(new.utf8), to: course.readme.path) }
      try ChapterLists(course: course).write()
    }
  }
}

struct Prove: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Proves that every exercise fails as it is, and passes with its solution.",
    discussion: """
      Builds all stubs together, all solutions, and all solutions with the mistake that they mark by //=. Every \
      stub and every mutant must fail by a test's words, and every solution must pass. Before that it checks the form: \
      the parts of each exercise, the order of the sections, and whether the book has named by then what you need.
      """)

  @OptionGroup var place: Place
  @Option(help: ArgumentHelp("Where to build. Without it: .build in the checkout.", valueName: "folder"))
  var scratchPath: String?

  @Flag(help: "Only read the exercises; build nothing.") var form = false

  func run() throws {
    try answering {
      let course = try place.course()
      let scratch = scratchPath.map { URL(fileURLWithPath: $0, isDirectory: true) }
      var runner = SwiftRunner(course: course, scratch: scratch)
      // No learner waits for one of them, and the machine may be busy with other checks.
      runner.testLimit = 90
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
