import BookText
import Foundation
import OutputFiles

/// A learner's progress, exercise by exercise.
///
/// The file has a line for each exercise begun:
///
///     01-AddTheStore passed=2026-03-01T10:15:00Z attempts=3 hints=1
///     02-FourParts skipped attempts=1
///
/// An exercise may get another number in a later edition of the book; see `follow(_:)`.
package struct Progress: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    package var passed: Date?
    package var isSkipped = false
    /// The number of runs of its tests.
    package var attempts = 0
    /// The number of hints shown.
    package var hints = 0

    package init() {}

    /// Returns one entry for two of the same exercise. If either passed, the result has passed.
    func joined(_ other: Entry) -> Entry {
      var entry = self
      entry.passed = [passed, other.passed].compactMap(\.self).min()
      entry.isSkipped = entry.passed == nil && isSkipped && other.isSkipped
      entry.attempts += other.attempts
      entry.hints = max(hints, other.hints)
      return entry
    }

    /// Whether the exercise is neither passed nor skipped.
    package var isOpen: Bool { passed == nil && !isSkipped }
  }

  private(set) package var entries: [String: Entry] = [:]

  package init() {}

  package subscript(name: String) -> Entry {
    get { entries[name] ?? Entry() }
    set { entries[name] = newValue }
  }

  // MARK: New numbers

  /// Moves entries from exercises' earlier numbers to their present ones. The name after the number identifies the
  /// exercise. Entries of unknown exercises stay as they are.
  package mutating func follow(_ exercises: [Exercise]) {
    let names = Set(exercises.map(\.name))
    for exercise in exercises {
      let former = ExerciseName.inOrder(Array(entries.keys)).filter {
        !names.contains($0) && ExerciseName($0).subject == exercise.subject
      }
      for name in former {
        let entry = entries.removeValue(forKey: name)!
        entries[exercise.name] = entries[exercise.name].map { $0.joined(entry) } ?? entry
      }
    }
  }

  package func hasBegun(_ name: String) -> Bool { entries[name] != nil }

  package func passedCount(of exercises: [Exercise]) -> Int { exercises.count { self[$0.name].passed != nil } }

  /// Returns the first exercise that is neither passed nor skipped.
  package func current(of exercises: [Exercise]) -> Exercise? { exercises.first { self[$0.name].isOpen } }

  /// Returns the exercise passed last.
  package func lastPassed(of exercises: [Exercise]) -> Exercise? {
    exercises.filter { self[$0.name].passed != nil }
      .max { (self[$0.name].passed!, $0.number) < (self[$1.name].passed!, $1.number) }
  }

  // MARK: Text

  package static let head = "# Progress in the exercises, written by `swift run learn`. A line for each one begun."

  package var text: String {
    var lines = [Self.head]
    for name in ExerciseName.inOrder(Array(entries.keys)) {
      let entry = entries[name]!
      var words = [name]
      if let passed = entry.passed { words.append("passed=\(Self.dateFormat.format(passed))") }
      if entry.isSkipped { words.append("skipped") }
      words += ["attempts=\(entry.attempts)", "hints=\(entry.hints)"]
      lines.append(words.joined(separator: " "))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Reads the lines that it understands, and puts the others into `strangeLines`.
  package init(text: String, strangeLines: inout [String]) {
    for line in text.components(separatedBy: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard let name = words.first, !name.hasPrefix("#") else { continue }
      if let entry = Self.entry(words.dropFirst()), name.first!.isNumber {
        entries[name] = entry
      } else {
        strangeLines.append(line)
      }
    }
  }

  private static func entry(_ words: ArraySlice<String>) -> Entry? {
    var entry = Entry()
    for word in words {
      let parts = word.components(separatedBy: "=")
      switch (parts[0], parts.count) {
      case ("skipped", 1): entry.isSkipped = true
      case ("passed", 2):
        guard let date = try? dateFormat.parse(parts[1]) else { return nil }
        entry.passed = date
      case ("attempts", 2):
        guard let count = Int(parts[1]) else { return nil }
        entry.attempts = count
      case ("hints", 2):
        guard let count = Int(parts[1]) else { return nil }
        entry.hints = count
      default: return nil
      }
    }
    return entry
  }

  static let dateFormat = Date.ISO8601FormatStyle()
}

/// The learner's state on disk.
package enum ProgressFile {
  /// Reads the file. If some lines are not understood, `keptAside` is the place that the file was moved to.
  package static func read(_ file: URL) throws -> (progress: Progress, keptAside: URL?) {
    guard FileManager.default.fileExists(atPath: file.path) else { return (Progress(), nil) }
    let data = try Data(contentsOf: file)
    var strange: [String] = []
    guard let text = String(data: data, encoding: .utf8) else { return (Progress(), try keepAside(file)) }
    let progress = Progress(text: text, strangeLines: &strange)
    return (progress, strange.isEmpty ? nil : try keepAside(file))
  }

  package static func write(_ progress: Progress, to file: URL) throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try OutputFile.write(Data(progress.text.utf8), to: file.path)
  }

  /// Moves it to `progress-unreadable-1.txt`, or the next number that is free.
  private static func keepAside(_ file: URL) throws -> URL {
    let folder = file.deletingLastPathComponent()
    var number = 1
    var place: URL
    repeat {
      place = folder.appendingPathComponent("progress-unreadable-\(number).txt")
      number += 1
    } while FileManager.default.fileExists(atPath: place.path)
    try FileManager.default.moveItem(at: file, to: place)
    return place
  }
}
