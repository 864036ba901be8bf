/// The layout of one group: columns of boxes, and lines that run in the gaps between columns and through rows that are
/// kept free for them.
struct DiagramLayout {
  struct Point: Equatable {
    var x: Int
    var y: Int
  }

  struct PlacedBox {
    let box: Int
    var x: Int
    var y: Int
    let width: Int
    let height: Int
    /// The height of the head.
    let head: Int
  }

  struct Path {
    let line: Int
    var points: [Point]
    /// Whether the line leaves its first box, and its last box, on the right.
    let startsRight: Bool
    let endsRight: Bool
    /// Whether the path begins at the line's second end.
    let isReversed: Bool
  }

  static let row = DiagramPlaces.grid
  private static let margin = 30
  private static let track = 12

  private(set) var boxes: [PlacedBox] = []
  private(set) var paths: [Path] = []
  private(set) var width = 0
  private(set) var height = 0

  private let graph: DiagramGraph
  private let group: [Int]
  private let widths: [Int]
  private var layers: [Int: Int] = [:]
  /// Each line of the group as the items that it passes, from left to right.
  private var chains: [(line: Int, items: [Int], isReversed: Bool)] = []
  private var items: [DiagramOrder.Item] = []
  /// The positions of line ends in heads, by box, side, and line or parent.
  private var slots: [Slot: Int] = [:]
  private var heads: [Int: Int] = [:]

  private struct Slot: Hashable {
    let box: Int
    let isRight: Bool
    /// The line; nil for the place that all children share.
    let line: Int?
  }

  /// - Parameter widths: the widths of all boxes of the graph.
  init(_ graph: DiagramGraph, _ group: [Int], widths: [Int]) {
    self.graph = graph
    self.group = group
    self.widths = widths
    assignLayers()
    makeItems()
    let order = DiagramOrder(items)
    assignSlots(order)
    var tops = self.tops(order)
    place(order, &tops)
  }

  // Columns.

  private mutating func assignLayers() {
    let average = group.reduce(0.0) { $0 + Double(widths[$1]) } / Double(group.count) + 110
    let heights = group.map { Double(graph.boxes[$0].rows.count * Self.row + 2 * Self.row + 40) }
    let found = DiagramLayers.assign(group, graph.lines, heights: heights, width: average)
    layers = Dictionary(uniqueKeysWithValues: zip(group, found))
  }

  private mutating func makeItems() {
    items = group.map { DiagramOrder.Item(box: $0, layer: layers[$0]!) }
    let places = Dictionary(uniqueKeysWithValues: group.enumerated().map { ($1, $0) })
    for (index, line) in graph.lines.enumerated() {
      guard let first = places[line.first.box], let second = places[line.second.box] else { continue }
      let isReversed = items[first].layer > items[second].layer
      let (left, right) = isReversed ? (second, first) : (first, second)
      let (leftEnd, rightEnd) = isReversed ? (line.second, line.first) : (line.first, line.second)
      if items[left].layer == items[right].layer {
        chains.append((index, [left, right], false))
        if left != right {
          items[left].beside.append(.init(other: right, own: part(leftEnd), far: part(rightEnd)))
          items[right].beside.append(.init(other: left, own: part(rightEnd), far: part(leftEnd)))
        }
        continue
      }
      var chain = [left]
      for layer in (items[left].layer + 1)..<items[right].layer {
        chain.append(items.count)
        items.append(DiagramOrder.Item(box: nil, layer: layer))
      }
      chain.append(right)
      for (from, to) in zip(chain, chain.dropFirst()) {
        let own = from == left ? part(leftEnd) : 0.5
        let far = to == right ? part(rightEnd) : 0.5
        items[from].right.append(.init(other: to, own: own, far: far))
        items[to].left.append(.init(other: from, own: far, far: own))
      }
      chains.append((index, chain, isReversed))
    }
  }

  /// The position of an end in its box, from 0 at the top to 1 at the bottom.
  private func part(_ end: DiagramGraph.End) -> Double {
    let rows = Double(graph.boxes[end.box].rows.count + 2)
    return (end.row.map { Double($0) + 2.5 } ?? 1) / rows
  }

  // Ends.

  private func ends(_ chain: (line: Int, items: [Int], isReversed: Bool)) -> (
    DiagramGraph.End, DiagramGraph.End
  ) {
    let line = graph.lines[chain.line]
    return chain.isReversed ? (line.second, line.first) : (line.first, line.second)
  }

