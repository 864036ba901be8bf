import Foundation
import StepFrames

/// What a stepper moves through: the frames of a transcript, and the SQL that ran before each.
public struct StepRecording: Sendable {
  public struct Step: Sendable {
    public let frame: StepFrame
    /// What ran since the frame before, with the values that were bound to it where the program printed them.
    public let statements: [SQLStatement]
    /// In the transcript, from 1.
    public let line: Int
  }

  public let title: String
  /// At least one.
  public let steps: [Step]

  /// - Throws: `BookProblem`, at the transcript's line, if a frame can't be read or has no caption, or there is none.
  public init(_ transcript: Transcript) throws {
    var title: String?
    var steps: [Step] = []
    var statements: [SQLStatement] = []
    for (index, line) in transcript.text.components(separatedBy: "\n").enumerated() {
      func problem(_ sentence: String) -> BookProblem { BookProblem(file: transcript.path, line: index + 1, sentence) }
      if let sql = line.wholeMatch(of: #/CoreData: sql: (.*)/#) {
        statements.append(SQLStatement(String(sql.1)))
      } else if let value = line.wholeMatch(of: #/CoreData: details: SQLite bind\[\d+\] = (.*)/#), !statements.isEmpty {
        statements[statements.count - 1].bind(String(value.1))
      } else if line.hasPrefix("{\"recording\"") {
        guard title == nil else { throw problem("a second recording begins here; record each in a transcript of its own") }
        title = try Self.decoded(StepHeading.self, line, problem).recording
        statements = []
      } else if line.hasPrefix("{") {
        guard title != nil else { throw problem("this frame stands before its recording; StepRecorder prints both") }
        let frame = try Self.decoded(StepFrame.self, line, problem)
        guard !frame.caption.allSatisfy(\.isWhitespace) else {
          throw problem("this frame has no caption; say in frame(_:) what the program has just done")
        }
        steps.append(Step(frame: frame, statements: statements, line: index + 1))
        statements = []
      }
    }
    guard let title, !steps.isEmpty else {
      throw BookProblem(
        file: transcript.path, line: 1, "there are no frames in this transcript; its program makes them with StepRecorder")
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

/// A statement that ran.
public struct SQLStatement: Hashable, Sendable {
  /// With a question mark for each value that isn't known.
  public private(set) var text: String
  private var position: String.Index

  init(_ text: String) {
    self.text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    position = self.text.startIndex
  }

  /// Puts a value, as the stack prints it, in the place of the next question mark.
  mutating func bind(_ printed: String) {
    guard let mark = text[position...].firstIndex(of: "?") else { return }
    let literal = Self.literal(printed)
    let offset = text.distance(from: text.startIndex, to: mark) + literal.count
    text.replaceSubrange(mark...mark, with: literal)
    position = text.index(text.startIndex, offsetBy: offset)
  }

  /// `1` for `(int64)1`, `Z_PK = 1` and `ZYEAR = int(1961)`.
  private static func literal(_ printed: String) -> String {
    var text = printed.replacing(#/^Z[A-Z0-9_]* = /#, with: "").replacing(#/^\([a-z0-9]+\)/#, with: "")
    if let inner = text.wholeMatch(of: #/[a-z]+[0-9]*\((.*)\)/#) { text = String(inner.1) }
    if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") {
      return "'" + text.dropFirst().dropLast().replacing("'", with: "''") + "'"
    }
    return text == "null" ? "NULL" : text
  }

  /// Whether it only reserves keys for new rows, or opens or closes the transaction that does.
  public var isBookkeeping: Bool { text.contains(" Z_PRIMARYKEY ") }
  public var beginsTransaction: Bool { text.hasPrefix("BEGIN") }
  public var endsTransaction: Bool { text == "COMMIT" || text == "ROLLBACK" }
}

extension [SQLStatement] {
  /// The statements that say what the step did: without the transactions that reserve keys, which `reserved` counts.
  public var essential: (statements: [SQLStatement], reserved: Int) {
    var (kept, reserved): ([SQLStatement], Int) = ([], 0)
    var index = 0
    while index < count {
      let end = self[index].beginsTransaction ? self[index...].firstIndex { $0.endsTransaction } : nil
      if let end, index + 1 < end, self[(index + 1)..<end].allSatisfy(\.isBookkeeping) {
        reserved += end - index + 1
        index = end + 1
      } else {
        kept.append(self[index])
        index += 1
      }
    }
    return (kept, reserved)
  }
}
