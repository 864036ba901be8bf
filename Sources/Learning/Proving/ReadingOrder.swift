import BookText
import Foundation

/// The order in which a reader meets the exercises' sections.
package struct ReadingOrder {
  let course: Course

  package init(course: Course) { self.course = course }

  /// Returns a section's place; nil if there is no such section.
  package func place(of link: Guide.ChapterLink) -> SectionPlace? {
    SectionPlace(link, in: course.text(of: link.folder))
  }

  /// Returns the exercises that send the reader back to an earlier section than the exercise before them.
  package func stepsBack() -> [ExerciseProblem] {
    let exercises = course.exercises
    return SectionPlace.stepsBack(exercises.map { place(of: $0.guide.chapter) }).map { step in
      let (exercise, before) = (exercises[step.index], exercises[step.before])
      return ExerciseProblem(
        exercise.name,
        "its section \(exercise.guide.chapter) comes before that of \(before.name), "
          + "\(before.guide.chapter); to give them the right numbers: swift run learn number")
    }
  }
}
