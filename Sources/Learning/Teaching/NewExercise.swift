import BookText
import Foundation

/// Makes the folder of a new exercise in the form that `learn prove` checks, with a small example as its content.
package struct NewExercise {
  let course: Course

  package init(course: Course) { self.course = course }

  /// - Parameter subject: a name such as `CountRows`.
  /// - Returns: the new files.
  /// - Throws: `LearningProblem` if the name is malformed or taken, or if there is no such section.
  package func make(_ subject: String, chapter: String) throws -> [URL] {
    guard subject.wholeMatch(of: #/[A-Z][A-Za-z0-9]+/#) != nil else {
      throw LearningProblem("\"\(subject)\" is not a name like CountRows.")
    }
    guard !course.exercises.contains(where: { $0.subject == subject }) else {
      throw LearningProblem("There is already an exercise \(subject).")
    }
    guard let link = Guide.ChapterLink(chapter), course.heading(link) != nil else {
      throw LearningProblem("There is no section \(chapter). A section is named as 01-ManualStack#four-properties.")
    }
    let number = String(format: "%02d", (course.exercises.compactMap { Int($0.number) }.max() ?? 0) + 1)
    let folder = course.exercisesFolder.appendingPathComponent("\(number)-\(subject)", isDirectory: true)
    var files: [URL] = []
    for (path, text) in parts(subject, number, link) {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file, options: .withoutOverwriting)
      files.append(file)
    }
    return files
  }

  private func parts(_ subject: String, _ number: String, _ link: Guide.ChapterLink) -> [(String, String)] {
    let title = Self.title(subject)
    // The example counts the books of the shared model.
    let model = (try? ExerciseModel(course: course))?.name ?? Guide.ownModel
    let function = subject.prefix(1).lowercased() + subject.dropFirst()
    let head =
      "import CoreData\nimport ExerciseSupport\n\n/// How many books the context has. (Say here what the code is for.)\n"
      + "func \(function)(_ context: NSManagedObjectContext) throws -> Int {\n"
    return [
      (
        "Guide.md",
        """
        # \(title)

        Goal: Say in one sentence what your reader makes true.
        Chapter: \(link)
        Model: \(model)
        Minutes: 5

        ## Hint 1

        A question that turns your reader to the right place?

        ## Hint 2

        A pointer into the chapter, or to the call that does it.

        ## Hint 3

        Nearly the answer: `try context.count(for: …)`

        """
      ),
      (
        "Stub/\(subject).swift",
        head + "  // TODO: Say what is to be true, not how.\n  throw Unfinished(\"the number of books is known\")\n}\n"
      ),
      (
        "Solution/\(subject).swift",
        head
          + "  // What matters: say here why this line is as it is.\n  //= return 0\n  return try context.count(for: Book.fetchRequest())\n}\n"
      ),
      (
        "Tests/\(subject)Tests.swift",
        """
        import CoreData
        import ExerciseSupport
        import Testing

        @testable import Exercises

        @Suite("\(number) \(title)", .serialized)
        struct \(subject)Tests {
          let bench: Bench

          init() throws { bench = try Bench() }

          @Test("Two books are counted as two")
          func two() throws {
            let context = bench.makeContext(try bench.makeCoordinator(), .privateQueueConcurrencyType)
            try context.performAndWait {
              Book(context: context).title = "Emma"
              Book(context: context).title = "Persuasion"
              let count = try \(function)(context)
              #expect(count == 2)
            }
          }
        }

        """
      ),
    ]
  }

  /// The title for a name: `CountTheSQLRows` becomes `Count the SQL rows`.
  package static func title(_ subject: String) -> String {
    var words: [String] = []
    for match in subject.matches(of: #/[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[0-9]+/#) { words.append(String(match.0)) }
    return words.enumerated().map { index, word in
      index == 0 || (word.count > 1 && word == word.uppercased()) ? word : word.lowercased()
    }.joined(separator: " ")
  }
}
