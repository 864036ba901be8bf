/// The order of boxes in columns, with few crossings. It is found by sweeping over the columns and by exchanging
/// neighbours.
///
/// A line across several columns gets a **bend** in each column between: a place of its own among the boxes.
struct DiagramOrder {
  /// An item in a column: a box of the group, or a bend of a line.
  struct Item {
    /// The box; nil for a bend.
    var box: Int?
    var layer: Int
    /// Lines to the left and to the right: the other item, and the positions of both ends in their items, from 0 to 1.
    var left: [Link] = []
    var right: [Link] = []
    /// Lines within the column.
    var beside: [Link] = []
  }

  struct Link {
    let other: Int
    let own: Double
    let far: Double
  }

  private(set) var items: [Item]
  /// The items of each column, from top to bottom.
  private(set) var columns: [[Int]]
  private var positions: [Int]

  init(_ items: [Item]) {
    self.items = items
    let count = (items.map(\.layer).max() ?? 0) + 1
    columns = (0..<count).map { layer in items.indices.filter { items[$0].layer == layer } }
    positions = Array(repeating: 0, count: items.count)
    number()
    arrange()
  }

  private mutating func number() {
    for column in columns { for (place, item) in column.enumerated() { positions[item] = place } }
  }

  private mutating func arrange() {
    var best = columns
    var bestCost = cost
    let start = columns
    for attempt in 0..<8 {
      columns = start
      if attempt > 0 { shuffle(seed: UInt64(attempt)) }
      number()
      for sweep in 0..<16 {
        let layers = sweep % 2 == 0 ? Array(columns.indices) : columns.indices.reversed()
        for layer in layers { sort(layer, toTheLeft: sweep % 2 == 0, both: sweep >= 10) }
        keep(&best, &bestCost)
      }
      exchange()
      keep(&best, &bestCost)
      if bestCost == 0 { break }
    }
    columns = best
    number()
  }

  private mutating func keep(_ best: inout [[Int]], _ bestCost: inout Double) {
    let now = cost
    if now < bestCost - 1e-9 { (best, bestCost) = (columns, now) }
  }

  /// Shuffles the columns. The same seed always gives the same order.
  private mutating func shuffle(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    for layer in columns.indices {
      for place in columns[layer].indices.reversed() where place > 0 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        columns[layer].swapAt(place, Int(state >> 33) % (place + 1))
      }
    }
  }

  private mutating func sort(_ layer: Int, toTheLeft: Bool, both: Bool) {
    let keys = columns[layer].map { item -> Double in
      var links = toTheLeft ? items[item].left : items[item].right
      if both || links.isEmpty { links = items[item].left + items[item].right }
      let own = Double(positions[item])
      // A box with lines inside its column moves towards the boxes that it is joined with.
      let beside = items[item].beside.map { Double(positions[$0.other]) }
      if links.isEmpty {
        return beside.isEmpty ? own : (own + beside.reduce(0, +)) / Double(beside.count + 1)
      }
      let sum = links.reduce(0.0) { $0 + Double(positions[$1.other]) + $1.far - $1.own }
      return (sum + beside.reduce(0, +) * 0.3) / (Double(links.count) + Double(beside.count) * 0.3)
    }
    columns[layer] = zip(keys, columns[layer]).enumerated()
      .sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1)
    for (place, item) in columns[layer].enumerated() { positions[item] = place }
  }

  /// Exchanges neighbours as long as that reduces the cost.
  private mutating func exchange() {
    for _ in 0..<20 {
      var helped = false
      for layer in columns.indices {
        for place in columns[layer].indices.dropLast() {
          let before = cost(around: layer)
          swap(layer, place)
          if cost(around: layer) < before - 1e-9 { helped = true } else { swap(layer, place) }
        }
      }
      if !helped { return }
    }
  }

  private mutating func swap(_ layer: Int, _ place: Int) {
    columns[layer].swapAt(place, place + 1)
    positions[columns[layer][place]] = place
    positions[columns[layer][place + 1]] = place + 1
  }

  private var cost: Double { columns.indices.reduce(0) { $0 + crossings(rightOf: $1) + besideCost($1) } }

  private func cost(around layer: Int) -> Double {
    (layer > 0 ? crossings(rightOf: layer - 1) : 0) + crossings(rightOf: layer) + besideCost(layer)
  }

  private func crossings(rightOf layer: Int) -> Double {
    var ends: [(from: Double, to: Double)] = []
    for item in columns[layer] {
      for link in items[item].right {
        ends.append((Double(positions[item]) + link.own, Double(positions[link.other]) + link.far))
      }
    }
    var count = 0.0
    for (index, line) in ends.enumerated() {
      for other in ends[..<index] where (line.from - other.from) * (line.to - other.to) < 0 { count += 1 }
    }
    return count
  }

  /// The cost of lines inside a column: their length, and the lines to the right that they cross.
  private func besideCost(_ layer: Int) -> Double {
    var cost = 0.0
    for item in columns[layer] {
      for link in items[item].beside where positions[link.other] > positions[item] {
        for between in columns[layer][(positions[item] + 1)..<positions[link.other]] {
          cost += 0.6 + Double(items[between].right.count)
        }
      }
    }
    return cost
  }
}
