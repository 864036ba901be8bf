/// Assigns a column to each box of a group, so that lines are short, children stand to the right of their parents, and
/// no column is much higher than the others.
///
/// It starts once from each box, with the distances from it, improves each start by moving single boxes, and takes the
/// best result. Nothing is random.
struct DiagramLayers {
  private let lines: [DiagramGraph.Line]
  private let heights: [Double]
  private let limit: Double
  /// The neighbours of each box, by position in the group.
  private var neighbors: [[(other: Int, isParent: Bool, isChild: Bool)]]

  /// The column of each box, counted from 0 without gaps.
  static func assign(_ group: [Int], _ lines: [DiagramGraph.Line], heights: [Double], width: Double) -> [Int] {
    if group.count == 1 { return [0] }
    return DiagramLayers(group, lines, heights: heights, width: width).best()
  }

  private init(_ group: [Int], _ lines: [DiagramGraph.Line], heights: [Double], width: Double) {
    self.lines = lines
    self.heights = heights
    let total = heights.reduce(0, +)
    let columns = max(1, (1.5 * total / width).squareRoot())
    limit = max(heights.max() ?? 0, total / columns * 1.1)
    neighbors = Array(repeating: [], count: group.count)
    let places = Dictionary(uniqueKeysWithValues: group.enumerated().map { ($1, $0) })
    for line in lines where !line.isLoop {
      guard let first = places[line.first.box], let second = places[line.second.box] else { continue }
      neighbors[first].append((second, false, line.parent != nil))
      neighbors[second].append((first, line.parent != nil, false))
    }
  }

  private func best() -> [Int] {
    let count = neighbors.count
    let starts =
      count <= 80
      ? Array(0..<count)
      : Array((0..<count).sorted { (neighbors[$1].count, $0) < (neighbors[$0].count, $1) }.prefix(40))
    var best: [Int] = []
    var bestCost = Double.infinity
    for start in starts {
      var layers = distances(from: start)
      improve(&layers)
      let cost = self.cost(layers)
      if cost < bestCost - 1e-9 { (best, bestCost) = (layers, cost) }
    }
    let used = Set(best).sorted()
    return best.map { used.firstIndex(of: $0)! }
  }

  private func distances(from start: Int) -> [Int] {
    var layers = Array(repeating: -1, count: neighbors.count)
    layers[start] = 0
    var queue = [start]
    var next = 0
    while next < queue.count {
      let box = queue[next]
      next += 1
      for neighbor in neighbors[box] where layers[neighbor.other] < 0 {
        layers[neighbor.other] = layers[box] + 1
        queue.append(neighbor.other)
      }
    }
    return layers
  }

  private func improve(_ layers: inout [Int]) {
    var columns: [Int: Double] = [:]
    for (box, layer) in layers.enumerated() { columns[layer, default: 0] += heights[box] }
    for _ in 0..<60 {
      var moved = false
      for box in layers.indices {
        let current = layers[box]
        var bestLayer = current
        var bestGain = 1e-9
        let (low, high) = (layers.min()! - 1, layers.max()! + 1)
        for layer in low...high where layer != current {
          let before =
            lineCost(box, at: current, layers) + excess(columns[current] ?? 0) + excess(columns[layer] ?? 0)
          let after =
            lineCost(box, at: layer, layers) + excess((columns[current] ?? 0) - heights[box])
            + excess((columns[layer] ?? 0) + heights[box])
          if before - after > bestGain { (bestGain, bestLayer) = (before - after, layer) }
        }
        if bestLayer != current {
          columns[current]! -= heights[box]
          columns[bestLayer, default: 0] += heights[box]
          layers[box] = bestLayer
          moved = true
        }
      }
      if !moved { return }
    }
  }

  private func cost(_ layers: [Int]) -> Double {
    var columns: [Int: Double] = [:]
    for (box, layer) in layers.enumerated() { columns[layer, default: 0] += heights[box] }
    return layers.indices.reduce(0) { $0 + lineCost($1, at: layers[$1], layers) } / 2
      + columns.sorted { $0.key < $1.key }.reduce(0) { $0 + excess($1.value) }
  }

  /// The cost of a column that is higher than it should be.
  private func excess(_ height: Double) -> Double {
    let over = max(0, height - limit) / limit
    return 12 * over + 12 * over * over
  }

  private func lineCost(_ box: Int, at layer: Int, _ layers: [Int]) -> Double {
    var cost = 0.0
    for neighbor in neighbors[box] {
      let span = layer - layers[neighbor.other]
      switch abs(span) {
      case 0: cost += 1.7
      case 1: cost += 1
      default: cost += 1 + 1.3 * Double(abs(span) - 1)
      }
      if neighbor.isParent, span <= 0 { cost += 1.5 }
      if neighbor.isChild, span >= 0 { cost += 1.5 }
    }
    return cost
  }
}
