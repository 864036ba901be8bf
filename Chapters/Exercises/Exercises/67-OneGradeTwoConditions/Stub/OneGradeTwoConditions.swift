import ExerciseSupport
import SwiftData

@Model final class Learner {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Mark.learner) var marks: [Mark] = []

  init(name: String) { self.name = name }
}

@Model final class Mark {
  var subject: String
  var points: Int
  var learner: Learner?

  init(_ subject: String, _ points: Int) {
    self.subject = subject
    self.points = points
  }
}

/// Finds those who have a mark of at least `points` in a subject.
func learners(with points: Int, in subject: String) throws -> Predicate<Learner> {
  // TODO: Ask for those one of whose marks meets both conditions.
  throw Unfinished("one and the same mark meets both conditions")
}
