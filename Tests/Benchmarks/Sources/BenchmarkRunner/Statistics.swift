import Foundation

/// The middle and the ends of some values, one a round.
struct Spread {
  let median: Double
  let least: Double
  let greatest: Double

  /// Nil without values.
  init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    least = first
    greatest = last
  }

  /// `median (least-greatest)`.
  func text(_ digits: Int) -> String {
    "\(median.text(digits)) (\(least.text(digits))-\(greatest.text(digits)))"
  }
}

extension Double {
  func text(_ digits: Int) -> String {
    String(format: "%.\(digits)f", self)
  }
}

extension Int {
  /// With a comma every three digits.
  var grouped: String {
    var text = String(self)
    var position = text.count - 3
    while position > (self < 0 ? 1 : 0) {
      text.insert(",", at: text.index(text.startIndex, offsetBy: position))
      position -= 3
    }
    return text
  }
}

/// The figures of all rounds at one size. A ratio is taken within a round and only then over rounds, so that
/// a slow phase of the machine, which both sides of a round share, cancels out.
struct Samples {
  let size: Int
  private var figures: [Figure: [Int: Double]] = [:]

  init(size: Int) {
    self.size = size
  }

  mutating func record(_ value: Double, for figure: Figure, round: Int) {
    figures[figure, default: [:]][round] = value
  }

  func spread(_ figure: Figure) -> Spread? {
    Spread(Array((figures[figure] ?? [:]).values))
  }

  func spread(_ quantity: Goal.Quantity) -> Spread? {
    switch quantity {
    case .ratio(let numerator, let denominator):
      // A process may grow by nothing; nothing can be said of that many times nothing.
      let denominators = (figures[denominator] ?? [:]).filter { $0.value > 0 }
      return Spread(
        (figures[numerator] ?? [:]).compactMap { round, value in denominators[round].map { value / $0 } })
    case .share(let figure, let others):
      return Spread(
        (figures[figure] ?? [:]).compactMap { round, value in
          let parts = others.compactMap { figures[$0]?[round] }
          return parts.count == others.count ? value / parts.reduce(0, +) : nil
        })
    case .nanosecondsMore(let figure, let base):
      let bases = figures[base] ?? [:]
      return Spread(
        (figures[figure] ?? [:]).compactMap { round, value in
          bases[round].map { (value - $0) * 1e6 / Double(size * 3) }
        })
    case .nanoseconds(let figure, let perBook):
      return Spread((figures[figure] ?? [:]).values.map { $0 * 1e6 / (Double(size) * perBook) })
    case .plain(let figure):
      return spread(figure)
    case .bytesPerBook(let figure):
      return Spread((figures[figure] ?? [:]).values.map { $0 / Double(size) })
    }
  }
}
