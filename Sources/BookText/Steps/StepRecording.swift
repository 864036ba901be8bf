import Foundation
import SQLDebugLog
import StepFrames

/// The content of a stepper: the frames of a transcript, each with the SQL that ran before it.
public struct StepRecording: Sendable {
  public struct Step: Sendable {
    public let frame: StepFrame
    /// The statements that ran since the previous frame. They have their bound values if the program printed those.
    public let statements: [SQLStatement]
    /// The line in the transcript, counted from 1.
    public let line: Int
  }

  public let title: String
  /// The steps, at least one.
  public let steps: [Step]

  /// - Throws: `BookProblem` for the transcript's line if a frame can't be read or has no caption, or if there is no
  ///   frame.
  public init(_ transcript: Transcript) throws {
    var title: String?
    var steps: [Step] = []
    // The statements since the last frame.
    var log = SQLDebugLog()
    for (index, line) in transcript.text.components(separatedBy: "\n").enumerated() {
      func problem(_ sentence: String) -> BookProblem { BookProblem(file: transcript.path, line: index + 1, sentence) }
      if log.take(line) {
        continue
      } else if line.hasPrefix("{\"recording\"") {
        guard title == nil else {
          throw problem("a second recording begins here; record each in a transcript of its own")
        }
        title = try Self.decoded(StepHeading.self, line, problem).recording
        log = SQLDebugLog()
      } else if line.hasPrefix("{") {
        guard title != nil else { throw problem("this frame stands before its recording; StepRecorder prints both") }
        let frame = try Self.decoded(StepFrame.self, line, problem)
        guard !frame.caption.allSatisfy(\.isWhitespace) else {
          throw problem("this frame has no caption; say in frame(_:) what the program has just done")
        }
        guard frame.tables.allSatisfy({ table in table.rows.allSatisfy { $0.count == table.columns.count } }) else {
          throw problem("a row of this frame has not a value for each column; `book check --bless` records it again")
        }
        steps.append(Step(frame: frame, statements: log.statements.map(SQLStatement.init), line: index + 1))
        log = SQLDebugLog()
      }
    }
    guard let title, !steps.isEmpty else {
      throw BookProblem(
        file: transcript.path, line: 1,
        "there are no frames in this transcript; its program makes them with StepRecorder")
    }
    (self.title, self.steps) = (title, steps)
  }

  private static func decoded<Value: Decodable>(
    _ type: Value.Type, _ line: String, _ problem: (String) -> BookProblem
  ) throws -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(line.utf8))
    } catch DecodingError.keyNotFound(let key, _) {
      throw problem("this frame has no \"\(key.stringValue)\"; `book check --bless` records it again")
    } catch {
      throw problem("this is not a frame; `book check --bless` records it again")
    }
  }
}
