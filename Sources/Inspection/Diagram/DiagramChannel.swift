/// The gap between two columns. It gives each line that changes its height there a vertical track of its own, so that
/// lines never overlap and seldom cross.
struct DiagramChannel {
  /// The ends on both sides that one line joins, or several lines that share their way.
  struct Net {
    /// The heights of the ends on the left and on the right.
    var left: Set<Int> = []
    var right: Set<Int> = []

    var low: Int { min(left.min() ?? .max, right.min() ?? .max) }
    var high: Int { max(left.max() ?? .min, right.max() ?? .min) }
    /// A line that keeps its height needs no track.
    var isStraight: Bool { left.count == 1 && left == right }
  }

  /// The track of each net, counted from 0 at the left; -1 for a straight net.
  let tracks: [Int]
  let count: Int

  /// Nil if no order of tracks keeps all lines apart. One side then has to move by half a row.
  init?(_ nets: [Net]) {
    let bent = nets.indices.filter { !nets[$0].isStraight }
    // If a line ends on the left at the height at which another ends on the right, it must turn before the other.
    var before: [Int: Set<Int>] = [:]
    for net in bent {
      before[net] = Set(bent.filter { $0 != net && !nets[$0].left.isDisjoint(with: nets[net].right) })
    }
    var order: [Int] = []
    var waiting = bent
    while !waiting.isEmpty {
      let free = waiting.filter { before[$0]!.isDisjoint(with: waiting) }
      guard !free.isEmpty else { return nil }
      let chosen = free.min { left, right in
        (Self.preference(left, waiting, nets), left) < (Self.preference(right, waiting, nets), right)
      }!
      order.append(chosen)
      waiting.removeAll { $0 == chosen }
    }
    Self.exchange(&order, nets, before)
    var tracks = Array(repeating: -1, count: nets.count)
    for (place, net) in order.enumerated() {
      for other in order[..<place] {
        let meets = nets[net].low <= nets[other].high + 10 && nets[other].low <= nets[net].high + 10
        if meets || before[net]!.contains(other) { tracks[net] = max(tracks[net], tracks[other]) }
      }
      tracks[net] += 1
    }
    self.tracks = tracks
    count = (tracks.max() ?? -1) + 1
  }

  private static func preference(_ net: Int, _ waiting: [Int], _ nets: [Net]) -> Int {
    waiting.reduce(0) {
      $1 == net ? $0 : $0 + crossings(nets[net], nets[$1]) - crossings(nets[$1], nets[net])
    }
  }

  /// How often two nets cross if the first one's track is on the left.
  private static func crossings(_ first: Net, _ second: Net) -> Int {
    first.right.count { second.low < $0 && $0 < second.high }
      + second.left.count { first.low < $0 && $0 < first.high }
  }

  private static func exchange(_ order: inout [Int], _ nets: [Net], _ before: [Int: Set<Int>]) {
    for _ in 0..<order.count {
      var helped = false
      for place in order.indices.dropLast() {
        let (first, second) = (order[place], order[place + 1])
        guard !before[second]!.contains(first),
          crossings(nets[second], nets[first]) < crossings(nets[first], nets[second])
        else { continue }
        order.swapAt(place, place + 1)
        helped = true
      }
      if !helped { return }
    }
  }
}
