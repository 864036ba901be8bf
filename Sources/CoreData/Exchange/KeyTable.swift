/// A map from keys to unretained objects: open-addressed, linear probing, Robin Hood.
///
/// Objects remove themselves in their deinit. To look one up, take the owner's lock and retain the object with
/// `swift_tryRetain`, because its deinit may have begun on another thread.
struct KeyTable: ~Copyable {
  private struct Entry {
    var key: Int64
    var object: UnsafeMutableRawPointer?
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var mask: Int
  private var isScattered = false
  private(set) var count = 0

  init(minimumCapacity: Int = 16) {
    var capacity = 16
    while capacity * 7 < minimumCapacity * 8 { capacity *= 2 }
    mask = capacity - 1
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(key: 0, object: nil), count: capacity)
  }

  deinit { entries.deallocate() }

  // Inlined by force, as the count of `faults` asks for; see CONTRIBUTING.md.
  /// Keys are given out one after the other, so their low bits are the best hash, and neighbours stay neighbours in
  /// memory. Keys with gaps of a power of two would be the worst case, so for these the table scatters them.
  @inline(__always)
  private func home(_ key: Int64) -> Int {
    if !isScattered { return Int(truncatingIfNeeded: key) & mask }
    return Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 24) & mask
  }

  @inline(__always)
  subscript(key: Int64) -> UnsafeMutableRawPointer? {
    var index = home(key)
    var distance = 0
    while let object = entries[index].object {
      if entries[index].key == key { return object }
      if displacement(at: index) < distance { return nil }
      index = (index &+ 1) & mask
      distance &+= 1
    }
    return nil
  }

  /// How far an entry is behind the place that its key hashes to.
  @inline(__always)
  private func displacement(at index: Int) -> Int { (index &- home(entries[index].key)) & mask }

  /// Sets the object for a key, and replaces an earlier one.
  @inline(__always)
  mutating func insert(_ object: UnsafeMutableRawPointer, at key: Int64) {
    if (count &+ 1) &* 8 > (mask &+ 1) &* 7 { resize(to: (mask + 1) * 2) }
    var index = home(key)
    while entries[index].object != nil {
      if entries[index].key == key {
        entries[index].object = object
        return
      }
      if displacement(at: index) < (index &- home(key)) & mask { break }
      index = (index &+ 1) & mask
    }
    count &+= 1
    if place(Entry(key: key, object: object), from: index) > 64, !isScattered {
      isScattered = true
      resize(to: mask + 1)
    }
  }

  /// Robin Hood: the entry that is nearer to its hashed place moves on. This keeps distances even, and a removal can
  /// stop at the next entry that is in its hashed place. Returns the longest distance met.
  @inline(__always)
  private func place(_ entry: Entry, from start: Int) -> Int {
    var entry = entry
    var index = start
    var longest = (index &- home(entry.key)) & mask
    while entries[index].object != nil {
      let distance = (index &- home(entry.key)) & mask
      if displacement(at: index) < distance { swap(&entries[index], &entry) }
      longest = max(longest, distance)
      index = (index &+ 1) & mask
    }
    entries[index] = entry
    return longest
  }

  /// Removes the key if it still belongs to this object. Returns whether it did.
  @discardableResult
  mutating func remove(_ object: UnsafeMutableRawPointer, at key: Int64) -> Bool {
    var index = home(key)
    while let found = entries[index].object {
      if entries[index].key == key {
        guard found == object else { return false }
        close(index)
        count &-= 1
        return true
      }
      if displacement(at: index) < (index &- home(key)) & mask { return false }
      index = (index &+ 1) & mask
    }
    return false
  }

  /// Moves back the entries that were pushed past the hole, so that no tombstones are needed.
  private func close(_ index: Int) {
    var hole = index
    var next = (hole &+ 1) & mask
    while entries[next].object != nil, displacement(at: next) > 0 {
      entries[hole] = entries[next]
      hole = next
      next = (next &+ 1) & mask
    }
    entries[hole].object = nil
  }

  /// Makes room for `more` further keys at once.
  mutating func reserve(_ more: Int) {
    var capacity = mask + 1
    while (count + more) * 8 > capacity * 7 { capacity *= 2 }
    if capacity > mask + 1 { resize(to: capacity) }
  }

  private mutating func resize(to capacity: Int) {
    let old = entries
    let oldCapacity = mask + 1
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(key: 0, object: nil), count: capacity)
    mask = capacity - 1
    for index in 0..<oldCapacity where old[index].object != nil {
      _ = place(old[index], from: home(old[index].key))
    }
    old.deallocate()
  }

  func forEach(_ body: (Int64, UnsafeMutableRawPointer) throws -> Void) rethrows {
    for index in 0...mask {
      if let object = entries[index].object { try body(entries[index].key, object) }
    }
  }
}
