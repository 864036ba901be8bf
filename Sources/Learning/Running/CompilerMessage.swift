import Foundation

/// A message of the compiler about a line: `FILE:LINE:COLUMN: error: MESSAGE`.
package struct CompilerMessage: Hashable, Sendable {
  package let file: String
  package let line: Int
  package let column: Int
  package let message: String

  /// All errors in the output of a build, each once, in order.
  package static func errors(in output: String) -> [CompilerMessage] { messages("error", output) }

  package static func warnings(in output: String) -> [CompilerMessage] { messages("warning", output) }

  private static func messages(_ kind: String, _ output: String) -> [CompilerMessage] {
    var seen = Set<CompilerMessage>()
    return output.components(separatedBy: "\n").compactMap { line in
      guard let match = line.wholeMatch(of: #/(/[^:]+):(\d+):(\d+): (error|warning): (.*)/#), match.4 == kind else {
        return nil
      }
      let message = CompilerMessage(
        file: String(match.1), line: Int(match.2)!, column: Int(match.3)!, message: String(match.5))
      return seen.insert(message).inserted ? message : nil
    }
  }
}
