import Foundation

/// A learner at work: takes commands, keeps the progress, and prints screens.
package final class Session {
  package let course: Course
  package private(set) var progress: Progress
  private let runner: any ExerciseRunner
  private let files: LearnerFiles
  private let hasColours: Bool
  private let print: (String) -> Void
  /// Whether saving a file runs the tests; the screens then speak of that, and not of commands.
  package var isWatching = false
  /// Prints how long each part took.
  package var showsTimings = false
  /// The clock for the time when an exercise passed.
  package var now: () -> Date = { Date() }

  /// Reads the progress. If some lines can't be read, keeps the old file aside and says so.
  package init(
    course: Course, runner: any ExerciseRunner, hasColours: Bool = false, print: @escaping (String) -> Void
  ) throws {
    self.course = course
    self.runner = runner
    self.hasColours = hasColours
    self.print = print
    files = LearnerFiles(course: course)
    let (progress, keptAside) = try ProgressFile.read(course.progressFile)
    self.progress = progress
    self.progress.follow(course.exercises)
    // First the folders: if that is interrupted, the next call finds the rest.
    let moves = try files.follow()
    if keptAside != nil || self.progress != progress { try save() }
    if let keptAside { show(screens.keptAside(keptAside)) }
    show(screens.renumbered(moves))
  }

  private var screens: ExerciseScreens {
    ExerciseScreens(course: course, progress: progress, hasColours: hasColours, isWatching: isWatching)
  }
  private func show(_ screen: Screen) { if !screen.lines.isEmpty { print(screen.text) } }
  private func save() throws { try ProgressFile.write(progress, to: course.progressFile) }

  package var current: Exercise? { progress.current(of: course.exercises) }

  /// Reads the progress again: a hint or a skip in another window is in the file alone.
  package func reloadProgress() throws {
    let (progress, keptAside) = try ProgressFile.read(course.progressFile)
    self.progress = progress
    self.progress.follow(course.exercises)
    guard let keptAside else { return }
    // The file is away, so what was understood goes into its place.
    try save()
    show(screens.keptAside(keptAside))
  }

  // MARK: Running

  /// Runs the first open exercise, and goes on as long as exercises pass.
  ///
  /// - Returns: whether at least one exercise passed, or none was left.
  @discardableResult
  package func goOn() throws -> Bool {
    if progress == Progress() { show(screens.welcome()) }
    var hasPassedOne = false
    while let exercise = current {
      let isNew = !progress.hasBegun(exercise.name)
      try prepare(exercise)
      if hasPassedOne, isNew, files.isUntouched(exercise) {
        show(screens.introduction(exercise))
        return true
      }
      guard try run(exercise) else { return hasPassedOne }
      hasPassedOne = true
    }
    show(screens.allDone())
    return true
  }

  /// Builds and runs one exercise, whatever its state.
  ///
  /// - Returns: whether it passes.
  @discardableResult
  package func run(_ exercise: Exercise) throws -> Bool {
    try prepare(exercise)
    if runner.isFirstBuild { show(screens.firstBuild(hasModule: runner.hasBuiltModule)) }
    let outcome = try outcome(of: exercise)
    progress[exercise.name].attempts += 1
    if outcome.hasPassed {
      if progress[exercise.name].passed == nil { progress[exercise.name].passed = now() }
      progress[exercise.name].isSkipped = false
    }
    try save()
    var screen = Screen(hasColours: hasColours)
    if !outcome.hasPassed {
      screen.append(screens.head(exercise))
      screen.blank()
    }
    screen.append(screens.result(outcome, exercise))
    screen.blank()
    show(screen)
    return outcome.hasPassed
  }

  private func outcome(of exercise: Exercise) throws -> Outcome {
    let build = try runner.build(.mine(exercise.name))
    guard build.hasSucceeded else {
      showTimings(build, tests: nil)
      return .notBuilt(CompilerMessage.errors(in: build.output), output: build.output)
    }
    let (outcome, seconds) = try runner.test(suite: nil)
    showTimings(build, tests: seconds)
    return outcome
  }

  private func showTimings(_ build: BuildResult, tests: Double?) {
    guard showsTimings else { return }
    let figure = { (seconds: Double) in String(format: "%.2f s", seconds) }
    var parts: [String] = []
    if let inner = build.buildSeconds {
      parts += ["start and manifest \(figure(max(0, build.seconds - inner)))", "plan and build \(figure(inner))"]
    } else {
      parts.append("build \(figure(build.seconds))")
    }
    if let tests { parts.append("tests \(figure(tests))") }
    print(parts.joined(separator: ", ") + "\n")
  }

  private func prepare(_ exercise: Exercise) throws {
    let preparation = try files.prepare(exercise, hasBegun: progress.hasBegun(exercise.name))
    if !progress.hasBegun(exercise.name) {
      progress[exercise.name] = Progress.Entry()
      try save()
    }
    show(screens.prepared(preparation, exercise))
  }

  // MARK: Other commands

  package func list() { show(screens.list()) }

  /// The model that the exercises share.
  package func model() throws { show(screens.model(try ExerciseModel(course: course))) }

  /// Shows an exercise without building it.
  package func introduce(_ exercise: Exercise) throws {
    try prepare(exercise)
    show(screens.introduction(exercise))
  }

  /// Shows the next hint; after the last one, shows it again.
  package func hint(_ exercise: Exercise) throws {
    let count = exercise.guide.hints.count
    let number = min(progress[exercise.name].hints + 1, count)
    show(screens.hint(number, exercise))
    progress[exercise.name].hints = max(number, 0)
    try save()
  }

  /// Marks the current exercise as skipped, and shows the next.
  package func skip() throws {
    guard let exercise = current else {
      show(screens.allDone())
      return
    }
    progress[exercise.name].isSkipped = true
    try save()
    print("Skipped: \(exercise.title). To take it up again: swift run learn run \(exercise.number)\n\n")
    if let next = current { try introduce(next) } else { show(screens.allDone()) }
  }

  package func reset(_ exercise: Exercise) throws {
    let places = try files.reset(exercise)
    progress[exercise.name].passed = nil
    progress[exercise.name].isSkipped = false
    try save()
    var screen = Screen(hasColours: hasColours)
    if places.isEmpty {
      screen.say("\(exercise.title) is as the book has it. You had not changed it.")
    } else {
      screen.say("\(exercise.title) starts over. What you wrote is kept here:")
      for place in places { screen.path("", course.shown(place)) }
    }
    show(screen)
  }

  /// Shows the difference between the learner's code and the solution.
  ///
  /// - Throws: `LearningProblem` before the exercise is passed, unless `evenOpen`.
  package func solution(_ exercise: Exercise, evenOpen: Bool) throws {
    guard evenOpen || progress[exercise.name].passed != nil else {
      throw LearningProblem(
        "\(exercise.title) is not passed yet. To see its solution anyway: swift run learn solution \(exercise.number) --show"
      )
    }
    for file in SourceFolder.files(in: exercise.solution) {
      let solved = Mutation.unmarked(try String(contentsOf: file, encoding: .utf8))
      let place = course.mine(exercise).appendingPathComponent(file.lastPathComponent)
      let own = (try? String(contentsOf: place, encoding: .utf8)) ?? ""
      let difference = TextDifference.unified(
        from: own, named: "yours: \(course.shown(place))", to: solved, named: "the book's")
      if difference.isEmpty {
        print("\(file.lastPathComponent): yours is the same as the book's, to the letter.\n")
      } else {
        print(difference.map { toned($0) + "\n" }.joined())
      }
    }
  }

  private func toned(_ line: String) -> String {
    guard hasColours else { return line }
    switch line.first {
    case "+": return "\u{1B}[32m\(line)\u{1B}[0m"
    case "-": return "\u{1B}[31m\(line)\u{1B}[0m"
    default: return line
    }
  }
}
