/// Writes predicates of model files in the format language.
extension ModelPredicate {
  var text: String {
    switch self {
    case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): return comparison.text
    case .and(let members): return joined(members, " AND ", empty: "TRUEPREDICATE")
    case .or(let members): return joined(members, " OR ", empty: "FALSEPREDICATE")
    case .not(let member): return "NOT \(member.inParentheses)"
    }
  }

  private func joined(_ members: [ModelPredicate], _ symbol: String, empty: String) -> String {
    members.isEmpty ? empty : members.map(\.inParentheses).joined(separator: symbol)
  }

  private var inParentheses: String {
    switch self {
    case .and, .or, .not: "(\(text))"
    case .constant, .comparison: text
    }
  }
}

extension ModelPredicate.Comparison {
  fileprivate var text: String {
    var symbol = ModelPredicate.symbols.first { $0.relation == relation }?.text ?? "=="
    let letters = ModelPredicate.Options.letters.filter { options.contains($0.0) }.map(\.1)
    if !letters.isEmpty { symbol += "[\(String(letters))]" }
    let start =
      switch modifier {
      case .direct: ""
      case .all: "ALL "
      case .any: "ANY "
      }
    return "\(start)\(left.text) \(symbol) \(right.text)"
  }
}

extension ModelPredicate {
  /// How the relations are written; the first spelling of each is ours.
  static let symbols: [(text: String, relation: Relation)] = [
    ("<", .less), ("<=", .lessOrEqual), ("=<", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual),
    ("=>", .greaterOrEqual), ("==", .equal), ("=", .equal), ("!=", .notEqual), ("<>", .notEqual),
    ("MATCHES", .matches), ("LIKE", .like), ("BEGINSWITH", .beginsWith), ("ENDSWITH", .endsWith), ("IN", .isIn),
    ("CONTAINS", .contains), ("BETWEEN", .between),
  ]
}

extension ModelExpression {
  /// The functions that are written with a sign between two operands.
  static let signs: [(sign: String, selector: String)] = [
    ("+", "add:to:"), ("-", "from:subtract:"), ("*", "multiply:by:"), ("/", "divide:by:"),
  ]

  /// nil where the format language has no spelling of a constant.
  private func spelling(_ value: DataModel.Value) -> String? {
    switch value {
    case .boolean(let flag): flag ? "YES" : "NO"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): ModelExpression.quoted(text)
    case .date(let seconds): "CAST(\(seconds), \"NSDate\")"
    case .decimal, .data, .uuid, .uri: nil
    }
  }

  /// Whether the format language has a spelling of every part.
  var isWritable: Bool {
    switch self {
    case .constant(let value): spelling(value) != nil
    case .keyPath(_, let operand): operand.isWritable
    case .function(_, let arguments), .aggregate(let arguments): arguments.allSatisfy(\.isWritable)
    case .method(_, let operand, let arguments): operand.isWritable && arguments.allSatisfy(\.isWritable)
    case .fetch(let request, let context, _): request.isWritable && context.isWritable
    case .null, .evaluatedObject, .variable: true
    }
  }

  var text: String {
    switch self {
    case .null: return "nil"
    case .constant(let value): return spelling(value) ?? "?"
    case .evaluatedObject: return "SELF"
    case .variable(let name): return "$\(name)"
    case .keyPath(let path, of: .evaluatedObject): return path
    case .keyPath(let path, let operand): return "\(operand.text).\(path)"
    case .function(let selector, let arguments):
      if arguments.count == 2, let sign = Self.signs.first(where: { $0.selector == selector })?.sign {
        return "(\(arguments[0].text) \(sign) \(arguments[1].text))"
      }
      return "\(selector)(\(arguments.map(\.text).joined(separator: ", ")))"
    case .method(let selector, let operand, let arguments):
      let parts = [operand.text, Self.quoted(selector)] + arguments.map(\.text)
      return "FUNCTION(\(parts.joined(separator: ", ")))"
    case .fetch(let request, let context, let countOnly):
      return "FETCH(\(request.text), \(context.text), \(countOnly ? "YES" : "NO"))"
    case .aggregate(let elements): return "{\(elements.map(\.text).joined(separator: ", "))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for character in text.unicodeScalars {
      if character == "\"" || character == "\\" { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(character)
    }
    return result + "\""
  }
}
