import Foundation

/// The outcome of a run of tests.
package enum Outcome: Equatable, Sendable {
  case passed(TestRun)
  /// The run ended normally, with at least one issue.
  case failed(TestRun)
  /// A signal ended the run.
  case crashed(signal: Int32, TestRun, output: String)
  /// A call of `exit` ended the run in the middle.
  case left(code: Int32, TestRun, output: String)
  case timedOut(seconds: Int, TestRun, output: String)
  /// The build failed. `output` is everything that it printed.
  case notBuilt([CompilerMessage], output: String)
  /// No test ran at all, which `swift test` would report as a success.
  case nothingRun(output: String)

  /// Derives the outcome from the end of the process and from its event stream.
  package init(_ end: CommandResult.End, _ run: TestRun, output: String, limit: Int) {
    switch end {
    case .signalled(let signal): self = .crashed(signal: signal, run, output: output)
    case .timedOut: self = .timedOut(seconds: limit, run, output: output)
    case .exited(let code):
      if run.isComplete, run.startedCount == 0 {
        self = .nothingRun(output: output)
      } else if !run.isComplete {
        self = run.tests.isEmpty ? .nothingRun(output: output) : .left(code: code, run, output: output)
      } else {
        self = code == 0 && run.firstFailed == nil ? .passed(run) : .failed(run)
      }
    }
  }

  package var hasPassed: Bool { if case .passed = self { true } else { false } }
}

package enum SignalName {
  package static func text(_ signal: Int32) -> String {
    switch signal {
    case SIGILL: "SIGILL: a trap of Swift, as for nil behind ! or an index out of range"
    case SIGTRAP: "SIGTRAP: a trap of Swift, as for nil behind ! or an index out of range"
    case SIGSEGV: "SIGSEGV: memory that is not there; endless recursion does this"
    case SIGABRT: "SIGABRT: something in the program gave up"
    case SIGBUS: "SIGBUS: memory that can't be read"
    case SIGFPE: "SIGFPE: arithmetic"
    case SIGKILL: "SIGKILL: killed from outside, maybe for want of memory"
    default: "signal \(signal)"
    }
  }
}

/// The program's own output, without the lines of the testing library and of stack traces.
package enum ProgramOutput {
  package static func lastLines(_ output: String, count: Int = 8) -> [String] {
    var lines: [String] = []
    var isTrace = false
    for line in output.components(separatedBy: "\n") {
      if line.hasPrefix("Current stack trace:") || line.hasPrefix("*** ") { isTrace = true }
      if let first = line.first, "◇↳✔✘±✖➜↻".contains(first) {
        isTrace = false
        continue
      }
      if !isTrace, !line.trimmingCharacters(in: .whitespaces).isEmpty { lines.append(line) }
    }
    return lines.suffix(count)
  }
}
