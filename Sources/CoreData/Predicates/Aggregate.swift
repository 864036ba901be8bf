import Foundation

/// The aggregates, such as a sum. They are defined only here, for predicates, columns and conditions on groups, in
/// memory and in SQL.
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

  func value(of values: [PredicateConstant]) -> PredicateConstant {
    switch self {
    case .count: .int(Int64(values.count))
    case .sum: Aggregates.sum(values)
    case .min: Aggregates.extreme(values, wanted: -1)
    case .max: Aggregates.extreme(values, wanted: 1)
    case .average: Aggregates.average(values)
    }
  }
}
