import BookText
import Foundation

/// Where sections stand in the book: chapters by their numbers, then the pages beside them.
package struct ReadingOrder {
  let course: Course

  package init(course: Course) { self.course = course }

  /// Sorts as a reader goes through the book.
  package struct Place: Comparable, Sendable {
    let rank: Int
    let folder: String
    let line: Int

    package static func < (left: Place, right: Place) -> Bool {
      (left.rank, left.folder, left.line) < (right.rank, right.folder, right.line)
    }
  }

  /// Nil if there is no such section.
  package func place(of link: Guide.ChapterLink) -> Place? {
    guard let line = course.text(of: link.folder)?.headings.first(where: { $0.anchor == link.anchor })?.line else {
      return nil
    }
    return Place(rank: link.folder.first?.isNumber == true ? 0 : 1, folder: link.folder, line: line)
  }

  /// Exercises that send the reader back behind the one before them.
  package func stepsBack() -> [ExerciseProblem] {
    var problems: [ExerciseProblem] = []
    var before: (exercise: Exercise, place: Place)?
    for exercise in course.exercises {
      guard let place = place(of: exercise.guide.chapter) else { continue }
      if let before, place < before.place {
        problems.append(
          ExerciseProblem(
            exercise.name,
            "its section \(exercise.guide.chapter) comes before that of \(before.exercise.name), "
              + "\(before.exercise.guide.chapter); to give them the right numbers: swift run learn number"))
      }
      before = (exercise, place)
    }
    return problems
  }
}
