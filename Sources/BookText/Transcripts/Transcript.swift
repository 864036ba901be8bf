import Foundation

/// A `.transcript` file: commands, and what the reader sees of them.
///
/// The first line is a command, `$ swift run Program argument …`. The lines below are what it prints on standard output
/// and standard error, in the order in which they were written. Each later line that begins with `$ swift run ` is
/// another command. It finds the files that the commands above left.
public struct Transcript: Sendable {
  /// One command of a session.
  public struct Step: Sendable {
    /// The whole line of the command.
    public let command: String
    public let program: String
    public let arguments: [String]
    /// Whether its output ends with the line `Killed`, which a shell writes if SIGKILL ended the program.
    public fileprivate(set) var isKilled = false
  }

  /// The line that a shell writes when SIGKILL ends a program.
  static let killed = "Killed"

  /// The path from the package's root.
  public let path: String
  /// The commands, at least one.
  public let steps: [Step]
  /// Everything below the first line, including later commands.
  public let output: String

  /// The first line.
  public var command: String { steps[0].command }
  /// The program of the first line.
  public var program: String { steps[0].program }

  /// - Throws: `BookProblem` if the text doesn't begin with a command.
  public init(path: String, text: String) throws {
    self.path = path
    let end = text.firstIndex(of: "\n") ?? text.endIndex
    output = String(text[end...].dropFirst())
    guard let first = Self.step(String(text[..<end])) else {
      throw BookProblem(file: path, line: 1, "a transcript begins with `$ swift run PROGRAM`")
    }
    steps = output.components(separatedBy: "\n").reduce(into: [first]) { steps, line in
      if let next = Self.step(line) {
        steps.append(next)
      } else if !line.isEmpty {
        steps[steps.count - 1].isKilled = line == Self.killed
      }
    }
  }

  private static func step(_ line: String) -> Step? {
    let words = words(of: line)
    guard words.count > 3, line.hasPrefix("$ "), words[1...2] == ["swift", "run"] else { return nil }
    return Step(command: line, program: words[3], arguments: Array(words.dropFirst(4)))
  }

  /// The name without folder and extension: `run` for `Chapters/01-ManualStack/run.transcript`.
  public var name: String {
    String((path.split(separator: "/").last ?? "").dropLast(".transcript".count))
  }

  public var text: String { command + "\n" + output }

  /// The SQL statements in the output, in order.
  public var statements: [String] {
    var statements: [String] = []
    for line in output.components(separatedBy: "\n") {
      if let mark = line.range(of: "CoreData: sql: ") {
        statements.append(String(line[mark.upperBound...]))
      }
    }
    return statements
  }

  /// The words of a command line. A word in single quotes may contain blanks.
  static func words(of line: String) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { place, part in
      place % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
  }
}
