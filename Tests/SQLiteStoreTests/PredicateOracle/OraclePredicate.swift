import Foundation

/// A predicate: the oracle's own tree.
indirect enum OraclePredicate {
  enum Modifier: String {
    case direct = ""
    case any = "ANY "
    case all = "ALL "
    case none = "NONE "
  }

  case truth(Bool)
  case and([OraclePredicate])
  case or([OraclePredicate])
  case not(OraclePredicate)
  case compare(OracleComparison)
}

struct OracleComparison {
  enum Operator: String, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
    case between = "BETWEEN"
    case `in` = "IN"
    case begins = "BEGINSWITH"
    case ends = "ENDSWITH"
    case contains = "CONTAINS"
    case like = "LIKE"
    case matches = "MATCHES"

    static let orders: [Operator] = [.equal, .unequal, .less, .atMost, .greater, .atLeast]
    static let texts: [Operator] = [.begins, .ends, .contains, .like, .matches]
  }

  var modifier = OraclePredicate.Modifier.direct
  var left: OracleExpression
  var `operator`: Operator
  var right: OracleExpression
  /// Of `c`, `d`, `n`, `w`.
  var options = ""
  /// Whether SQL can't say it: the store must throw.
  var isRefused = false
}

indirect enum OracleExpression {
  case constant(OracleConstant)
  /// Keys from the object that is asked, or from a SUBQUERY's variable; without keys it is the object itself.
  case path(from: String?, [String])
  /// For IN and BETWEEN.
  case list([OracleExpression])
  /// `+ - * /`
  case arithmetic(String, OracleExpression, OracleExpression)
  case function(String, [OracleExpression])
  case ternary(OraclePredicate, OracleExpression, OracleExpression)
  case cast(OracleExpression, String)
  /// `SUBQUERY(collection, $variable, predicate)`, and keys behind it.
  case subquery(OracleExpression, String, OraclePredicate, [String])
}

extension OraclePredicate {
  var comparisons: [OracleComparison] {
    switch self {
    case .truth: []
    case .and(let parts), .or(let parts): parts.flatMap(\.comparisons)
    case .not(let part): part.comparisons
    case .compare(let comparison):
      [comparison] + comparison.left.predicates.flatMap(\.comparisons)
        + comparison.right.predicates.flatMap(\.comparisons)
    }
  }

  var isRefused: Bool { comparisons.contains(where: \.isRefused) }

  /// All keys that occur.
  var keys: Set<String> { comparisons.reduce(into: []) { $0.formUnion($1.left.keys.union($1.right.keys)) } }

  /// Variables of SUBQUERYs that are not around.
  var freeVariables: Set<String> {
    switch self {
    case .truth: []
    case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.freeVariables) }
    case .not(let part): part.freeVariables
    case .compare(let comparison): comparison.left.freeVariables.union(comparison.right.freeVariables)
    }
  }

  /// The objects among the constants.
  var objects: Set<Int> {
    comparisons.reduce(into: []) { $0.formUnion($1.left.objects.union($1.right.objects)) }
  }

  /// Predicates that are a little simpler.
  var simpler: [OraclePredicate] {
    switch self {
    case .truth: return []
    case .and(let parts), .or(let parts):
      var isAnd = false
      if case .and = self { isAnd = true }
      var found = parts
      for (index, part) in parts.enumerated() {
        for less in part.simpler {
          var other = parts
          other[index] = less
          found.append(isAnd ? .and(other) : .or(other))
        }
      }
      return found
    case .not(let part): return [part] + part.simpler.map(OraclePredicate.not)
    case .compare(let comparison):
      var found: [OraclePredicate] = (comparison.left.predicates + comparison.right.predicates)
      func with(_ change: (inout OracleComparison) -> Void) {
        var other = comparison
        change(&other)
        found.append(.compare(other))
      }
      if !comparison.options.isEmpty { with { $0.options = "" } }
      if comparison.modifier != .direct { with { $0.modifier = .direct } }
      if comparison.operator == .unequal { with { $0.operator = .equal } }
      for less in comparison.left.simpler { with { $0.left = less } }
      for less in comparison.right.simpler { with { $0.right = less } }
      return found
    }
  }
}

extension OracleExpression {
  private var parts: [OracleExpression] {
    switch self {
    case .constant, .path: []
    case .list(let members), .function(_, let members): members
    case .arithmetic(_, let a, let b): [a, b]
    case .ternary(_, let a, let b): [a, b]
    case .cast(let value, _): [value]
    case .subquery(let collection, _, _, _): [collection]
    }
  }

  /// Predicates in the expression.
  var predicates: [OraclePredicate] {
    var own: [OraclePredicate] = []
    if case .ternary(let predicate, _, _) = self { own = [predicate] }
    if case .subquery(_, _, let predicate, _) = self { own = [predicate] }
    return own + parts.flatMap(\.predicates)
  }

  var keys: Set<String> {
    var keys = parts.reduce(into: Set<String>()) { $0.formUnion($1.keys) }
    if case .path(_, let path) = self { keys.formUnion(path) }
    if case .subquery(_, _, let predicate, let path) = self { keys.formUnion(predicate.keys.union(path)) }
    if case .ternary(let predicate, _, _) = self { keys.formUnion(predicate.keys) }
    return keys
  }

  var freeVariables: Set<String> {
    var free = parts.reduce(into: Set<String>()) { $0.formUnion($1.freeVariables) }
    switch self {
    case .path(let variable?, _): free.insert(variable)
    case .ternary(let predicate, _, _): free.formUnion(predicate.freeVariables)
    case .subquery(_, let variable, let predicate, _):
      free.formUnion(predicate.freeVariables.subtracting([variable]))
    default: break
    }
    return free
  }

  var objects: Set<Int> {
    if case .constant(.object(let number)) = self { return [number] }
    return parts.reduce(into: Set<Int>()) { $0.formUnion($1.objects) }
      .union(predicates.reduce(into: Set<Int>()) { $0.formUnion($1.objects) })
  }

  /// Expressions that are a little simpler, of the same sort of value.
  var simpler: [OracleExpression] {
    switch self {
    case .constant(.int(let value)) where value != 0: return [.constant(.int(0)), .constant(.int(value / 2))]
    case .constant(.real(let value)) where value != 0: return [.constant(.int(0))]
    case .constant(.text(let value)) where !value.isEmpty: return [.constant(.text(String(value.dropLast())))]
    case .constant, .path: return []
    case .list(let members):
      return members.indices.map { index in
        .list(members.enumerated().filter { $0.offset != index }.map(\.element))
      }
    case .arithmetic(let sign, let a, let b):
      return [a, b] + a.simpler.map { .arithmetic(sign, $0, b) } + b.simpler.map { .arithmetic(sign, a, $0) }
    case .function(let name, let arguments):
      // The length of a text is no text.
      var found = name == "length" ? [] : arguments
      for (index, argument) in arguments.enumerated() {
        for less in argument.simpler {
          var other = arguments
          other[index] = less
          found.append(.function(name, other))
        }
      }
      return found
    case .ternary(let predicate, let a, let b):
      return [a, b] + predicate.simpler.map { .ternary($0, a, b) }
        + a.simpler.map { .ternary(predicate, $0, b) }
        + b.simpler.map { .ternary(predicate, a, $0) }
    case .cast(let value, let type): return value.simpler.map { .cast($0, type) }
    case .subquery(let collection, let variable, let predicate, let path):
      if case .truth = predicate { return [] }
      return [.subquery(collection, variable, .truth(true), path)]
        + predicate.simpler.map { .subquery(collection, variable, $0, path) }
    }
  }
}
