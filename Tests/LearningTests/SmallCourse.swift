import Foundation

@testable import Learning

/// A course of a few exercises in a fresh folder, in their form unless a test plants a mistake.
final class SmallCourse {
  let root: URL
  let names: [String]

  init(_ names: [String] = ["01-AddTheStore", "02-CountRows", "03-UndoOnce"]) throws {
    self.names = names
    root = FileManager.default.temporaryDirectory.appendingPathComponent("strata-course-\(UUID().uuidString)")
    try write(
      "Chapters/01-Stack/README.md",
      "# 1. The stack\n\n## Four properties\n\n\(ChapterLists.begin)\n\(ChapterLists.end)\n")
    try write(
      "Chapters/02-Undo/README.md",
      "# 2. Undo\n\n## One step back\n\n`Book.fetchRequest()`\n\n\(ChapterLists.begin)\n\(ChapterLists.end)\n")
    for name in names { try writeExercise(name) }
    try write("Chapters/Exercises/README.md", "# Exercises\n\n\(GoalsTable.begin)\n\(GoalsTable.end)\n")
    try updateGoals()
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  /// As it is on disk now.
  func course() throws -> Course { try Course(root: root) }

  func exercise(_ index: Int) throws -> Exercise { try course().exercises[index] }

  func path(_ exercise: String, _ part: String) -> String { "Chapters/Exercises/Exercises/\(exercise)/\(part)" }

  func write(_ path: String, _ text: String) throws {
    let file = root.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func read(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  func change(_ path: String, _ old: String, _ new: String) throws {
    let text = try read(path)
    precondition(text.contains(old), "\(path) has no \(old)")
    try write(path, text.replacingOccurrences(of: old, with: new))
  }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path) }

  func updateGoals() throws {
    let readme = "Chapters/Exercises/README.md"
    try write(readme, GoalsTable(course: try course()).written(into: try read(readme))!)
    try ChapterLists(course: try course()).write()
  }

  /// The text of a learner's file.
  func writeMine(_ exercise: Exercise, _ text: String) throws {
    try write(path("Mine/\(exercise.name)", "\(exercise.subject).swift"), text)
  }

  func readMine(_ exercise: Exercise) throws -> String {
    try read(path("Mine/\(exercise.name)", "\(exercise.subject).swift"))
  }

  private func writeExercise(_ name: String) throws {
    let subject = name.drop { $0 != "-" }.dropFirst()
    let function = subject.prefix(1).lowercased() + subject.dropFirst()
    let link = name == "03-UndoOnce" ? "02-Undo#one-step-back" : "01-Stack#four-properties"
    try write(
      path(name, "Guide.md"),
      """
      # \(NewExercise.title(String(subject)))

      Goal: the answer is known.
      Chapter: \(link)
      Model: its own, in the file
      Minutes: 5

      ## Hint 1

      What is asked?

      ## Hint 2

      Look at the section.

      ## Hint 3

      It is `42`.

      """)
    try write(
      path(name, "Stub/\(subject).swift"),
      """
      /// The answer.
      func \(function)() throws -> Int {
        // TODO: Give the answer.
        throw Unfinished("the answer is given")
      }

      """)
    try write(
      path(name, "Solution/\(subject).swift"),
      """
      /// The answer.
      func \(function)() throws -> Int {
        // What matters: it is this one.
        //= return 41
        return 42
      }

      """)
    try write(
      path(name, "Tests/\(subject)Tests.swift"),
      """
      @Suite("\(name.prefix(2)) The title", .serialized)
      struct \(subject)Tests {
        @Test("The answer is 42")
        func answer() throws { #expect(try \(function)() == 42) }
      }

      """)
  }
}

/// Gives results that a test has chosen, and notes what was asked.
final class FakeRunner: ExerciseRunner {
  var isFirstBuild = false
  var hasBuiltModule = false
  var builds: [BuildResult] = []
  var outcomes: [Outcome] = []
  /// Looked at first; for proofs: by variant and suite.
  var outcome: ((Selection, String?) -> Outcome)?
  private(set) var selections: [Selection] = []

  func build(_ selection: Selection) throws -> BuildResult {
    selections.append(selection)
    return builds.isEmpty ? BuildResult(hasSucceeded: true) : builds.removeFirst()
  }

  func test(suite: String?) throws -> (outcome: Outcome, seconds: Double) {
    (outcome?(selections.last!, suite) ?? outcomes.removeFirst(), 0)
  }
}

/// Runs of tests as Swift Testing would tell of them.
enum Stream {
  static let file = "/x/Tests.swift"

  /// The lines of a stream. `failures`: the messages of a test's issue, by its place; nil: it passes.
  static func lines(_ failures: [String?], upTo: Int? = nil) -> String {
    var lines: [String] = []
    for index in failures.indices {
      lines.append(
        #"{"kind":"test","payload":{"displayName":"Sentence \#(index + 1)","id":"T.S/t\#(index)()","kind":"function","name":"t\#(index)()","sourceLocation":{"_filePath":"\#(file)","filePath":"\#(file)","line":\#(10 * index + 10),"column":4}},"version":"6.3.0"}"#
      )
    }
    for (index, failure) in failures.enumerated() {
      lines.append(event("testStarted", index))
      if index == upTo { return lines.joined(separator: "\n") + "\n" }
      if let failure { lines.append(issue(failure, index)) }
      lines.append(event("testEnded", index))
    }
    lines.append(#"{"kind":"event","payload":{"kind":"runEnded","messages":[]},"version":"6.3.0"}"#)
    return lines.joined(separator: "\n") + "\n"
  }

  static func issue(_ message: String, _ index: Int, more: String = "") -> String {
    let text = String(decoding: try! JSONEncoder().encode(message), as: UTF8.self)
    return
      #"{"kind":"event","payload":{"issue":{"isFailure":true,"isKnown":false,"sourceLocation":{"filePath":"\#(file)","line":\#(10 * index + 12),"column":5}},"kind":"issueRecorded","messages":[{"symbol":"fail","text":\#(text)}\#(more)],"testID":"T.S/t\#(index)()"},"version":"6.3.0"}"#
  }

  static func event(_ kind: String, _ index: Int) -> String {
    #"{"kind":"event","payload":{"kind":"\#(kind)","messages":[],"testID":"T.S/t\#(index)()"},"version":"6.3.0"}"#
  }

  static func run(_ failures: [String?], upTo: Int? = nil) -> TestRun {
    TestRun(eventStream: lines(failures, upTo: upTo))
  }

  static let passed = Outcome.passed(run([nil, nil]))
  static let failed = Outcome.failed(run([nil, "Expectation failed: (count → 41) == 42"]))
  static let unfinished = Outcome.failed(
    run(["Caught error: Not written yet: the answer is given", "Caught error: Not written yet: the answer is given"]))
}
