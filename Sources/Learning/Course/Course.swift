import BookText
import Foundation

/// All exercises of a checkout in order, and the paths of their files.
package struct Course: Sendable {
  /// The root of the checkout.
  package let root: URL
  package let exercises: [Exercise]

  /// - Throws: `LearningProblem` if there are no exercises.
  package init(root: URL) throws {
    self.root = root.standardizedFileURL
    let folder = self.root.appendingPathComponent("Chapters/Exercises/Exercises", isDirectory: true)
    exercises = ExerciseName.all(in: folder).map(\.text).map { name in
      let own = folder.appendingPathComponent(name, isDirectory: true)
      let text = (try? String(contentsOf: own.appendingPathComponent("Guide.md"), encoding: .utf8)) ?? ""
      return Exercise(name: name, folder: own, guide: Guide(text))
    }
    guard !exercises.isEmpty else { throw LearningProblem("There are no exercises in \(folder.path).") }
  }

  // MARK: Paths

  /// The folder of the exercises' package.
  package var package: URL { root.appendingPathComponent("Chapters/Exercises", isDirectory: true) }
  package var exercisesFolder: URL { package.appendingPathComponent("Exercises", isDirectory: true) }
  package var mine: URL { exercisesFolder.appendingPathComponent("Mine", isDirectory: true) }
  package var saved: URL { mine.appendingPathComponent("Saved", isDirectory: true) }
  package var progressFile: URL { mine.appendingPathComponent("progress.txt") }
  package var mutants: URL { exercisesFolder.appendingPathComponent("Mutants", isDirectory: true) }
  package var readme: URL { package.appendingPathComponent("README.md") }

  /// The learner's folder for an exercise.
  package func mine(_ exercise: Exercise) -> URL { mine.appendingPathComponent(exercise.name, isDirectory: true) }

  /// The path relative to the checkout, as screens show it.
  package func shown(_ file: URL) -> String { shown(file.path) }

  package func shown(_ path: String) -> String {
    path.hasPrefix(root.path + "/") ? String(path.dropFirst(root.path.count + 1)) : path
  }

  // MARK: Finding exercises

  /// - Parameter name: a number (`3`), a folder's name, the name without its number, or the beginning of either.
  /// - Throws: `LearningProblem` with a list of what there is.
  package func exercise(named name: String) throws -> Exercise {
    if let number = Int(name), let exercise = exercises.first(where: { Int($0.number) == number }) { return exercise }
    let word = name.lowercased()
    if let exact = exercises.first(where: { $0.name.lowercased() == word || $0.subject.lowercased() == word }) {
      return exact
    }
    let matches = exercises.filter { $0.name.lowercased().hasPrefix(word) || $0.subject.lowercased().hasPrefix(word) }
    if matches.count == 1 { return matches[0] }
    if matches.isEmpty {
      let near = Suggestion.nearest(to: name, among: exercises.map(\.subject) + exercises.map(\.name))
      let meant = exercises.filter { near.contains($0.subject) || near.contains($0.name) }.map(\.name)
      let question = meant.isEmpty ? "" : " Did you mean \(meant.prefix(3).joined(separator: " or "))?"
      throw LearningProblem("There is no exercise \"\(name)\".\(question) To list all: swift run learn list")
    }
    throw LearningProblem("\"\(name)\" could be \(matches.map(\.name).joined(separator: ", ")).")
  }

  package func chapterFile(_ link: Guide.ChapterLink) -> URL {
    root.appendingPathComponent("Chapters/\(link.folder)/README.md")
  }

  /// The text of a page; nil if there is none.
  package func text(of folder: String) -> MarkdownText? {
    let file = root.appendingPathComponent("Chapters/\(folder)/README.md")
    return (try? String(contentsOf: file, encoding: .utf8)).map(MarkdownText.init)
  }

  /// The folders of the chapters, such as `01-ManualStack`, and of the appendices, such as `D-StoreTypes`, sorted.
  package var chapterFolders: [String] {
    let folder = root.appendingPathComponent("Chapters", isDirectory: true)
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.wholeMatch(of: #/(?:\d+|[A-Z])-.+/#) != nil }.sorted()
  }

  /// The heading of a section as the chapter has it; nil if the chapter has no such section.
  package func heading(_ link: Guide.ChapterLink) -> String? {
    text(of: link.folder)?.headings.first { $0.anchor == link.anchor }?.text
  }

  /// The chapter's title, or the folder's name if there is none.
  package func chapterTitle(_ folder: String) -> String {
    text(of: folder)?.headings.first { $0.level == 1 }?.text ?? folder
  }
}

/// A problem, as a sentence for the person who ran the tool.
package struct LearningProblem: Error, Equatable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
