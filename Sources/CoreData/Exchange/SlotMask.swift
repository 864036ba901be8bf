/// A set of slots, such as those that have a value or were changed: bit n for slot n.
package struct SlotMask: Hashable {
  private var low: UInt64 = 0
  private var high: [UInt64] = []

  package init() {}

  /// Takes 64 slots from each of `count` words.
  init(count: Int, word: (Int) -> UInt64) {
    low = count > 0 ? word(0) : 0
    if count > 1 { high = (1..<count).map(word) }
  }

  package init(_ slots: some Sequence<Int>) {
    for slot in slots { insert(slot) }
  }

  package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

  package func contains(_ slot: Int) -> Bool {
    if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
    let word = slot / 64 - 1
    return word < high.count && high[word] & (1 << UInt64(slot % 64)) != 0
  }

  // Inlined by force, as the count of `batchinsert` asks for; see CONTRIBUTING.md.
  @inline(__always)
  package mutating func insert(_ slot: Int) {
    if slot < 64 { low |= 1 << UInt64(slot) } else { insertHigh(slot) }
  }

  private mutating func insertHigh(_ slot: Int) {
    let word = slot / 64 - 1
    while high.count <= word { high.append(0) }
    high[word] |= 1 << UInt64(slot % 64)
  }

  mutating func remove(_ slot: Int) {
    if slot < 64 {
      low &= ~(1 << UInt64(slot))
    } else if slot / 64 - 1 < high.count {
      high[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
    }
  }

  /// Whether every slot meets a condition.
  func allSatisfy(_ holds: (Int) -> Bool) -> Bool {
    var rest = low
    while rest != 0 {
      if !holds(rest.trailingZeroBitCount) { return false }
      rest &= rest - 1
    }
    if high.isEmpty { return true }
    var all = true
    forEach { if $0 >= 64, !holds($0) { all = false } }
    return all
  }

  /// Calls `body` for each slot in ascending order.
  package func forEach(_ body: (Int) throws -> Void) rethrows {
    var rest = low
    while rest != 0 {
      try body(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    for (word, bits) in high.enumerated() {
      var rest = bits
      while rest != 0 {
        try body((word + 1) * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }
}
