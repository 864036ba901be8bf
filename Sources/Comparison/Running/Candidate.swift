import Foundation

/// A set-up, and the program that contains it.
public struct Candidate: Sendable {
  public let info: SetupInfo
  /// The program to start as a child process.
  public let program: URL

  public init(info: SetupInfo, program: URL) {
    self.info = info
    self.program = program
  }

  /// The set-ups in the running program.
  public static func own(_ types: [any ComparedSetup.Type]) throws -> [Candidate] {
    let program = try ProgramStage.ownProgram()
    return types.map { Candidate(info: $0.info, program: program) }
  }

  /// The set-ups in another program, which is asked for them.
  static func all(of program: URL, scratch: URL) throws -> [Candidate] {
    let answer = scratch.appendingPathComponent("describe-\(UUID().uuidString).json")
    let request = ComparisonChild.Request(task: .describe, answer: answer.path)
    let child = try ChildProcess(program, arguments: try request.arguments(), scratch: scratch)
    guard child.end == .exit(0), let data = try? Data(contentsOf: answer) else {
      throw ComparisonFailure(
        "\(program.lastPathComponent) does not say which set-ups it holds. \(child.lastWords ?? "")")
    }
    return try JSONDecoder().decode([SetupInfo].self, from: data).map { Candidate(info: $0, program: program) }
  }
}

extension ComparisonChild.Request {
  func arguments() throws -> [String] {
    [ComparisonChild.mark, String(decoding: try JSONEncoder().encode(self), as: UTF8.self)]
  }
}
