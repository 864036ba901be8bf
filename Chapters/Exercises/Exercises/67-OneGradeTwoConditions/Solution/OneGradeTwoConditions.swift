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
  #Predicate<Learner> { learner in
    // What matters: both conditions are about the mark of one closure. Two closures may find two marks.
    //= learner.marks.contains { $0.subject == subject } && learner.marks.contains { $0.points >= points }
    learner.marks.contains { $0.subject == subject && $0.points >= points }
  }
}
