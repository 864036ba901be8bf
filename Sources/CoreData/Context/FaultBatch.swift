/// The keys of one fetch whose rows come in batches, as objects ask for them.
final class FaultBatch {
  let store: NSPersistentStore
  let root: Int
  private let keys: [Int64]
  private let size: Int
  /// The start of the last batch. The next fault is most likely in it or in the one after.
  private var cursor = 0
  private lazy var positions = Dictionary(
    keys.enumerated().map { ($1, Int32($0)) }, uniquingKeysWith: { first, _ in first })

  init(store: NSPersistentStore, root: Int, keys: [Int64], size: Int) {
    self.store = store
    self.root = root
    self.keys = keys
    self.size = min(size, max(keys.count, 1))
  }

  /// The keys of the batch that has this key; nil if the fetch did not find it.
  func keys(around key: Int64) -> [Int64]? {
    let near = cursor..<min(cursor + 2 * size, keys.count)
    let position: Int
    if let found = keys[near].firstIndex(of: key) {
      position = found
    } else if let found = positions[key] {
      position = Int(found)
    } else {
      return nil
    }
    cursor = position - position % size
    return Array(keys[cursor..<min(cursor + size, keys.count)])
  }
}

extension NSManagedObjectContext {
  /// Keeps a batched fetch's keys, before those of earlier ones. Several lists of one entity may be on display, so the
  /// last eight fetches of a root entity in a store are kept.
  func keep(_ batch: FaultBatch) {
    func isSibling(_ other: FaultBatch) -> Bool { other.store === batch.store && other.root == batch.root }
    if batches.count(where: isSibling) == 8, let oldest = batches.lastIndex(where: isSibling) {
      batches.remove(at: oldest)
    }
    batches.insert(batch, at: 0)
  }
}
