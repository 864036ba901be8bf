import CoreData
import ExerciseSupport

/// Merges property by property, this side over the store, but a book's stock by what each side has added and taken.
final class StockPolicy: NSMergePolicy, @unchecked Sendable {
  init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    // TODO: The stock becomes the stored one plus what was changed here since it was read.
    throw Unfinished("a book's stock in conflict is the stored one plus the change made here")
  }
}
