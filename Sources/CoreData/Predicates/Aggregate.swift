/// The aggregates, such as a sum, of predicates, columns and conditions on groups. This table is the only list of them;
/// `Aggregate+Values` says what they make of values in memory, `Aggregate+SQL` how SQL computes them.
///
/// | | function | on a key path | of no values |
/// |---|---|---|---|
/// | `count` | `count:(books.pages)` | `books.@count.pages` | 0 |
/// | `sum` | `sum:(books.pages)` | `books.@sum.pages` | 0 |
/// | `min`, `max` | `min:(books.pages)` | `books.@min.pages` | nil |
/// | `average` | `average:(books.pages)` | `books.@avg.pages` | nil |
///
/// nil values are left out. The one exception is the count on a key path, which counts members whatever their values
/// are.
package enum Aggregate: String, CaseIterable, Sendable {
  case count, sum, min, max, average

  init?(_ function: PredicateFunction) {
    switch function {
    case .count: self = .count
    case .sum: self = .sum
    case .min: self = .min
    case .max: self = .max
    case .average: self = .average
    default: return nil
    }
  }

  /// - Parameter name: a step of a key path, such as `@sum`.
  init?(collectionOperator name: String) {
    guard let found = Aggregate.allCases.first(where: { $0.collectionOperator == name }) else { return nil }
    self = found
  }

  var collectionOperator: String { self == .average ? "@avg" : "@\(rawValue)" }
}
