/// The numbers by which the members of an ordered relationship are sorted.
package enum OrderKeys {
  static let first: Int64 = 2048
  static let step: Int64 = 1024
  private static let usable = Int64(-1) << 61...Int64(1) << 61

  /// Returns ascending numbers for members in their new order. Keeps as many of the stored numbers as possible.
  ///
  /// Members between two kept ones get numbers from the gap. If a gap is too small, all members are renumbered: 2048,
  /// 3072, 4096 …
  package static func assign(_ stored: [Int64?]) -> [Int64] {
    // Ignore numbers that no program uses: they are so large that adding to them could overflow.
    let old = stored.map { key in key.flatMap { usable.contains($0) ? $0 : nil } }
    let kept = longestAscent(old)
    var keys = Array(repeating: Int64(0), count: old.count)
    var index = 0
    var last: Int64?
    for next in kept + [old.count] {
      let count = Int64(next - index)
      let limit = next < old.count ? old[next]! : nil
      if count > 0 {
        guard let gap = spread(count, after: last, before: limit) else { return renumbered(old.count) }
        for offset in 0..<count { keys[index + Int(offset)] = gap.start + gap.step * offset }
      }
      if next < old.count {
        keys[next] = old[next]!
        last = old[next]
      }
      index = next + 1
    }
    return keys
  }

  /// Returns the numbers of members that follow the one with the last number; the first numbers where there is none.
  /// Nil if there is no room.
  package static func following(_ last: Int64?, count: Int) -> [Int64]? {
    guard let last else { return renumbered(count) }
    guard usable.contains(last), (usable.upperBound - last) / step >= Int64(count) else { return nil }
    return (0..<Int64(count)).map { last + step * ($0 + 1) }
  }

  /// The members that have numbers, in their order.
  package static func members(inOrderOf numbers: [Int64: Int64]) -> [Int64] {
    numbers.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
  }

  private static func renumbered(_ count: Int) -> [Int64] {
    (0..<Int64(count)).map { first + step * $0 }
  }

  private static func spread(_ count: Int64, after: Int64?, before: Int64?) -> (start: Int64, step: Int64)? {
    guard let before else {
      let start = after.map { $0 + step } ?? first
      return (start, step)
    }
    let width = (before - (after ?? 0)) / (count + 1)
    return width > 0 ? ((after ?? 0) + width, width) : nil
  }

  /// The positions of a longest strictly ascending subsequence of the old numbers.
  private static func longestAscent(_ old: [Int64?]) -> [Int] {
    /// For each length, the position of the smallest number that can end an ascent of this length.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: old.count)
    for (position, value) in old.enumerated() {
      guard let value else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if old[ends[middle]]! < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var ascent: [Int] = []
    var position = ends.last ?? -1
    while position >= 0 {
      ascent.append(position)
      position = previous[position]
    }
    return ascent.reversed()
  }
}
