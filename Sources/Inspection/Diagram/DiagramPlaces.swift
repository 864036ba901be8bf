/// Vertical positions: each item is as near as possible to the items that it is joined with, and keeps its order in the
/// column.
///
/// All items and all ends of lines are on a grid of one row's height. So two ends on the two sides of a gap are either
/// at the same height or at least a row apart.
struct DiagramPlaces {
  static let grid = 20

  struct Link {
    let other: Int
    /// The distance of the end from the top of its own item, and of the other end from the top of the other item.
    let own: Double
    let far: Double
    let weight: Double
  }

  /// The top of each item: a multiple of the grid, from 0.
  ///
  /// - Parameters:
  ///   - columns: the items of each column, from top to bottom.
  ///   - heights: the heights of all items.
  ///   - distances: the least distance from an item's top to the next item's top in its column, a multiple of the grid.
  static func tops(
    columns: [[Int]], heights: [Int], distances: (Int, Int) -> Int, links: [[Link]]
  ) -> [Int] {
    var tops = Array(repeating: 0.0, count: links.count)
    for column in columns {
      var top = 0.0
      for (place, item) in column.enumerated() {
        tops[item] = top
        if place + 1 < column.count { top += Double(distances(item, column[place + 1])) }
      }
    }
    // Parts that are joined by one long line only come closer when the empty band between them is removed, so this runs
    // several times.
    for round in 0..<4 {
      for sweep in 0..<16 {
        for column in sweep % 2 == 0 ? Array(columns) : columns.reversed() {
          let wanted = column.map { wish(links[$0], tops, own: tops[$0], median: round > 1) }
          let weights = column.map { max(0.01, links[$0].reduce(0) { $0 + $1.weight }) }
          var sums = [0.0]
          for (item, next) in zip(column, column.dropFirst()) {
            sums.append(sums.last! + Double(distances(item, next)))
          }
          let found = rising(zip(wanted, sums).map { $0 - $1 }, weights)
          for (place, item) in column.enumerated() { tops[item] = found[place] + sums[place] }
        }
      }
      tops = closed(tops, heights)
    }
    let placed = snapped(tops, columns, distances)
    let least = placed.min() ?? 0
    return closed(placed.map { Double($0 - least) }, heights).map { Int($0) }
  }

  /// The positions without horizontal bands that contain no item. Positions change by multiples of the grid.
  private static func closed(_ tops: [Double], _ heights: [Int]) -> [Double] {
    var closed = tops
    var bottom = tops.min() ?? 0
    var shift = 0.0
    for item in tops.indices.sorted(by: { (tops[$0], $0) < (tops[$1], $1) }) {
      let gap = tops[item] - bottom
      if gap > Double(3 * grid) { shift += ((gap / Double(grid)).rounded(.down) - 2) * Double(grid) }
      closed[item] = tops[item] - shift
      bottom = max(bottom, tops[item] + Double(heights[item]))
    }
    return closed
  }

  private static func wish(_ links: [Link], _ tops: [Double], own: Double, median: Bool) -> Double {
    if links.isEmpty { return own }
    let wishes = links.map { (tops[$0.other] + $0.far - $0.own, $0.weight) }
    if !median { return wishes.reduce(0) { $0 + $1.0 * $1.1 } / wishes.reduce(0) { $0 + $1.1 } }
    let sorted = wishes.sorted { $0.0 < $1.0 }
    let half = sorted.reduce(0) { $0 + $1.1 } / 2
    var passed = 0.0
    for (wish, weight) in sorted {
      passed += weight
      if passed >= half { return wish }
    }
    return own
  }

  /// The rising sequence that is nearest to the wishes. Neighbours in the wrong order get their mean.
  private static func rising(_ wishes: [Double], _ weights: [Double]) -> [Double] {
    var blocks: [(mean: Double, weight: Double, count: Int)] = []
    for (wish, weight) in zip(wishes, weights) {
      blocks.append((wish, weight, 1))
      while blocks.count > 1, blocks[blocks.count - 2].mean > blocks[blocks.count - 1].mean {
        let last = blocks.removeLast()
        let before = blocks.removeLast()
        let sum = before.weight + last.weight
        blocks.append(
          ((before.mean * before.weight + last.mean * last.weight) / sum, sum, before.count + last.count))
      }
    }
    return blocks.flatMap { Array(repeating: $0.mean, count: $0.count) }
  }

  private static func snapped(
    _ tops: [Double], _ columns: [[Int]], _ distances: (Int, Int) -> Int
  ) -> [Int] {
    var snapped = tops.map { Int(($0 / Double(grid)).rounded()) * grid }
    for column in columns {
      for (item, next) in zip(column, column.dropFirst()) {
        snapped[next] = max(snapped[next], snapped[item] + distances(item, next))
      }
    }
    return snapped
  }
}
