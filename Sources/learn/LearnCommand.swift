import ArgumentParser
import Foundation
import Learning

/// The exercises' tool: `swift run learn`.
@main
struct LearnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "learn",
    abstract: "Takes you through the exercises of the book, one failing test at a time.",
    discussion: "Without a subcommand it runs your first open exercise, and tells you what is missing.",
    subcommands: [],
    groupedSubcommands: [
      CommandGroup(
        name: "For learners",
        subcommands: [
          Continue.self, Hint.self, List.self, Model.self, Skip.self, Show.self, Run.self, Reset.self, Solution.self,
          Watch.self,
        ]),
      CommandGroup(
        name: "For teachers and authors", subcommands: [Report.self, New.self, Number.self, Goals.self, Prove.self]),
    ],
    defaultSubcommand: Continue.self)

  static func main() {
    Interruption.install()
    if let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-"), !commandNames.contains(word) {
      complain(about: word)
    }
    main(nil)
  }

  private static var commandNames: [String] {
    let commands = configuration.groupedSubcommands.flatMap(\.subcommands)
    return commands.flatMap { [$0._commandName] + $0.configuration.aliases } + ["help"]
  }

  /// Reports an unknown command. The parser would take the word for an argument of `continue`, and could not say what
  /// was meant.
  private static func complain(about word: String) -> Never {
    var sentence = "There is no command \"\(word)\"."
    if let exercise = try? Place.parse([]).course().exercise(named: word) {
      sentence += " To run exercise \(exercise.title): swift run learn run \(exercise.number)"
    } else {
      sentence += Suggestion.question(word, among: commandNames)
    }
    FileHandle.standardError.write(
      Data("Error: \(sentence)\nThe commands are: \(commandNames.joined(separator: ", ")).\n".utf8))
    Foundation.exit(EX_USAGE)
  }
}

/// The option that names the checkout.
struct Place: ParsableArguments {
  @Option(
    help: ArgumentHelp("The checkout's folder. Without it: the nearest one from here upwards.", valueName: "folder"))
  var root: String?

  func course() throws -> Course {
    do { return try Course(root: try rootURL()) } catch let problem as LearningProblem {
      throw ValidationError("\(problem)")
    }
  }

  private func rootURL() throws -> URL {
    if let root { return URL(fileURLWithPath: root, isDirectory: true) }
    var folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    while !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Chapters/Exercises/Exercises").path) {
      guard folder.path != "/" else {
        throw ValidationError(
          "There is no folder Chapters/Exercises here or above. Say where the checkout is: --root FOLDER.")
      }
      folder.deleteLastPathComponent()
    }
    return folder
  }

  func session() throws -> Session {
    let course = try course()
    var runner = SwiftRunner(course: course)
    let line = ProgressLine(isTerminal: Terminal.writesOver, columns: Terminal.columns, write: Terminal.write)
    runner.note = line.show
    return try Session(course: course, runner: runner, hasColours: Terminal.hasColours, print: Terminal.write)
  }
}

enum Terminal {
  /// Writes without buffering, also to a pipe, because a long build may follow.
  static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

  static var isOne: Bool { isatty(1) == 1 }

  /// Whether a line can be overwritten.
  static var writesOver: Bool { isOne && ProcessInfo.processInfo.environment["TERM"] != "dumb" }

  static var columns: Int {
    var size = winsize()
    return ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  /// Whether to use colours: on a terminal, unless `NO_COLOR` is set.
  static var hasColours: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isOne && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}

/// Prints a `LearningProblem` as an answer, without the usage text that follows a misuse of the tool.
func answering(_ body: () throws -> Void) throws {
  do { try body() } catch let problem as LearningProblem {
    FileHandle.standardError.write(Data("\(problem)\n".utf8))
    throw ExitCode.failure
  }
}
