/// The rows of one entity hierarchy, in the order of their keys.
struct MemoryTable {
  private var rows: [Int64: RowSnapshot] = [:]
  /// The keys in ascending order.
  private(set) var keys = ContiguousArray<Int64>()

  var count: Int { keys.count }

  subscript(key: Int64) -> RowSnapshot? { rows[key] }

  /// Inserts a row, or replaces the row with its key.
  mutating func put(_ row: RowSnapshot) {
    guard rows.updateValue(row, forKey: row.key) == nil else { return }
    // Keys are given in ascending order, so nearly every new key is the last.
    if let last = keys.last, last > row.key {
      keys.insert(row.key, at: position(of: row.key))
    } else {
      keys.append(row.key)
    }
  }

  mutating func remove(_ key: Int64) {
    guard rows.removeValue(forKey: key) != nil else { return }
    keys.remove(at: position(of: key))
  }

  /// Removes many rows, and moves the keys that stay only once.
  mutating func remove(_ gone: Set<Int64>) {
    for key in gone { rows[key] = nil }
    keys.removeAll { gone.contains($0) }
  }

  /// The position of the first key that isn't less than `key`.
  private func position(of key: Int64) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
