import CoreData
import ExerciseSupport

/// Saves. Returns nil if that went well, and a sentence for the user if a reading list has no book.
///
/// - Throws: Every other error.
func saveLists(_ context: NSManagedObjectContext) throws -> String? {
  do {
    try context.save()
    return nil
    // What matters: a save can fail for many reasons, and the sentence is right for one of them.
    //= } catch let error as NSError where error.domain == NSCocoaErrorDomain {
  } catch let error as NSError where error.code == NSValidationRelationshipLacksMinimumCountError {
    return "A reading list needs at least one book."
  }
}
