import ExerciseSupport
import SwiftData

@Model final class Enrolment {
  // TODO: Let the save notice that a number is stored already, and update that row.

  var number: Int
  var name: String

  init(number: Int, name: String) {
    self.number = number
    self.name = name
  }
}

/// Adds all of a list, which may have come before.
func enrolAll(_ list: [Int: String], in container: ModelContainer) throws {
  let context = ModelContext(container)
  for (number, name) in list { context.insert(Enrolment(number: number, name: name)) }
  try context.save()
}
