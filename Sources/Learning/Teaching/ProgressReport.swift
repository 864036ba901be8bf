import Foundation

/// The progress of a class, from the learners' progress files.
package struct ProgressReport {
  package struct Learner: Sendable {
    package var name: String
    package var progress: Progress

    package init(name: String, progress: Progress) {
      self.name = name
      self.progress = progress
    }
  }

  package let exercises: [Exercise]
  package let learners: [Learner]

  package init(exercises: [Exercise], learners: [Learner]) {
    self.exercises = exercises
    self.learners = learners.map { learner in
      var learner = learner
      learner.progress.follow(exercises)
      return learner
    }
  }

  /// - Parameter paths: progress files, checkouts, or folders that contain one of these for each learner. A learner's
  ///   name is that of the file or of the folder.
  /// - Throws: `LearningProblem` for a path without progress files, and for a file that can't be read.
  package static func learners(at paths: [String]) throws -> [Learner] {
    try paths.flatMap { path -> [Learner] in
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw LearningProblem("There is nothing at \(path).")
      }
      let url = URL(fileURLWithPath: path).standardizedFileURL
      if !isFolder.boolValue { return [try learner(url, named: name(ofFile: url))] }
      if let file = stateFile(in: url) { return [try learner(file, named: url.lastPathComponent)] }
      let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
      let found = try names.compactMap { name -> Learner? in
        let inside = url.appendingPathComponent(name)
        if let file = stateFile(in: inside) { return try learner(file, named: name) }
        return name.hasSuffix(".txt") ? try learner(inside, named: String(name.dropLast(4))) : nil
      }
      guard !found.isEmpty else { throw LearningProblem("There is no progress.txt in \(path) or one folder below.") }
      return found
    }
  }

  private static func name(ofFile file: URL) -> String {
    let name = file.deletingPathExtension().lastPathComponent
    guard name == "progress" else { return name }
    var folder = file.deletingLastPathComponent().path
    if folder.hasSuffix("/Chapters/Exercises/Exercises/Mine") {
      folder = String(folder.dropLast("/Chapters/Exercises/Exercises/Mine".count))
    }
    return URL(fileURLWithPath: folder).lastPathComponent
  }

  private static func stateFile(in folder: URL) -> URL? {
    ["progress.txt", "Mine/progress.txt", "Chapters/Exercises/Exercises/Mine/progress.txt"]
      .map { folder.appendingPathComponent($0) }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }

  private static func learner(_ file: URL, named name: String) throws -> Learner {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else {
      throw LearningProblem("\(file.path) is not a text.")
    }
    var strange: [String] = []
    let progress = Progress(text: text, strangeLines: &strange)
    guard strange.isEmpty else { throw LearningProblem("\(file.path) has a line that can't be read: \(strange[0])") }
    return Learner(name: name, progress: progress)
  }

  // MARK: Tables

  package func screen(hasColours: Bool = false) -> Screen {
    var screen = Screen(hasColours: hasColours)
    let names = min(20, max(7, learners.map(\.name.count).max() ?? 0))
    let padded = { (text: String) in String(text.prefix(names)).padding(toLength: names, withPad: " ", startingAt: 0) }
    screen.code(["x passed   - skipped   o tried   . not begun"], .faint)
    screen.blank()
    // With 40 exercises, a line still has room for the name and the sum.
    for start in stride(from: 0, to: exercises.count, by: 40) {
      let part = exercises[start..<min(start + 40, exercises.count)]
      screen.say("Exercises \(part.first!.number) to \(part.last!.number)", .strong)
      for learner in learners {
        let signs = part.map { sign(learner.progress, $0.name) }.joined()
        let sum = start == 0 ? "  \(learner.progress.passedCount(of: exercises)) of \(exercises.count)" : ""
        screen.code(["\(padded(learner.name))  \(signs)\(sum)"])
      }
      screen.blank()
    }
    screen.say("Passed by how many of \(learners.count):", .strong)
    for exercise in exercises {
      let passed = learners.count { $0.progress[exercise.name].passed != nil }
      let skipped = learners.count { $0.progress[exercise.name].isSkipped }
      let skips = skipped > 0 ? " (skipped by \(skipped))" : ""
      screen.code([String("\(String(passed).leftPadded(3))  \(exercise.title)\(skips)".prefix(Screen.width))])
    }
    return screen
  }

  private func sign(_ progress: Progress, _ name: String) -> String {
    let entry = progress[name]
    if entry.passed != nil { return "x" }
    if entry.isSkipped { return "-" }
    return entry.attempts > 0 ? "o" : "."
  }

  /// CSV with a line for each learner and exercise.
  package var csv: String {
    var lines = ["learner,exercise,state,passed,attempts,hints"]
    for learner in learners {
      for exercise in exercises {
        let entry = learner.progress[exercise.name]
        let state = entry.passed != nil ? "passed" : entry.isSkipped ? "skipped" : entry.attempts > 0 ? "tried" : "open"
        let date = entry.passed.map { Progress.dateFormat.format($0) } ?? ""
        lines.append(
          [quoted(learner.name), exercise.name, state, date, "\(entry.attempts)", "\(entry.hints)"].joined(
            separator: ","))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func quoted(_ text: String) -> String {
    text.contains(where: { ",\"\n".contains($0) }) ? "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\"" : text
  }
}

extension String {
  func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
