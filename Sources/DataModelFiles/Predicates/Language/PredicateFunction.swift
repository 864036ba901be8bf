import Foundation

/// The functions of the predicate language, by selector. The evaluator and the SQL translation define what they do.
///
/// Trees contain two more selectors: `castObject:toType:`, written `CAST(x, "Type")`, and `FUNCTION`. The arguments of
/// `FUNCTION` are the operand, the method's name and the method's own arguments.
enum PredicateFunction: String, CaseIterable, Sendable {
  // Functions of a collection, or of several arguments.
  case sum = "sum:"
  case count = "count:"
  case min = "min:"
  case max = "max:"
  case average = "average:"
  case median = "median:"
  case mode = "mode:"
  case standardDeviation = "stddev:"
  // Arithmetic.
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case squareRoot = "sqrt:"
  case logarithm = "log:"
  case naturalLogarithm = "ln:"
  case power = "raise:toPower:"
  case exponential = "exp:"
  case ceiling = "ceiling:"
  case floor = "floor:"
  case absolute = "abs:"
  case truncate = "trunc:"
  case random = "random"
  case randomBelow = "randomn:"
  // Bits.
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"
  // Other functions.
  case now = "now"
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  case canonical = "canonical:"
  case length = "length:"
  case noIndex = "noindex:"
  case distance = "distanceToLocation:fromLocation:"
  case cast = "castObject:toType:"
  case elementAt = "objectFrom:withIndex:"

  /// The selector for calls of arbitrary methods. It isn't a function of its own.
  static let methodCall = "FUNCTION"

  /// Functions by selector.
  private static let bySelector = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })

  /// Functions by name alone, as in `lowercase(name)` and `modulus(a, b)`.
  private static let byName: [String: PredicateFunction] = {
    var names: [String: PredicateFunction] = [:]
    for function in allCases {
      names[String(function.rawValue.prefix { $0 != ":" }).lowercased()] = function
    }
    // "from:subtract:" is also known as "subtract".
    names["from"] = .subtract
    names["subtract"] = .subtract
    return names
  }()

  /// The function with this name, with or without colons, in upper or lower case.
  init?(spelling text: String) {
    guard
      let found = PredicateFunction(rawValue: text)
        ?? PredicateFunction.bySelector[text.lowercased()] ?? PredicateFunction.byName[text.lowercased()]
    else { return nil }
    self = found
  }

  /// Whether the function takes `count` arguments. `sum:` and its like take one collection or several numbers.
  func accepts(_ count: Int) -> Bool {
    switch self {
    case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation: return count >= 1
    case .random: return count <= 1
    default: return count == rawValue.filter { $0 == ":" }.count
    }
  }
}
