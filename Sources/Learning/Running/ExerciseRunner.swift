import Foundation

/// Selects what to build.
package enum Selection: Equatable, Sendable {
  /// One exercise with the learner's files.
  case mine(String)
  /// All exercises, from the folders with this name: `Stub`, `Solution` or `Mutants`.
  case all(String)
}

package struct BuildResult: Sendable {
  package var hasSucceeded: Bool
  package var output: String
  /// The time of the whole command.
  package var seconds: Double
  /// The time that SwiftPM reports for building. The rest is start-up, the manifest and planning.
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
  /// Whether no exercise has been built yet.
  var isFirstBuild: Bool { get }
  /// Whether the module is built already, as it is after a build of the chapters or of an exercise.
  var hasBuiltModule: Bool { get }
  func build(_ selection: Selection) throws -> BuildResult
  /// Runs the tests of the last build: all of them, or one suite.
  func test(suite: String?) throws -> (outcome: Outcome, seconds: Double)
}

/// Builds with SwiftPM, and runs the resulting test program directly, because `swift test` would plan the build again.
package struct SwiftRunner: ExerciseRunner {
  package let course: Course
  package let scratch: URL
  /// The seconds that a run of tests may take.
  package var testLimit = 20
  /// Called about once a second with the progress of a build in the words of `BuildProgress`, and with "" at its end.
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
    // Once the dependencies are resolved, a build needs no network.
    if !isFirstBuild { command += ["--disable-automatic-resolution", "--skip-update"] }
    let result = try CommandRunner.run(command, environment: environment, limit: Self.buildLimit, note: noteStep)
    note?("")
    if result.end == .timedOut {
      throw LearningProblem("A build had not ended after \(Int(Self.buildLimit / 60)) minutes:\n\(result.output)")
    }
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
    // Runs as a learner's program does. Without the backtrace, a trap prints its message and no page of addresses.
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COREDATA_") }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let result = try CommandRunner.run(command, environment: environment, limit: Double(testLimit))
    let events = String(decoding: (try? Data(contentsOf: stream)) ?? Data(), as: UTF8.self)
    return (
      Outcome(result.end, TestRun(eventStream: events), output: result.output, limit: testLimit), result.seconds
    )
  }
}
