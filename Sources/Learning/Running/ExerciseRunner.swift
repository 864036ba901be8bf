import Foundation

/// What is built together.
package enum Selection: Equatable, Sendable {
  /// One exercise, as the learner has it.
  case mine(String)
  /// All, from the folder of this name: `Stub`, `Solution`, `Mutants`.
  case all(String)
}

package struct BuildResult: Sendable {
  package var hasSucceeded: Bool
  package var output: String
  /// Of the whole command.
  package var seconds: Double
  /// What SwiftPM says that building took; the rest is its start, the manifest and the plan.
  package var buildSeconds: Double?

  package init(hasSucceeded: Bool, output: String = "", seconds: Double = 0, buildSeconds: Double? = nil) {
    self.hasSucceeded = hasSucceeded
    self.output = output
    self.seconds = seconds
    self.buildSeconds = buildSeconds
  }
}

/// Builds exercises and runs their tests.
package protocol ExerciseRunner {
  /// Whether no exercise was built yet.
  var isFirstBuild: Bool { get }
  /// Whether the module is there already, as it is after a build of the chapters or of an exercise.
  var hasBuiltModule: Bool { get }
  func build(_ selection: Selection) throws -> BuildResult
  /// Runs what was built last, or of it one suite.
  func test(suite: String?) throws -> (outcome: Outcome, seconds: Double)
}

/// With SwiftPM, and the test program it makes, which is run directly: `swift test` would plan a second time.
package struct SwiftRunner: ExerciseRunner {
  package let course: Course
  package let scratch: URL
  /// Seconds for one run of tests.
  package var testLimit = 20
  /// Told about each second how far a build is, as `BuildProgress` words it, and "" when it is over.
  package var note: ((String) -> Void)?
  private static let buildLimit = 1800.0

  package init(course: Course, scratch: URL? = nil) {
    self.course = course
    self.scratch = scratch ?? course.root.appendingPathComponent(".build", isDirectory: true)
  }

  private var program: URL { scratch.appendingPathComponent("debug/StrataExercisesPackageTests.xctest") }

  package var isFirstBuild: Bool { !FileManager.default.fileExists(atPath: program.path) }

  package var hasBuiltModule: Bool {
    FileManager.default.fileExists(atPath: scratch.appendingPathComponent("debug/Modules/CoreData.swiftmodule").path)
  }

  package func build(_ selection: Selection) throws -> BuildResult {
    var environment = ProcessInfo.processInfo.environment
    environment["STRATA_EXERCISE"] = nil
    environment["STRATA_EXERCISE_VARIANT"] = nil
    switch selection {
    case .mine(let name): environment["STRATA_EXERCISE"] = name
    case .all(let variant): environment["STRATA_EXERCISE_VARIANT"] = variant
    }
    var command = [
      "swift", "build", "--build-tests", "--package-path", course.root.path, "--scratch-path", scratch.path,
    ]
    // Once the dependencies are there, nothing is to be asked of anybody.
    if !isFirstBuild { command += ["--disable-automatic-resolution", "--skip-update"] }
    let result = try CommandRunner.run(command, environment: environment, limit: Self.buildLimit, note: noteStep)
    note?("")
    let seconds = result.output.firstMatch(of: #/Build complete! \(([0-9.]+)s\)/#).flatMap { Double($0.1) }
    return BuildResult(
      hasSucceeded: result.end == .exited(0), output: result.output, seconds: result.seconds, buildSeconds: seconds)
  }

  private func noteStep(_ output: String) {
    note?(BuildProgress.words(output))
  }

  package func test(suite: String?) throws -> (outcome: Outcome, seconds: Double) {
    let stream = FileManager.default.temporaryDirectory.appendingPathComponent("strata-events-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: stream) }
    var command = [program.path, "--testing-library", "swift-testing", "--event-stream-output-path", stream.path]
    if let suite { command += ["--filter", #"^ExerciseTests\.\#(suite)(/|$)"#] }
    // As a learner's program runs; and a trap says its line at once instead of a page of addresses.
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COREDATA_") }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let result = try CommandRunner.run(command, environment: environment, limit: Double(testLimit))
    let events = String(decoding: (try? Data(contentsOf: stream)) ?? Data(), as: UTF8.self)
    return (
      Outcome(result.end, TestRun(eventStream: events), output: result.output, limit: testLimit), result.seconds
    )
  }
}
