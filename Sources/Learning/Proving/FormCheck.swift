import BookText
import Foundation

/// A problem with an exercise.
package struct ExerciseProblem: Hashable, Sendable, CustomStringConvertible {
  /// The exercise's name; nil if the problem belongs to no single exercise.
  package var exercise: String?
  package var sentence: String

  package init(_ exercise: String?, _ sentence: String) {
    self.exercise = exercise
    self.sentence = sentence
  }

  package var description: String { "\(exercise ?? "Exercises"): \(sentence)" }
}

/// Checks that every exercise has all its parts, in the right form. It only reads, and builds nothing.
package struct FormCheck {
  let course: Course

  package init(course: Course) { self.course = course }

  package func problems() -> [ExerciseProblem] {
    numbering() + course.exercises.flatMap(problems(of:)) + ReadingOrder(course: course).stepsBack() + unknownNames()
      + rows()
  }

  private func numbering() -> [ExerciseProblem] {
    var problems: [ExerciseProblem] = []
    for (index, exercise) in course.exercises.enumerated() {
      if exercise.name.wholeMatch(of: #/\d\d+-[A-Z][A-Za-z0-9]*/#) == nil {
        problems.append(ExerciseProblem(exercise.name, "the folder's name is not of the form 07-WhatItTeaches"))
      }
      if Int(exercise.number) != index + 1 {
        problems.append(
          ExerciseProblem(
            exercise.name, "it is number \(index + 1) in order; numbers are to run without gaps and repetitions"))
      }
    }
    return problems
  }

  private func problems(of exercise: Exercise) -> [ExerciseProblem] {
    let sentences = guide(exercise) + stub(exercise) + solution(exercise) + tests(exercise)
    return sentences.map { ExerciseProblem(exercise.name, $0) }
  }

  private func guide(_ exercise: Exercise) -> [String] {
    guard FileManager.default.fileExists(atPath: exercise.folder.appendingPathComponent("Guide.md").path) else {
      return ["there is no Guide.md"]
    }
    var sentences = exercise.guide.problems
    if !exercise.guide.chapter.folder.isEmpty, course.heading(exercise.guide.chapter) == nil {
      sentences.append("there is no section \(exercise.guide.chapter)")
    }
    return sentences + model(exercise)
  }

  /// Returns a problem if the guide does not name the model that the tests use.
  private func model(_ exercise: Exercise) -> [String] {
    guard !exercise.guide.model.isEmpty, let shared = (try? ExerciseModel(course: course))?.name else { return [] }
    let right = exercise.usesSharedModel ? shared : Guide.ownModel
    return exercise.guide.model == right ? [] : ["its tests ask for another model; the guide needs \"Model: \(right)\""]
  }

  /// Returns the problem of each exercise that needs names the learner has not read yet.
  private func unknownNames() -> [ExerciseProblem] {
    let texts = ChapterTexts(course: course)
    let shared = NeededNames.shared(course)
    return course.exercises.compactMap { exercise in
      guard let known = texts.names(upTo: exercise.guide.chapter) else { return nil }
      let unknown = NeededNames(exercise, shared: shared).names.filter { !known.contains($0) }
      guard !unknown.isEmpty else { return nil }
      let words = unknown.map { "`\($0)`" }.joined(separator: ", ")
      return ExerciseProblem(
        exercise.name,
        "no section up to its own, \(exercise.guide.chapter), has \(words); name a later section, or say it there")
    }
  }

  private func stub(_ exercise: Exercise) -> [String] {
    let text = text(of: exercise.stub)
    guard !text.isEmpty else { return ["there is no Swift file in Stub"] }
    var sentences: [String] = []
    let todos = text.matches(of: #/\/\/ *TODO/#).count
    if todos != 1 { sentences.append("the stub has \(todos) TODOs; one is right") }
    if text.contains("fatalError(") { sentences.append("the stub has a fatalError, which would end the whole run") }
    if !Mutation.marks(in: text).isEmpty {
      sentences.append("the stub has a `//=` mark, which belongs into the solution")
    }
    return sentences
  }

  private func solution(_ exercise: Exercise) -> [String] {
    let files = SourceFolder.files(in: exercise.solution)
    let text = text(of: exercise.solution)
    guard !text.isEmpty else { return ["there is no Swift file in Solution"] }
    var sentences: [String] = []
    if files.map(\.lastPathComponent) != SourceFolder.files(in: exercise.stub).map(\.lastPathComponent) {
      sentences.append("the files of Stub and Solution have different names")
    }
    let marks = files.map { Mutation.marks(in: (try? String(contentsOf: $0, encoding: .utf8)) ?? "").count }.reduce(
      0, +)
    if marks != 1 {
      sentences.append("the solution has \(marks) `//=` marks; one is right")
    } else if mutants(exercise).isEmpty {
      sentences.append("below the solution's `//=` mark there is no line to replace")
    }
    if text.contains("TODO") { sentences.append("the solution has a TODO") }
    if text.contains("Unfinished(") { sentences.append("the solution throws Unfinished") }
    return sentences + APIComparison.differences(stub: self.text(of: exercise.stub), solution: text)
  }

  private func tests(_ exercise: Exercise) -> [String] {
    let text = text(of: exercise.tests)
    guard !text.isEmpty else { return ["there is no Swift file in Tests"] }
    var sentences: [String] = []
    if text.firstMatch(of: #/\bstruct +([A-Za-z0-9]+Tests)\b/#).map({ String($0.1) }) != exercise.suite {
      sentences.append("the tests are not in a struct \(exercise.suite)")
    }
    if !text.contains("@Suite(\"\(exercise.number) ") {
      sentences.append("the tests have no @Suite(\"\(exercise.number) …\"")
    }
    if !text.contains(".serialized") { sentences.append("the suite is not .serialized") }
    let count = text.matches(of: #/@Test\b/#).count
    if count == 0 { sentences.append("there is no @Test") }
    if exercise.sentences.count != count { sentences.append("a test has no sentence as its name") }
    return sentences
  }

  private func rows() -> [ExerciseProblem] {
    (GoalsTable(course: course).problems() + ChapterLists(course: course).problems()).map { ExerciseProblem(nil, $0) }
  }

  /// Returns the solution's files with the deliberate mistake in them; empty unless there is exactly one mistake.
  package func mutants(_ exercise: Exercise) -> [String: String] {
    var result: [String: String] = [:]
    var count = 0
    for file in SourceFolder.files(in: exercise.solution) {
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      if let mutated = Mutation.mutated(text) {
        count += 1
        result[file.lastPathComponent] = mutated
      } else {
        result[file.lastPathComponent] = text
      }
    }
    return count == 1 ? result : [:]
  }

  private func text(of folder: URL) -> String {
    SourceFolder.files(in: folder).map { (try? String(contentsOf: $0, encoding: .utf8)) ?? "" }.joined(separator: "\n")
  }
}
