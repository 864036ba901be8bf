import Foundation
import Testing

@testable import Learning

@Suite("Runs and what they say")
struct RunningTests {
  @Test("An event stream becomes tests in the order of the source, with their issues")
  func stream() {
    let lines = Stream.lines([nil, "Expectation failed: (count → 41) == 42"]).split(separator: "\n")
    // Order in the stream is the testing library's affair.
    let run = TestRun(eventStream: ([lines[1], lines[0]] + lines.dropFirst(2)).joined(separator: "\n"))
    #expect(run.tests.map(\.sentence) == ["Sentence 1", "Sentence 2"])
    #expect(run.passedCount == 1)
    #expect(run.startedCount == 2)
    #expect(run.isComplete)
    #expect(run.firstFailed?.sentence == "Sentence 2")
    #expect(run.firstFailed?.issues.first?.line == 22)
  }

  @Test("Of a run that was cut off, the test that was running is known")
  func interrupted() {
    let run = TestRun(eventStream: Stream.lines([nil, nil, nil], upTo: 1) + #"{"kind":"event","payl"#)
    #expect(!run.isComplete)
    #expect(run.interrupted?.sentence == "Sentence 2")
    #expect(run.passedCount == 1)
  }

  @Test("Known issues and warnings fail nothing; an issue of no test is kept")
  func issues() {
    let known = Stream.issue("a", 0).replacingOccurrences(of: #""isKnown":false"#, with: #""isKnown":true"#)
    let warning = Stream.issue("a", 0).replacingOccurrences(of: #""isFailure":true"#, with: #""isFailure":false"#)
    let stray = Stream.issue("late", 0).replacingOccurrences(of: #","testID":"T.S\/t0()""#, with: "")
      .replacingOccurrences(of: #","testID":"T.S/t0()""#, with: "")
    let run = TestRun(eventStream: Stream.lines([nil]) + known + "\n" + warning + "\n" + stray)
    #expect(run.firstFailed == nil)
    #expect(run.otherIssues.map { $0.messages[0].text } == ["late"])
  }

  @Test("How a process ended and what it said make the outcome")
  func outcomes() {
    let (passed, failed, cut) = (Stream.run([nil]), Stream.run(["x"]), Stream.run([nil], upTo: 0))
    #expect(Outcome(.exited(0), passed, output: "", limit: 20) == .passed(passed))
    #expect(Outcome(.exited(1), failed, output: "", limit: 20) == .failed(failed))
    #expect(Outcome(.exited(1), passed, output: "", limit: 20) == .failed(passed))
    #expect(Outcome(.exited(0), cut, output: "o", limit: 20) == .left(code: 0, cut, output: "o"))
    #expect(Outcome(.signalled(4), cut, output: "o", limit: 20) == .crashed(signal: 4, cut, output: "o"))
    #expect(Outcome(.timedOut, cut, output: "o", limit: 20) == .timedOut(seconds: 20, cut, output: "o"))
    #expect(Outcome(.exited(0), Stream.run([]), output: "o", limit: 20) == .nothingRun(output: "o"))
    #expect(Outcome(.exited(1), TestRun(), output: "o", limit: 20) == .nothingRun(output: "o"))
  }

  @Test(
    "An issue is taken apart into what was expected and what came",
    arguments: [
      ("Expectation failed: (count → 41) == 42", "count == 42", "42", "41"),
      ("Expectation failed: (a.map(\\.b) → [(1)]) == ([c] → [(2)])", "a.map(\\.b) == [c]", "[(2)]", "[(1)]"),
      ("Expectation failed: (name → \")\") == \"x\"", "name == \"x\"", "\"x\"", "\")\""),
      ("Expectation failed: (n → 1) > 2", "n > 2", "more than 2", "1"),
      ("Expectation failed: (n → 1) != 1", "n != 1", "something else than 1", "1"),
      ("Expectation failed: object.isFault → false", "object.isFault", "true", "false"),
      ("Expectation failed: try count() == 1", "try count() == 1", "1", "something else"),
      ("Expectation failed: book → nil", "book", nil, "nil"),
      ("Caught error: Not written yet: it is so", nil, "it is so", "nothing yet: that part is not written"),
      (
        "Caught error: CocoaError(\"Not written yet: it is so\")", nil, "it is so",
        "nothing yet: that part is not written"
      ),
      ("Caught error: CocoaError(1550)", nil, nil, "an error: CocoaError(1550)"),
    ] as [(String, String?, String?, String?)])
  func failures(_ text: String, _ checked: String?, _ expected: String?, _ came: String?) {
    let failure = Failure(.init(messages: [.init(symbol: "fail", text: text)], file: "", line: 1))
    #expect(failure.checked == checked)
    #expect(failure.expected == expected)
    #expect(failure.came == came)
  }

  @Test(
    "An error is shown by its sentence, with domain and code behind it",
    arguments: [
      (
        #"Error Domain=NSCocoaErrorDomain Code=1570 "(null)"UserInfo={NSLocalizedDescription=title is required., NSValidationErrorKey=title}"#,
        "title is required. (NSCocoaErrorDomain 1570)"
      ),
      (#"[Error Domain=A Code=-2 "(null)", x]"#, "[A -2, x]"),
      (
        #"Error Domain=NSCocoaErrorDomain Code=260 "The file doesn’t exist."UserInfo={NSURL=file:///nope, NSUnderlyingError=Error Domain=P Code=2 "No such file"}"#,
        "The file doesn’t exist. (NSCocoaErrorDomain 260)"
      ),
      (
        #"a Error Domain=D Code=1 "(null)"UserInfo={in={x={}}, NSLocalizedDescription=One, two., NSLocalizedFailureReason=Because of {it}.} b"#,
        "a One, two. Because of {it}. (D 1) b"
      ),
      (#"Error Domain=D Code=1 "(null)"UserInfo={cut"#, "D 1"),
      ("CocoaError(1550)", "CocoaError(1550)"),
    ])
  func readableErrors(_ text: String, _ readable: String) {
    #expect(ErrorText.readable(text) == readable)
    let failure = Failure(.init(messages: [.init(symbol: "fail", text: "Caught error: \(text)")], file: "", line: 1))
    #expect(failure.came == "an error: \(readable)")
  }

  @Test("A build's progress is its last step, or what comes before the steps")
  func progress() {
    #expect(BuildProgress.words("") == "")
    #expect(BuildProgress.words("Fetching https://x/y\nFetched x\n") == "Fetching https://x/y")
    #expect(
      BuildProgress.words(
        "Building for debugging...\n[1/9] Write sources\n[12/345] Compiling CoreData A.swift\nwarning: x\n")
        == "step 12 of 345: Compiling CoreData A.swift")
    #expect(BuildProgress.words("[3/4] /a/b/all-tests.swift\n") == "step 3 of 4: all-tests.swift")
  }

  @Test("A terminal sees one line that is written over and then taken away; a file gets a line every 15 seconds")
  func progressLine() {
    var written: [String] = []
    var clock = 100.0
    let terminal = ProgressLine(isTerminal: true, columns: 24, write: { written.append($0) }, seconds: { clock })
    terminal.show("")
    terminal.show("step 1 of 2: Compiling CoreData")
    terminal.show("step 2 of 2")
    terminal.show("")
    #expect(written == ["\r\u{1B}[K  step 1 of 2: Compili…", "\r\u{1B}[K  step 2 of 2", "\r\u{1B}[K"])
    written = []
    let file = ProgressLine(isTerminal: false, write: { written.append($0) }, seconds: { clock })
    for second in 0...31 {
      clock = 100 + Double(second)
      file.show("step \(second)")
    }
    file.show("")
    #expect(written == ["  step 15\n", "  step 30\n"])
  }

  @Test("What the test adds is kept, and a bench's folder is cut short")
  func remarks() {
    let url = "file:///tmp/a/strata-exercise-D3DCF408-7F0A-4E25-A054-57F598BEC841/B.sqlite"
    let failure = Failure(
      .init(
        messages: [
          .init(symbol: "fail", text: "Expectation failed: (u → [\(url)]) == []"),
          .init(symbol: "difference", text: "…"),
          .init(symbol: "details", text: "There was one too many."),
        ], file: "", line: 1))
    #expect(failure.came == "[…/B.sqlite]")
    #expect(failure.remarks == ["There was one too many."])
  }

  @Test("The compiler's errors are read once each, and its pictures are passed over")
  func compilerErrors() {
    let line = "/a/Mine/01-X/X.swift:7:3: error: cannot find 'y' in scope"
    let output =
      "[1/2] Compiling\n\(line)\n 7 | y\n   | `- error: cannot find 'y' in scope\n\(line)\n/b.swift:1:1: warning: w\n"
    #expect(CompilerMessage.errors(in: output).map(\.message) == ["cannot find 'y' in scope"])
    #expect(CompilerMessage.errors(in: output).first?.line == 7)
    #expect(CompilerMessage.warnings(in: output).map(\.file) == ["/b.swift"])
  }

  @Test("Of a crash's output the program's own last lines are shown")
  func lastLines() {
    let output = """
      ◇ Test run started.
      ↳ Version
      own line
      A.swift:3: Fatal error: nil
      Current stack trace:
      0  libswiftCore.so
      """
    #expect(ProgramOutput.lastLines(output) == ["own line", "A.swift:3: Fatal error: nil"])
  }

  @Test("A command that takes too long is ended with all that it started")
  func limit() throws {
    let mark = FileManager.default.temporaryDirectory.appendingPathComponent("strata-mark-\(UUID().uuidString)")
    let script = "echo begun; (sleep 1; touch \(mark.path)) & sleep 60"
    let result = try CommandRunner.run(
      ["sh", "-c", script], environment: ProcessInfo.processInfo.environment, limit: 0.3)
    #expect(result.end == .timedOut)
    #expect(result.output == "begun\n")
    #expect(result.seconds < 2)
    // Past the time at which the child would have left its mark.
    usleep(1_500_000)
    #expect(!FileManager.default.fileExists(atPath: mark.path))
  }

  @Test("A command's end is its code or its signal")
  func ends() throws {
    func end(_ script: String) throws -> CommandResult.End {
      try CommandRunner.run(["sh", "-c", script], environment: ["A": "3", "PATH": "/usr/bin:/bin"], limit: 20).end
    }
    #expect(try end("exit $A") == .exited(3))
    #expect(try end("kill -4 $$") == .signalled(4))
    #expect(throws: LearningProblem.self) { try CommandRunner.run(["/no/such"], environment: [:], limit: 1) }
  }
}
