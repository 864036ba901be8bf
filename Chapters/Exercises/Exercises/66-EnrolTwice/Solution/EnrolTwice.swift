import ExerciseSupport
import SwiftData

@Model final class Enrolment {
  // What matters: the class says what is unique. The save then updates the stored row, and reports no conflict.
  //= #Index<Enrolment>([\.number])
  #Unique<Enrolment>([\.number])

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
