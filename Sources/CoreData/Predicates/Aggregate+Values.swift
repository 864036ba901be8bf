import Foundation

/// The aggregates in memory. nils are left out before.
extension Aggregate {
  func value(of values: [PredicateConstant]) -> PredicateConstant {
    switch self {
    case .count: .int(Int64(values.count))
    case .sum: Aggregate.total(of: values)
    case .min: Aggregate.extreme(of: values, wanted: -1)
    case .max: Aggregate.extreme(of: values, wanted: 1)
    case .average: Aggregate.mean(of: values)
    }
  }

  /// 0 for none. Integers stay integers unless they overflow. Where one is a decimal, all are added as decimals: binary
  /// fractions make 0.30000000000000004 of 0.1 and 0.2.
  static func total(of values: [PredicateConstant]) -> PredicateConstant {
    if values.contains(where: { if case .decimal = $0 { true } else { false } }) {
      return .decimal(values.compactMap(\.decimal).reduce(0, +))
    }
    var exact: Int64? = 0
    var real = 0.0
    for value in values {
      guard let number = value.number else { continue }
      real += number
      switch value {
      case .int(let value):
        let (sum, overflow) = (exact ?? 0).addingReportingOverflow(value)
        exact = exact == nil || overflow ? nil : sum
      case .bool(let value): exact = exact.map { $0 &+ (value ? 1 : 0) }
      default: exact = nil
      }
    }
    return exact.map(PredicateConstant.int) ?? .double(real)
  }

  /// nil for none.
  private static func mean(of values: [PredicateConstant]) -> PredicateConstant {
    let numbers = values.compactMap(\.number)
    return numbers.isEmpty ? .null : .double(numbers.reduce(0, +) / Double(numbers.count))
  }

  /// The smallest for -1, the largest for 1; nil for none. NaN is neither, unless there is nothing else.
  private static func extreme(of values: [PredicateConstant], wanted: Int) -> PredicateConstant {
    var found = PredicateConstant.null
    for value in values where !value.isNull {
      if found.isNull || found.isNotANumber {
        found = value
      } else if let order = ValueComparison.order(value, found), order * wanted > 0 {
        found = value
      }
    }
    return found
  }
}

extension PredicateConstant {
  /// The number it stands for, without the error of a binary fraction where it is a decimal or an integer.
  var decimal: Decimal? {
    switch self {
    case .decimal(let value): value
    case .int(let value): Decimal(value)
    default: number.map(Decimal.init(rounding:))
    }
  }
}
