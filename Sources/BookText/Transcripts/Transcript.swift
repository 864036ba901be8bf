import Foundation

/// Commands and what the reader sees of them: a `.transcript` file.
///
/// The first line is a command, `$ swift run Program argument …`. Below it stands what it prints, on both outputs in
/// the order in which it was written. A later line that begins with `$ swift run ` is the next command of the same
/// session: it finds the files that the commands above it left.
public struct Transcript: Sendable {
  /// One command of a session.
  public struct Step: Sendable {
    /// Its whole line.
    public let command: String
    public let program: String
    public let arguments: [String]
    /// Whether its output ends with the line `Killed`, which the shell writes when SIGKILL ended the program.
    public fileprivate(set) var isKilled = false
  }

  /// What a shell writes when a program was ended by SIGKILL.
  static let killed = "Killed"

  /// From the package's root.
  public let path: String
  /// At least one.
  public let steps: [Step]
  /// Everything below the first line: later commands too.
  public let output: String

  /// The first line.
  public var command: String { steps[0].command }
  /// The program of the first line.
  public var program: String { steps[0].program }

  /// - Throws: `BookProblem` if it does not begin with such a command.
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

  /// `run` of `Chapters/01-ManualStack/run.transcript`
  public var name: String {
    String((path.split(separator: "/").last ?? "").dropLast(".transcript".count))
  }

  public var text: String { command + "\n" + output }

  /// The statements that the output shows the store to have run, in order.
  public var statements: [String] {
    var statements: [String] = []
    for line in output.components(separatedBy: "\n") {
      if let mark = line.range(of: "CoreData: sql: ") {
        statements.append(String(line[mark.upperBound...]))
      }
    }
    return statements
  }

  /// The words of a command line; one in single quotation marks may have blanks.
  static func words(of line: String) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { place, part in
      place % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
  }
}
