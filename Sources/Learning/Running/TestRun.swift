import Foundation

/// A run of Swift Testing: the lines of its event stream as values.
package struct TestRun: Equatable, Sendable {
  package struct Issue: Equatable, Sendable {
    package struct Message: Equatable, Sendable {
      /// `fail`, `details`, `difference`, …
      package var symbol: String
      package var text: String
    }
    package var messages: [Message] = []
    package var file = ""
    package var line = 0
  }

  package struct Test: Equatable, Sendable {
    package var id: String
    package var sentence: String
    package var file: String
    package var line: Int
    package var hasStarted = false
    package var hasEnded = false
    package var issues: [Issue] = []

    package var hasPassed: Bool { hasEnded && issues.isEmpty }
  }

  /// The tests, in the order of the source.
  package private(set) var tests: [Test] = []
  /// Issues that belong to no test, such as those of code that still runs after its test.
  package private(set) var otherIssues: [Issue] = []
  /// Whether the run ended normally; if not, something ended the process.
  package private(set) var isComplete = false

  package var passedCount: Int { tests.count { $0.hasPassed } }
  package var startedCount: Int { tests.count { $0.hasStarted } }
  package var firstFailed: Test? { tests.first { !$0.issues.isEmpty } }
  /// The test that was running when the process ended.
  package var interrupted: Test? { tests.first { $0.hasStarted && !$0.hasEnded } }

  package init() {}

  /// Reads the stream. Incomplete lines are skipped; the last line of a killed process may be one.
  package init(eventStream: String) {
    for line in eventStream.split(separator: "\n") {
      guard let record = try? JSONDecoder().decode(Record.self, from: Data(line.utf8)) else { continue }
      take(record)
    }
    tests.sort { ($0.file, $0.line) < ($1.file, $1.line) }
  }

  private mutating func take(_ record: Record) {
    let payload = record.payload
    if record.kind == "test", payload.kind == "function", let id = payload.id {
      tests.append(
        Test(
          id: id, sentence: payload.displayName ?? payload.name ?? id, file: payload.sourceLocation?.path ?? "",
          line: payload.sourceLocation?.line ?? 0))
    }
    guard record.kind == "event" else { return }
    if payload.kind == "runEnded" { isComplete = true }
    let place = tests.firstIndex { $0.id == payload.testID }
    switch payload.kind {
    case "testStarted": if let place { tests[place].hasStarted = true }
    case "testEnded": if let place { tests[place].hasEnded = true }
    case "issueRecorded":
      guard let issue = issue(payload) else { return }
      if let place { tests[place].issues.append(issue) } else { otherIssues.append(issue) }
    default: break
    }
  }

  /// The issue; nil if it doesn't make the test fail.
  private func issue(_ payload: Payload) -> Issue? {
    guard let record = payload.issue, record.isKnown != true, record.isFailure != false else { return nil }
    return Issue(
      messages: (payload.messages ?? []).map { Issue.Message(symbol: $0.symbol, text: $0.text) },
      file: record.sourceLocation?.path ?? "", line: record.sourceLocation?.line ?? 0)
  }

  // MARK: The form of the stream

  private struct Record: Decodable {
    var kind: String
    var payload: Payload
  }

  private struct Payload: Decodable {
    var kind: String
    var id: String?
    var name: String?
    var displayName: String?
    var sourceLocation: Location?
    var testID: String?
    var issue: IssueRecord?
    var messages: [MessageRecord]?
  }

  private struct IssueRecord: Decodable {
    var isKnown: Bool?
    var isFailure: Bool?
    var sourceLocation: Location?
  }

  private struct MessageRecord: Decodable {
    var symbol: String
    var text: String
  }

  private struct Location: Decodable {
    var filePath: String?
    var _filePath: String?
    var line: Int

    var path: String? { filePath ?? _filePath }
  }
}
