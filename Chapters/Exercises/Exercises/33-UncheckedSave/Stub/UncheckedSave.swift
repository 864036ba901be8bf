import CoreData
import ExerciseSupport

/// Takes a delivery of books in and saves it.
///
/// - Returns: A line for the shop's journal.
/// - Throws: Why the delivery could not be saved. Its books are then unsaved in the context, where they can be
///   corrected.
func acceptDelivery(of titles: [String?], into context: NSManagedObjectContext) throws -> String {
  for title in titles { Book(context: context).title = title }
  // TODO: A delivery that could not be saved is reported to the caller, with the reason.
  try? context.save()
  return "\(titles.count) books saved"
}