  private func isBeside(_ chain: (line: Int, items: [Int], isReversed: Bool)) -> Bool {
    items[chain.items[0]].layer == items[chain.items[chain.items.count - 1]].layer
  }

  private func slot(_ end: DiagramGraph.End, isRight: Bool, line: Int) -> Slot {
    Slot(box: end.box, isRight: isRight, line: graph.lines[line].parent == end.box ? nil : line)
  }

  /// Assigns places to the ends at heads, in the order of what they lead to.
  private mutating func assignSlots(_ order: DiagramOrder) {
    var positions = Array(repeating: 0, count: items.count)
    for column in order.columns { for (place, item) in column.enumerated() { positions[item] = place } }
    var wanted: [(slot: Slot, position: Int, line: Int)] = []
    for chain in chains {
      let (left, right) = ends(chain)
      let last = chain.items.count - 1
      if left.row == nil {
        wanted.append((slot(left, isRight: true, line: chain.line), positions[chain.items[1]], chain.line))
      }
      if right.row == nil {
        wanted.append(
          (
            slot(right, isRight: isBeside(chain), line: chain.line), positions[chain.items[last - 1]],
            chain.line
          ))
      }
    }
    var counts: [Slot: Int] = [:]
    for entry in wanted.sorted(by: { ($0.position, $0.line) < ($1.position, $1.line) })
    where slots[entry.slot] == nil {
      let side = Slot(box: entry.slot.box, isRight: entry.slot.isRight, line: -1)
      slots[entry.slot] = counts[side, default: 0]
      counts[side, default: 0] += 1
    }
    for box in group {
      let most = [true, false].map { counts[Slot(box: box, isRight: $0, line: -1)] ?? 0 }.max() ?? 0
      heads[box] = Self.row * max(2, most)
    }
  }

  /// The distance of an end from the top of its box.
  private func offset(_ end: DiagramGraph.End, isRight: Bool, line: Int) -> Int {
    if let row = end.row { return heads[end.box]! + row * Self.row + Self.row / 2 }
    return slots[slot(end, isRight: isRight, line: line)]! * Self.row + Self.row / 2
  }

  private func boxHeight(_ box: Int) -> Int { heads[box]! + graph.boxes[box].rows.count * Self.row + 6 }

  // Heights.

  private func tops(_ order: DiagramOrder) -> [Int] {
    var links: [[DiagramPlaces.Link]] = Array(repeating: [], count: items.count)
    for chain in chains where !isBeside(chain) {
      let (leftEnd, rightEnd) = ends(chain)
      for (from, to) in zip(chain.items, chain.items.dropFirst()) {
        let own = items[from].box == nil ? Self.row / 2 : offset(leftEnd, isRight: true, line: chain.line)
        let far = items[to].box == nil ? Self.row / 2 : offset(rightEnd, isRight: false, line: chain.line)
        let bends = (items[from].box == nil ? 1 : 0) + (items[to].box == nil ? 1 : 0)
        let weight = bends == 2 ? 8.0 : bends == 1 ? 2 : 1
        links[from].append(.init(other: to, own: Double(own), far: Double(far), weight: weight))
        links[to].append(.init(other: from, own: Double(far), far: Double(own), weight: weight))
      }
    }
    return DiagramPlaces.tops(
      columns: order.columns, heights: items.map { $0.box.map(boxHeight) ?? Self.row },
      distances: { distance($0, $1) }, links: links)
  }

  private func distance(_ item: Int, _ next: Int) -> Int {
    let below = items[next].box == nil ? 14 : 30
    let least =
      items[item].box.map { boxHeight($0) + below } ?? (items[next].box == nil ? Self.row : 2 * Self.row)
    return (least + Self.row - 1) / Self.row * Self.row
  }

  // Lines.

