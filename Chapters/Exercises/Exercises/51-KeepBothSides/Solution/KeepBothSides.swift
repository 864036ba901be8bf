import CoreData
import ExerciseSupport

/// Merges property by property, this side over the store, but a book's stock by what each side has added and taken.
final class StockPolicy: NSMergePolicy, @unchecked Sendable {
  init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    // Noted first: super takes the store's values over where nothing was changed here.
    let here = list.map { ($0.sourceObject as? Book)?.stock }
    try super.resolve(optimisticLockingConflicts: list)
    for (conflict, here) in zip(list, here) {
      let stored = (conflict.persistedSnapshot ?? conflict.cachedSnapshot)?["stock"] as? NSNumber
      guard let book = conflict.sourceObject as? Book, let here, let stored,
        let read = conflict.objectSnapshot?["stock"] as? NSNumber
      else { continue }
      // What matters: the change, here - read, is what this side knows; the sum is what only both know.
      //= book.stock = here + stored.int64Value - stored.int64Value + read.int64Value - read.int64Value
      book.stock = stored.int64Value + here - read.int64Value
    }
  }
}
