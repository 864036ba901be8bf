import Foundation

/// The screens for the result of a run, with the place to look at.
extension ExerciseScreens {
  package func result(_ outcome: Outcome, _ exercise: Exercise) -> Screen {
    var screen = screen()
    switch outcome {
    case .passed(let run): passed(run, exercise, &screen)
    case .failed(let run): failed(run, exercise, &screen)
    case .crashed(let signal, let run, let output): crashed(signal, run, output, exercise, &screen)
    case .left(let code, let run, let output):
      screen.say("The program exited with code \(code), in the middle of a test.", .bad)
      interrupted(run, &screen)
      lastLines(output, &screen)
    case .timedOut(let seconds, let run, _):
      screen.say("It had not ended after \(seconds) seconds, and was stopped.", .bad)
      interrupted(run, &screen)
      screen.say(
        "Look for a loop that never ends, or for two sides that wait for each other, such as a context that waits for its own queue.",
        indent: 2)
    case .notBuilt(let errors, let output): notBuilt(errors, output, exercise, &screen)
    case .nothingRun(let output):
      screen.say(
        "No test was run, so you can't know whether it is right. The exercise's folder Tests must have tests.", .bad)
      lastLines(output, &screen)
    }
    guard !outcome.hasPassed else { return screen }
    screen.blank()
    if Self.isAboutTheSubject(outcome) {
      appendSection(exercise, to: &screen, progress[exercise.name].attempts > 1 ? "Reread" : "Read")
      screen.blank()
    }
    wayOn(exercise, &screen)
    return screen
  }

  private func passed(_ run: TestRun, _ exercise: Exercise, _ screen: inout Screen) {
    let tests = run.startedCount == 1 ? "its test passes" : "all \(run.startedCount) tests pass"
    screen.say("\(exercise.title): \(tests).", .good)
    screen.say("See how the book does it, and what matters there: swift run learn solution \(exercise.number)")
  }

  private func failed(_ run: TestRun, _ exercise: Exercise, _ screen: inout Screen) {
    guard let test = run.firstFailed, let issue = test.issues.first else {
      screen.say("The run failed, although no test did:", .bad)
      for issue in run.otherIssues.prefix(1) {
        describe(Failure(issue), &screen)
        screen.path("At", "\(course.shown(issue.file)):\(issue.line)", indent: 4)
      }
      return
    }
    screen.say("\(run.passedCount) of \(run.startedCount) tests pass. The first that does not:")
    screen.blank()
    screen.say(test.sentence, .bad, indent: 2)
    describe(Failure(issue), &screen)
    place(Failure(issue), issue, exercise, &screen)
  }

  private func describe(_ failure: Failure, _ screen: inout Screen) {
    for remark in failure.remarks { screen.say(remark, indent: 4) }
    if let expected = failure.expected { screen.field("Expected", expected, indent: 4) }
    if let came = failure.came { screen.field("Got", came, indent: 4) }
    if let checked = failure.checked { screen.field("Checked", checked, indent: 4) }
  }

  private func place(_ failure: Failure, _ issue: TestRun.Issue, _ exercise: Exercise, _ screen: inout Screen) {
    let files = LearnerFiles(course: course)
    // Swift doesn't tell where an error was thrown. For an unfinished part, its sentence leads to the line.
    guard let sentence = failure.unfinished, let thrown = files.line(of: "\"\(sentence)\"", in: exercise) else {
      screen.path("At", "\(course.shown(issue.file)):\(issue.line)", indent: 4)
      return
    }
    screen.path("At", "\(course.shown(thrown.file)):\(thrown.line)", indent: 4)
    if files.line(of: "TODO", in: exercise) == nil {
      screen.blank()
      screen.say(
        "The TODO is gone, but the line with `throw Unfinished` is still there. Put your code in its place.",
        indent: 2)
    }
  }

  private func crashed(
    _ signal: Int32, _ run: TestRun, _ output: String, _ exercise: Exercise, _ screen: inout Screen
  ) {
    screen.say("The program crashed, and took the remaining tests with it.", .bad)
    screen.field("Signal", SignalName.text(signal), indent: 4)
    interrupted(run, &screen)
    let files = LearnerFiles(course: course).files(exercise)
    for line in ProgramOutput.lastLines(output) {
      guard
        let match = line.firstMatch(
          of: #/^[^ :]*?([^\/ :]+\.swift):(\d+): (Fatal error|Precondition failed|Assertion failed)/#),
        let file = files.first(where: { $0.lastPathComponent == String(match.1) })
      else { continue }
      screen.path("At", "\(course.shown(file)):\(match.2)", indent: 4)
    }
    lastLines(output, &screen)
  }

  private func interrupted(_ run: TestRun, _ screen: inout Screen) {
    if let test = run.interrupted { screen.field("In test", test.sentence, indent: 4) }
  }

  private func lastLines(_ output: String, _ screen: inout Screen) {
    let lines = ProgramOutput.lastLines(output)
    guard !lines.isEmpty else { return }
    screen.say("Its last words:", indent: 4)
    screen.verbatim(lines, indent: 6)
  }

  private func notBuilt(_ errors: [CompilerMessage], _ output: String, _ exercise: Exercise, _ screen: inout Screen) {
    let folder = course.mine(exercise).path + "/"
    guard let error = errors.first(where: { $0.file.hasPrefix(folder) }) ?? errors.first else {
      screen.say("The exercise can't be built.", .bad)
      let lines = output.components(separatedBy: "\n").filter { !$0.isEmpty }
      let telling = lines.filter { $0.contains("error:") }
      screen.verbatim(Array(telling.isEmpty ? lines.suffix(8) : telling.prefix(8)), indent: 4)
      return
    }
    let count =
      errors.count == 1 ? "" : " The compiler has \(errors.count) errors; the first is often the reason for the others."
    screen.say("It does not compile.\(count)", .bad)
    screen.path("At", "\(course.shown(error.file)):\(error.line):\(error.column)", indent: 4)
    screen.field("Error", error.message, indent: 4)
    if let line = sourceLine(error) {
      screen.path("Line", Screen.cut(line.trimmingCharacters(in: .whitespaces), to: Screen.width - 14), indent: 4)
    }
    if error.file.hasPrefix(exercise.tests.path + "/") {
      screen.blank()
      screen.say(
        "That is in the tests. They use a name or a type that your file no longer has, or has changed.", indent: 2)
    }
  }

  private func sourceLine(_ error: CompilerMessage) -> String? {
    let lines = ((try? String(contentsOfFile: error.file, encoding: .utf8)) ?? "").components(separatedBy: "\n")
    return lines.indices.contains(error.line - 1) ? lines[error.line - 1] : nil
  }

  /// Whether the chapter explains the problem better than the compiler does.
  private static func isAboutTheSubject(_ outcome: Outcome) -> Bool {
    switch outcome {
    case .failed, .crashed, .timedOut, .left: true
    case .passed, .notBuilt, .nothingRun: false
    }
  }

  private func wayOn(_ exercise: Exercise, _ screen: inout Screen) {
    let isCurrent = progress.current(of: course.exercises)?.name == exercise.name
    var lines = [
      "again   \(isWatching ? "save the file" : command("", exercise))", "a hint  \(command("hint", exercise))",
    ]
    if isCurrent { lines.append("later   \(command("skip", exercise))") }
    if isWatching { lines[1] += ", in another window" }
    screen.code(lines, .faint)
  }
}