  private mutating func place(_ order: DiagramOrder, _ tops: inout [Int]) {
    let count = order.columns.count
    let columnWidths = order.columns.map { column in
      column.compactMap { items[$0].box.map { widths[$0] } }.max() ?? 0
    }
    var x = 0
    var columnX: [Int] = []
    var gaps: [Gap] = []
    for column in 0..<count {
      columnX.append(x)
      x += columnWidths[column]
      var gap = Gap(self, column, tops)
      var channel = DiagramChannel(gap.nets)
      if channel == nil {
        // Moves the right side down by half a row, so that none of its ends is at the height of an end on the left.
        for item in items.indices where items[item].layer > column { tops[item] += Self.row / 2 }
        gap = Gap(self, column, tops)
        channel = DiagramChannel(gap.nets)
      }
      gap.channel = channel
      gap.x = x
      let tracks = channel?.count ?? 0
      let isLast = column == count - 1
      if isLast {
        if tracks > 0 { x += Self.margin + tracks * Self.track }
      } else {
        x += 2 * Self.margin + max(1, tracks - 1) * Self.track
        gap.spare = tracks <= 1 ? Self.track / 2 : 0
      }
      gaps.append(gap)
    }
    width = x
    for (item, box) in items.enumerated() {
      guard let box = box.box else { continue }
      let layer = items[item].layer
      boxes.append(
        PlacedBox(
          box: box, x: columnX[layer] + (columnWidths[layer] - widths[box]) / 2, y: tops[item],
          width: widths[box],
          height: boxHeight(box), head: heads[box]!))
    }
    height = boxes.map { $0.y + $0.height }.max() ?? 0
    for chain in chains { paths.append(path(chain, gaps, tops)) }
    let lowest = paths.flatMap(\.points).map(\.y).max() ?? 0
    height = max(height, lowest + Self.row / 2)
  }

  private func path(
    _ chain: (line: Int, items: [Int], isReversed: Bool), _ gaps: [Gap], _ tops: [Int]
  ) -> Path {
    let (leftEnd, rightEnd) = ends(chain)
    let left = boxes.first { $0.box == leftEnd.box }!
    let right = boxes.first { $0.box == rightEnd.box }!
    let isBeside = self.isBeside(chain)
    let start = left.y + offset(leftEnd, isRight: true, line: chain.line)
    let end = right.y + offset(rightEnd, isRight: isBeside, line: chain.line)
    var points = [Point(x: left.x + left.width, y: start)]
    var y = start
    for (step, item) in chain.items.dropLast().enumerated() {
      let gap = gaps[items[item].layer]
      let next = chain.items[step + 1]
      let nextY = items[next].box == nil ? tops[next] + Self.row / 2 : end
      if let track = gap.x(ofLine: chain.line, margin: Self.margin, track: Self.track), nextY != y || isBeside {
        points.append(Point(x: track, y: y))
        points.append(Point(x: track, y: nextY))
      }
      y = nextY
    }
    points.append(Point(x: isBeside ? right.x + right.width : right.x, y: end))
    return Path(
      line: chain.line, points: points, startsRight: true, endsRight: isBeside, isReversed: chain.isReversed)
  }

  /// The gap to the right of a column, and the lines that pass it.
  private struct Gap {
    var nets: [DiagramChannel.Net] = []
    /// The net of each line, by line.
    private var netOfLine: [Int: Int] = [:]
    var channel: DiagramChannel?
    var x = 0
    var spare = 0

    init(_ layout: DiagramLayout, _ column: Int, _ tops: [Int]) {
      var netOfParent: [DiagramLayout.Slot: Int] = [:]
      for chain in layout.chains {
        let (leftEnd, rightEnd) = layout.ends(chain)
        let isBeside = layout.isBeside(chain)
        for (from, to) in zip(chain.items, chain.items.dropFirst()) where layout.items[from].layer == column {
          func height(_ item: Int, _ end: DiagramGraph.End, _ isRight: Bool) -> Int {
            layout.items[item].box == nil
              ? tops[item] + DiagramLayout.row / 2
              : tops[item] + layout.offset(end, isRight: isRight, line: chain.line)
          }
          // Children share the way to their parent.
          var shared: DiagramLayout.Slot?
          if let parent = layout.graph.lines[chain.line].parent {
            if layout.items[from].box == parent, parent == leftEnd.box {
              shared = layout.slot(leftEnd, isRight: true, line: chain.line)
            } else if layout.items[to].box == parent, parent == rightEnd.box {
              shared = layout.slot(rightEnd, isRight: isBeside, line: chain.line)
            }
          }
          var net = nets.count
          if let known = shared.flatMap({ netOfParent[$0] }) { net = known } else { nets.append(.init()) }
          if let shared { netOfParent[shared] = net }
          netOfLine[chain.line] = net
          nets[net].left.insert(height(from, leftEnd, true))
          if isBeside {
            nets[net].left.insert(height(to, rightEnd, true))
          } else {
            nets[net].right.insert(height(to, rightEnd, false))
          }
        }
      }
    }

    /// The position at which a line changes its height; nil if it doesn't in this gap.
    func x(ofLine line: Int, margin: Int, track: Int) -> Int? {
      guard let net = netOfLine[line], let number = channel?.tracks[net], number >= 0 else { return nil }
      return x + margin + spare + number * track
    }
  }
}
