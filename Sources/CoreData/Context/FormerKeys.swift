/// The permanent ids of objects that once had temporary ones, which the program or a child context has seen.
///
/// A child begins with all that its parent has, without a copy. From then on it learns from each of its questions which
/// were added since the one before, so they are in order as well.
final class FormerKeys: @unchecked Sendable {
  // `@unchecked Sendable`: the context's queue writes, and children read what they began with, under `lock`.

  typealias Named = (reference: RowReference, store: StoreIdentity)

  private let lock = NSLock()
  /// Each with its place: the value of `additions` when it was added.
  private var names: [Int64: (name: Named, place: Int)] = [:]
  private var order: ContiguousArray<Int64> = []
  private var ownAdditions = 0
  /// The parent's, and how many of them the child began with.
  private var inherited: (keys: FormerKeys, count: Int)?

  var isEmpty: Bool { lock.withLock { names.isEmpty && (inherited?.count ?? 0) == 0 } }

  /// How many keys were ever added, those that this began with and those forgotten since included.
  var additions: Int { lock.withLock { lockedAdditions } }
  private var lockedAdditions: Int { ownAdditions + (inherited?.count ?? 0) }

  subscript(key: Int64) -> Named? { key < 0 ? named(key, before: .max) : nil }

  private func named(_ key: Int64, before end: Int) -> Named? {
    let (own, inherited) = lock.withLock { (names[key], self.inherited) }
    if let own { return own.place < end ? own.name : nil }
    return inherited.flatMap { $0.keys.named(key, before: $0.count) }
  }

  func add(_ key: Int64, _ reference: RowReference, store: StoreIdentity) {
    lock.withLock {
      names[key] = (name: (reference, store), place: lockedAdditions)
      order.append(key)
      ownAdditions += 1
    }
  }

  /// Forgets a key, because its object has it again.
  func remove(_ key: Int64) { lock.withLock { names[key] = nil } }

  /// The temporary keys that were added after the first `count`.
  func keys(after count: Int) -> ArraySlice<Int64> { lock.withLock { order.suffix(lockedAdditions - count) } }

  /// Forgets all.
  func removeAll() {
    lock.withLock {
      names = [:]
      order = []
    }
  }

  /// Forgets all, and begins with what the parent has. Returns the parent's `additions`.
  func begin(with parent: FormerKeys) -> Int {
    let count = parent.additions
    removeAll()
    lock.withLock { inherited = (parent, count) }
    return count
  }
}
