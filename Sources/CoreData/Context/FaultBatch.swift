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

  /// The keys of the batch that has this key, if that is the last batch or the next one.
  func keys(near key: Int64) -> [Int64]? {
    keys[cursor..<min(cursor + 2 * size, keys.count)].firstIndex(of: key).map(batch)
  }

  /// The keys of the batch that has this key; nil if the fetch did not find it. Makes a table of all keys.
  func keys(around key: Int64) -> [Int64]? { positions[key].map { batch(at: Int($0)) } }

  private func batch(at position: Int) -> [Int64] {
    cursor = position - position % size
    return Array(keys[cursor..<min(cursor + size, keys.count)])
  }

  /// Some of the keys. If the context no longer has their objects, the program has let go of the result.
  fileprivate var samples: [Int64] { keys.isEmpty ? [] : [keys[0], keys[cursor], keys[keys.count - 1]] }
}

extension NSManagedObjectContext {
  /// Keeps a batched fetch's keys, before those of earlier ones. Several lists of one entity may be on display, so the
  /// last eight fetches of a root entity in a store are kept, except those whose results are gone.
  func keep(_ batch: FaultBatch) {
    let store = owner.number(of: batch.store.identity)
    func isSibling(_ other: FaultBatch) -> Bool { other.store === batch.store && other.root == batch.root }
    func isHeld(_ other: FaultBatch) -> Bool {
      other.samples.contains { owner.registered(RowReference(entity: other.root, key: $0), store: store) != nil }
    }
    batches.removeAll { isSibling($0) && !isHeld($0) }
    if batches.count(where: isSibling) == 8, let oldest = batches.lastIndex(where: isSibling) {
      batches.remove(at: oldest)
    }
    batches.insert(batch, at: 0)
  }

  /// The keys of the rows to read together with an object's; nil if no batched fetch has found it.
  func batchedKeys(around object: NSManagedObject) -> [Int64]? {
    let identity = owner.storeIdentity(object.store)
    func has(_ batch: FaultBatch) -> Bool {
      batch.store.identity === identity && batch.root == object.layout.rootIndex
    }
    for batch in batches where has(batch) {
      if let keys = batch.keys(near: object.key) { return keys }
    }
    // Only an object that is in none of the places where lists are being read makes them look further.
    for batch in batches where has(batch) {
      if let keys = batch.keys(around: object.key) { return keys }
    }
    return nil
  }
}
