import ExerciseSupport
import SwiftData

@Model final class Pupil {
  var name: String

  init(name: String) { self.name = name }
}

/// Adds a pupil to a store.
///
/// - Returns: An identity by which every other context finds the pupil.
func enrolPupil(_ name: String, in container: ModelContainer) throws -> PersistentIdentifier {
  let context = ModelContext(container)
  let pupil = Pupil(name: name)
  context.insert(pupil)
  // What matters: the save gives the pupil the identity that counts. What it had before was temporary.
  //= defer { try? context.save() }
  try context.save()
  return pupil.persistentModelID
}
