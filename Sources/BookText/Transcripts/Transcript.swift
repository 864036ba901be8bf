import Foundation

/// A command and what the reader will see of it: a `.transcript` file.
///
/// The first line is the command, `$ swift run Program argument …`; the rest is what it prints, on both outputs in
/// the order in which it was written.
public struct Transcript: Sendable {
  /// From the package's root.
  public let path: String
  public let program: String
  public let arguments: [String]
  /// The first line.
  public let command: String
  public let output: String

  /// - Throws: `BookProblem` if it does not begin with such a command.
  public init(path: String, text: String) throws {
    self.path = path
    let end = text.firstIndex(of: "\n") ?? text.endIndex
    command = String(text[..<end])
    output = String(text[end...].dropFirst())
    let words = Self.words(of: command)
    guard words.count > 3, words.prefix(3) == ["$", "swift", "run"] else {
      throw BookProblem(file: path, line: 1, "a transcript begins with `$ swift run PROGRAM`")
    }
    program = words[3]
    arguments = Array(words.dropFirst(4))
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
