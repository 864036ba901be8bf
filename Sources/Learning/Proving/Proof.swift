import Foundation

/// Proves that every exercise works: its stub fails, its solution passes, and its tests catch the deliberate mistake.
///
/// Three builds, each of all exercises together; each exercise's tests run in a process of their own.
package struct Proof {
  let course: Course
  let runner: any ExerciseRunner
  /// Called with a line for each step, to show progress.
  let note: (String) -> Void

  package init(course: Course, runner: any ExerciseRunner, note: @escaping (String) -> Void = { _ in }) {
    self.course = course
    self.runner = runner
    self.note = note
  }

  package func problems() throws -> [ExerciseProblem] {
    let form = FormCheck(course: course)
    var problems = form.problems()
    try writeMutants(form)
    defer { try? FileManager.default.removeItem(at: course.mutants) }
    var counts: [String: Int] = [:]
    for variant in Variant.allCases {
      let start = ContinuousClock.now
      let build = try runner.build(.all(variant.rawValue))
      guard build.hasSucceeded else {
        problems += Self.problems(ofBuild: build.output, variant, course)
        continue
      }
      for warning in CompilerMessage.warnings(in: build.output)
      where variant != .mutant && warning.file.hasPrefix(course.exercisesFolder.path) {
        note("Warning: \(course.shown(warning.file)):\(warning.line): \(warning.message)")
      }
      let seconds = String(format: "%.1f s", build.seconds)
      note("\(variant.rawValue): built in \(seconds).")
      for exercise in course.exercises {
        let outcome = try runner.test(suite: exercise.suite).outcome
        if let sentence = Verdict.problem(variant, outcome) {
          problems.append(ExerciseProblem(exercise.name, sentence))
        }
        guard let count = Verdict.testCount(outcome) else { continue }
        if let before = counts[exercise.name], before != count {
          problems.append(
            ExerciseProblem(exercise.name, "\(count) tests run with \(variant.noun), and \(before) with the stub"))
        }
        counts[exercise.name] = counts[exercise.name] ?? count
      }
      let all = (ContinuousClock.now - start).components
      note("\(variant.rawValue): \(course.exercises.count) suites run; \(all.seconds) s with the build.")
    }
    return problems
  }

  /// `42 exercises: stubs fail, solutions pass, mutants are caught`
  package var summary: String {
    let count = course.exercises.count
    return "\(count) exercise\(count == 1 ? "" : "s"): stubs fail, solutions pass, mutants are caught"
  }

  /// Returns the exercises that break the build, with the compiler's messages.
  package static func problems(ofBuild output: String, _ variant: Variant, _ course: Course) -> [ExerciseProblem] {
    let errors = CompilerMessage.errors(in: output)
    var named: [ExerciseProblem] = []
    for exercise in course.exercises {
      guard let error = errors.first(where: { $0.file.contains("/\(exercise.name)/") }) else { continue }
      named.append(
        ExerciseProblem(
          exercise.name, "\(variant.noun) does not compile: \(course.shown(error.file)):\(error.line): \(error.message)"
        ))
    }
    if !named.isEmpty { return named }
    let telling = output.components(separatedBy: "\n").filter { $0.contains("error:") }
    let words = (telling.isEmpty ? output.components(separatedBy: "\n").suffix(5) : telling.prefix(5)).joined(
      separator: "\n  ")
    return [ExerciseProblem(nil, "\(variant.noun)s can't be built:\n  \(words)")]
  }

  /// Writes copies of the solutions with their mistakes in. An exercise without a usable mark keeps its solution, so
  /// that the others can be built.
  private func writeMutants(_ form: FormCheck) throws {
    try? FileManager.default.removeItem(at: course.mutants)
    for exercise in course.exercises {
      let folder = course.mutants.appendingPathComponent(exercise.name, isDirectory: true)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let mutants = form.mutants(exercise)
      for file in SourceFolder.files(in: exercise.solution) {
        let name = file.lastPathComponent
        let text = try mutants[name] ?? String(contentsOf: file, encoding: .utf8)
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
      }
    }
  }
}
