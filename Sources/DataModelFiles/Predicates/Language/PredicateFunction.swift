import Foundation

/// The functions of the predicate language, by their selectors. Evaluation and SQL each know what they do.
///
/// Two more selectors occur in trees: `castObject:toType:` (written `CAST(x, "Type")`) and `FUNCTION`, whose
/// arguments are the operand, the method's name and the method's own arguments.
enum PredicateFunction: String, CaseIterable, Sendable {
  // Of a collection, or of several arguments.
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
  // The rest.
  case now = "now"
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  case canonical = "canonical:"
  case length = "length:"
  case noIndex = "noindex:"
  case distance = "distanceToLocation:fromLocation:"
  case cast = "castObject:toType:"
  case elementAt = "objectFrom:withIndex:"

  /// The spelling of a call of any method: not a function of its own.
  static let methodCall = "FUNCTION"

  /// By selector.
  private static let bySelector = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })

  /// By the name alone, for `lowercase(name)` and `modulus(a, b)`.
  private static let byName: [String: PredicateFunction] = {
    var names: [String: PredicateFunction] = [:]
    for function in allCases {
      names[String(function.rawValue.prefix { $0 != ":" }).lowercased()] = function
    }
    // "from:subtract:" and "objectFrom:withIndex:" are known by what they do as well.
    names["from"] = .subtract
    names["subtract"] = .subtract
    return names
  }()

  /// The function that `text` names, with or without its colons, in capitals or not.
  init?(spelling text: String) {
    guard
      let found = PredicateFunction(rawValue: text)
        ?? PredicateFunction.bySelector[text.lowercased()] ?? PredicateFunction.byName[text.lowercased()]
    else { return nil }
    self = found
  }

  /// How many arguments it takes. `sum:` and its like take one collection, or several numbers.
  func accepts(_ count: Int) -> Bool {
    switch self {
    case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation: return count >= 1
    case .random: return count <= 1
    default: return count == rawValue.filter { $0 == ":" }.count
    }
  }
}
