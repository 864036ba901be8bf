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
  let error = error as NSError
  guard error.domain == NSCocoaErrorDomain, error.code == NSManagedObjectMergeError else { return [] }
  let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict] ?? []
  return conflicts.compactMap { conflict in
    // What matters: a row that another program has saved is in the persisted snapshot; one that another context of
    // the same coordinator has saved, the coordinator knows, and it is in the cached one.
    //= let stored = conflict.cachedSnapshot
    let stored = conflict.persistedSnapshot ?? conflict.cachedSnapshot
    guard let book = conflict.sourceObject as? Book, let read = conflict.objectSnapshot?["price"] as? NSNumber,
      let other = stored?["price"] as? NSNumber
    else { return nil }
    return PriceConflict(title: book.title ?? "", read: read.int64Value, here: book.price, stored: other.int64Value)
  }.sorted { $0.title < $1.title }
}
