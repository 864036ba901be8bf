import CoreData
import ExerciseSupport

/// A price that two have changed.
struct PriceConflict: Equatable {
  let title: String
  /// What was read before the change.
  let read: Int64
  /// What the save would have written.
  let here: Int64
  /// What the other one has saved.
  let stored: Int64
}

/// The conflicts about prices of books in the error of a save, by title; none if it failed for another reason.
func priceConflicts(in error: any Error) throws -> [PriceConflict] {
  // TODO: Return what was read, what is here and what is stored, of each book in conflict.
  throw Unfinished("each conflict of the error is told with the price read, the price here and the price stored")
}
