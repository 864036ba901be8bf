/// The sources that a run was made with.
package enum Variant: String, CaseIterable, Sendable {
  case stub = "Stub"
  case solution = "Solution"
  case mutant = "Mutants"

  package var noun: String {
    switch self {
    case .stub: "the stub"
    case .solution: "the solution"
    case .mutant: "the mutant"
    }
  }
}

/// Judges an exercise by the outcome of its tests.
package enum Verdict {
  /// Returns a sentence about the problem; nil if the outcome is right.
  package static func problem(_ variant: Variant, _ outcome: Outcome) -> String? {
    switch outcome {
    case .passed:
      switch variant {
      case .stub: return "the stub passes its tests, so there is nothing to do"
      case .mutant: return "the tests pass with the solution's `//=` mistake in; they don't see what matters"
      case .solution: return nil
      }
    case .failed(let run):
      guard variant == .solution else {
        return run.firstFailed == nil ? "\(variant.noun) fails, and no test says why" : nil
      }
      guard let issue = run.firstFailed?.issues.first ?? run.otherIssues.first else {
        return "the solution fails, and no test says why"
      }
      let words = issue.messages.map { Failure.readable($0.text) }.joined(separator: "; ")
      return "the solution fails: \(run.firstFailed?.sentence ?? "outside of its tests"): \(words)"
    case .crashed(let signal, let run, let output):
      let last = ProgramOutput.lastLines(output, count: 1).first.map { ": \($0)" } ?? ""
      return "\(variant.noun) crashes with signal \(signal)\(inTest(run))\(last)"
    case .left(let code, let run, _): return "\(variant.noun) ends the program with code \(code)\(inTest(run))"
    case .timedOut(let seconds, let run, _): return "\(variant.noun) has not ended after \(seconds) s\(inTest(run))"
    case .notBuilt: return "\(variant.noun) does not compile"
    case .nothingRun: return "with \(variant.noun) no test is run"
    }
  }

  /// Returns the number of tests that were started; nil if the run did not reach its end.
  package static func testCount(_ outcome: Outcome) -> Int? {
    switch outcome {
    case .passed(let run), .failed(let run): run.startedCount
    default: nil
    }
  }

  private static func inTest(_ run: TestRun) -> String { run.interrupted.map { " in \"\($0.sentence)\"" } ?? "" }
}
