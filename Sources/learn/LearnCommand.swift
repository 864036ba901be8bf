import ArgumentParser
import Foundation
import Learning

/// The exercises' tool: `swift run learn`.
@main
struct LearnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "learn",
    abstract: "Takes you through the exercises of the book, one failing test at a time.",
    discussion: "Without a subcommand it runs the first exercise that is open, and says what is missing.",
    subcommands: [],
    groupedSubcommands: [
      CommandGroup(
        name: "For learners",
        subcommands: [
          Continue.self, Hint.self, List.self, Skip.self, Show.self, Run.self, Reset.self, Solution.self, Watch.self,
        ]),
      CommandGroup(name: "For teachers and authors", subcommands: [Report.self, New.self, Goals.self, Prove.self]),
    ],
    defaultSubcommand: Continue.self)

  static func main() {
    Interruption.install()
    main(nil)
  }
}

/// Where the checkout is.
struct Place: ParsableArguments {
  @Option(help: ArgumentHelp("The checkout's folder; else it is looked for from here upwards.", valueName: "folder"))
  var root: String?

  func course() throws -> Course {
    do { return try Course(root: try rootURL()) } catch let problem as LearningProblem {
      throw ValidationError("\(problem)")
    }
  }

  private func rootURL() throws -> URL {
    if let root { return URL(fileURLWithPath: root, isDirectory: true) }
    var folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    while !FileManager.default.fileExists(
      atPath: folder.appendingPathComponent("Chapters/Exercises/Package.swift").path)
    {
      guard folder.path != "/" else {
        throw ValidationError(
          "There are no Chapters/Exercises here or above. Say where the checkout is: --root FOLDER.")
      }
      folder.deleteLastPathComponent()
    }
    return folder
  }

  func session() throws -> Session {
    let course = try course()
    var runner = SwiftRunner(course: course)
    if Terminal.isOne, runner.isFirstBuild { runner.note = Terminal.overwrite }
    return try Session(course: course, runner: runner, hasColours: Terminal.hasColours, print: Terminal.write)
  }
}

enum Terminal {
  /// At once, also into a pipe: a build may take long after it.
  static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

  static var isOne: Bool { isatty(1) == 1 }

  /// In place of what this wrote last.
  static func overwrite(_ text: String) {
    write("\r" + text.padding(toLength: 40, withPad: " ", startingAt: 0) + (text.isEmpty ? "\r" : ""))
  }

  /// On a terminal, and only if nobody asked for none.
  static var hasColours: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isOne && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}

/// A learner's sentence is an answer, not a misuse of the tool.
func answering(_ body: () throws -> Void) throws {
  do { try body() } catch let problem as LearningProblem {
    FileHandle.standardError.write(Data("\(problem)\n".utf8))
    throw ExitCode.failure
  }
}
