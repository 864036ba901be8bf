/// An object that a table finds by its key, which must not change while it is there.
protocol Keyed: AnyObject {
  var key: Int64 { get }
}

extension RowSnapshot: Keyed {}

/// A map from keys to unretained objects: open-addressed, linear probing, Robin Hood.
///
/// An entry is the object alone, which has its key: code that finds an object touches it anyway, and memory that a
/// process touches for the first time costs more than a look at another object's key. An object's memory stays until it
/// has left the table, because objects remove themselves in their deinit. To look one up, take the owner's lock and
/// retain the object with `swift_tryRetain`, because its deinit may have begun on another thread.
struct KeyTable<Element: Keyed>: ~Copyable {
  private var entries: UnsafeMutablePointer<Unmanaged<Element>?>
  private var mask: Int
  private var isScattered = false
  private(set) var count = 0

  init(minimumCapacity: Int = 16) {
    var capacity = 16
    while capacity * 7 < minimumCapacity * 8 { capacity *= 2 }
    mask = capacity - 1
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: nil, count: capacity)
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
  private func key(_ entry: Unmanaged<Element>) -> Int64 { entry._withUnsafeGuaranteedRef { $0.key } }

  @inline(__always)
  subscript(key: Int64) -> Unmanaged<Element>? {
    var index = home(key)
    var distance = 0
    while let entry = entries[index] {
      let found = self.key(entry)
      if found == key { return entry }
      if displacement(found, at: index) < distance { return nil }
      index = (index &+ 1) & mask
      distance &+= 1
    }
    return nil
  }

  /// How far a key is behind the place that it hashes to.
  @inline(__always)
  private func displacement(_ key: Int64, at index: Int) -> Int { (index &- home(key)) & mask }

  /// Enters an object at its key, and replaces an earlier one.
  @inline(__always)
  mutating func insert(_ object: Unmanaged<Element>) {
    if (count &+ 1) &* 8 > (mask &+ 1) &* 7 { resize(to: (mask + 1) * 2) }
    let key = key(object)
    var index = home(key)
    while let entry = entries[index] {
      let found = self.key(entry)
      if found == key {
        entries[index] = object
        return
      }
      if displacement(found, at: index) < displacement(key, at: index) { break }
      index = (index &+ 1) & mask
    }
    count &+= 1
    if place(object, key, from: index) > 64, !isScattered {
      isScattered = true
      resize(to: mask + 1)
    }
  }

  /// Robin Hood: the entry that is nearer to its hashed place moves on. This keeps distances even, and a removal can
  /// stop at the next entry that is in its hashed place. Returns the longest distance met.
  @inline(__always)
  private func place(_ object: Unmanaged<Element>, _ key: Int64, from start: Int) -> Int {
    var (moving, key) = (object, key)
    var index = start
    var longest = displacement(key, at: index)
    while let entry = entries[index] {
      let found = self.key(entry)
      let distance = displacement(key, at: index)
      if displacement(found, at: index) < distance {
        entries[index] = moving
        (moving, key) = (entry, found)
      }
      longest = max(longest, distance)
      index = (index &+ 1) & mask
    }
    entries[index] = moving
    return longest
  }

  /// Removes the object, unless another one has its key by now. Returns whether it did.
  @discardableResult
  mutating func remove(_ object: Unmanaged<Element>) -> Bool {
    let key = key(object)
    var index = home(key)
    while let entry = entries[index] {
      if entry.toOpaque() == object.toOpaque() {
        close(index)
        count &-= 1
        return true
      }
      let found = self.key(entry)
      if found == key || displacement(found, at: index) < displacement(key, at: index) { return false }
      index = (index &+ 1) & mask
    }
    return false
  }

  /// Moves back the entries that were pushed past the hole, so that no tombstones are needed.
  private func close(_ index: Int) {
    var hole = index
    var next = (hole &+ 1) & mask
    while let entry = entries[next], displacement(key(entry), at: next) > 0 {
      entries[hole] = entry
      hole = next
      next = (next &+ 1) & mask
    }
    entries[hole] = nil
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
    entries.initialize(repeating: nil, count: capacity)
    mask = capacity - 1
    for index in 0..<oldCapacity {
      guard let entry = old[index] else { continue }
      let key = key(entry)
      _ = place(entry, key, from: home(key))
    }
    old.deallocate()
  }

  func forEach(_ body: (Unmanaged<Element>) throws -> Void) rethrows {
    for index in 0...mask {
      if let entry = entries[index] { try body(entry) }
    }
  }
}
