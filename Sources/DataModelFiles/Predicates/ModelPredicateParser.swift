/// Reads predicates and expressions of model files: the part of the format language that a model's editor makes
/// and people type into it. What it can't read is nil, never an error: the stack reads the text then.
///
/// Binding, loosest first: `OR`, `AND`, `NOT`, comparison, `+ -`, `* /`, `.key`.
struct ModelPredicateParser {
  private typealias Token = ModelPredicateToken

  private enum Parsed {
    case predicate(ModelPredicate)
    case expression(ModelExpression)
  }

  private struct Unread: Error {}

  private var tokens: [Token]
  private var position = 0
  private var depth = 0

  static func predicate(_ text: String) -> ModelPredicate? {
    guard var parser = ModelPredicateParser(text), case .predicate(let result)? = try? parser.disjunction(),
      parser.token == .end
    else { return nil }
    return result
  }

  static func expression(_ text: String) -> ModelExpression? {
    guard var parser = ModelPredicateParser(text), let result = try? parser.sum(), parser.token == .end,
      case .expression(let expression) = result
    else { return nil }
    return expression
  }

  // Tokens.

  private init?(_ text: String) {
    guard let tokens = ModelPredicateToken.tokens(of: text) else { return nil }
    self.tokens = tokens
  }

  private var token: Token { position < tokens.count ? tokens[position] : .end }

  private mutating func take(_ sign: String) -> Bool {
    guard token == .sign(sign) else { return false }
    position += 1
    return true
  }

  /// A word of the language, in capitals or not.
  private mutating func takeWord(_ word: String) -> Bool {
    guard case .word(let text) = token, text.uppercased() == word else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ sign: String) throws {
    guard take(sign) else { throw Unread() }
  }

  // Predicates. A parenthesis may hold either kind, which shows only inside.

  private func predicate(_ parsed: Parsed) throws -> ModelPredicate {
    guard case .predicate(let predicate) = parsed else { throw Unread() }
    return predicate
  }

  private func expression(_ parsed: Parsed) throws -> ModelExpression {
    guard case .expression(let expression) = parsed else { throw Unread() }
    return expression
  }

  private mutating func disjunction() throws -> Parsed {
    let first = try conjunction()
    var members: [ModelPredicate] = []
    while take("||") || takeWord("OR") {
      if members.isEmpty { members = [try predicate(first)] }
      members.append(try predicate(conjunction()))
    }
    return members.isEmpty ? first : .predicate(.or(members))
  }

  private mutating func conjunction() throws -> Parsed {
    let first = try negation()
    var members: [ModelPredicate] = []
    while take("&&") || takeWord("AND") {
      if members.isEmpty { members = [try predicate(first)] }
      members.append(try predicate(negation()))
    }
    return members.isEmpty ? first : .predicate(.and(members))
  }

  private mutating func negation() throws -> Parsed {
    guard take("!") || takeWord("NOT") else { return try comparison() }
    return .predicate(.not(try predicate(nested { try $0.negation() })))
  }

  private mutating func comparison() throws -> Parsed {
    if takeWord("TRUEPREDICATE") { return .predicate(.constant(true)) }
    if takeWord("FALSEPREDICATE") { return .predicate(.constant(false)) }
    var modifier = ModelPredicate.Modifier.direct
    var isNegated = false
    if takeWord("ANY") || takeWord("SOME") {
      modifier = .any
    } else if takeWord("ALL") {
      modifier = .all
    } else if takeWord("NONE") {
      modifier = .any
      isNegated = true
    }
    let left = try sum()
    guard let relation = takeRelation() else {
      if modifier != .direct { throw Unread() }
      return left
    }
    let options = try takeOptions()
    if !options.isEmpty, !relation.takesOptions { throw Unread() }
    let comparison = ModelPredicate.Comparison(
      left: try expression(left), relation: relation, right: try expression(sum()), modifier: modifier,
      options: options)
    return .predicate(isNegated ? .not(.comparison(comparison)) : .comparison(comparison))
  }

  private mutating func takeRelation() -> ModelPredicate.Relation? {
    let text: String
    switch token {
    case .sign(let sign): text = sign
    case .word(let word): text = word.uppercased()
    default: return nil
    }
    guard let found = ModelPredicate.symbols.first(where: { $0.text == text }) else { return nil }
    position += 1
    return found.relation
  }

  private mutating func takeOptions() throws -> ModelPredicate.Options {
    guard take("[") else { return [] }
    guard case .word(let letters) = token else { throw Unread() }
    position += 1
    try expect("]")
    var options: ModelPredicate.Options = []
    for letter in letters.lowercased() {
      guard let option = ModelPredicate.Options.letters.first(where: { $0.1 == letter }) else { throw Unread() }
      options.insert(option.0)
    }
    return options
  }

  // Expressions.

  private mutating func nested<Result>(
    _ body: (inout ModelPredicateParser) throws -> Result
  ) throws -> Result {
    // Reading recurses.
    guard depth < 100 else { throw Unread() }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  private mutating func sum() throws -> Parsed { try chain(["+", "-"]) { try $0.product() } }
  private mutating func product() throws -> Parsed { try chain(["*", "/"]) { try $0.path() } }

  private mutating func chain(
    _ signs: [String], _ operand: (inout ModelPredicateParser) throws -> Parsed
  ) throws -> Parsed {
    var result = try operand(&self)
    while case .sign(let sign) = token, signs.contains(sign),
      let selector = ModelExpression.signs.first(where: { $0.sign == sign })?.selector
    {
      position += 1
      result = .expression(.function(selector, [try expression(result), try expression(operand(&self))]))
    }
    return result
  }

  /// An operand and the keys behind it.
  private mutating func path() throws -> Parsed {
    let first = try primary()
    guard token == .sign(".") else { return first }
    var keys: [String] = []
    while take(".") {
      guard case .word(let key) = token, !key.contains(":") else { throw Unread() }
      position += 1
      keys.append(key)
    }
    switch try expression(first) {
    case .keyPath(let path, let operand):
      return .expression(.keyPath(([path] + keys).joined(separator: "."), of: operand))
    case .null, .constant, .aggregate: throw Unread()
    case let operand: return .expression(.keyPath(keys.joined(separator: "."), of: operand))
    }
  }

  private mutating func primary() throws -> Parsed {
    let first = token
    position += 1
    switch first {
    case .text(let text): return .expression(.constant(.string(text)))
    case .number(let text): return .expression(try number(text))
    case .sign("-"):
      guard case .number(let text) = token else { throw Unread() }
      position += 1
      return .expression(try number("-" + text))
    case .sign("("):
      let inner = try nested { try $0.disjunction() }
      try expect(")")
      return inner
    case .sign("$"):
      guard case .word(let name) = token, !name.contains(":") else { throw Unread() }
      position += 1
      return .expression(.variable(name))
    case .sign("{"): return .expression(.aggregate(try list(until: "}")))
    case .word(let word): return .expression(try named(word))
    case .sign, .end: throw Unread()
    }
  }

  private func number(_ text: String) throws -> ModelExpression {
    if let number = Int64(text) { return .constant(.integer(number)) }
    guard let number = Double(text), number.isFinite else { throw Unread() }
    return .constant(.double(number))
  }

  /// The language's words that begin something which this parser does not know, or that cannot begin an operand.
  private static let keywords: Set<String> = [
    "AND", "OR", "NOT", "ANY", "ALL", "SOME", "NONE", "IN", "LIKE", "MATCHES", "CONTAINS", "BETWEEN",
    "BEGINSWITH", "ENDSWITH", "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY", "FUNCTION", "TERNARY", "FETCH",
    "UNION", "INTERSECT", "MINUS", "FIRST", "LAST", "SIZE", "ANYKEY", "BLOCK",
  ]

  private mutating func named(_ word: String) throws -> ModelExpression {
    if take("(") {
      let arguments = try list(until: ")")
      let selector: String
      if word.uppercased() == "CAST" {
        // What the formatter makes of a date.
        guard arguments.count == 2, arguments[1] == .constant(.string("NSDate")) else { throw Unread() }
        switch arguments[0] {
        case .constant(.double(let seconds)): return .constant(.date(seconds))
        case .constant(.integer(let seconds)): return .constant(.date(Double(seconds)))
        default: throw Unread()
        }
      } else if Self.functions.contains(word) {
        selector = word
      } else {
        throw Unread()
      }
      guard arguments.count == selector.filter({ $0 == ":" }).count else { throw Unread() }
      return .function(selector, arguments)
    }
    switch word.uppercased() {
    case "SELF": return .evaluatedObject
    case "YES", "TRUE": return .constant(.boolean(true))
    case "NO", "FALSE": return .constant(.boolean(false))
    case "NIL", "NULL": return .null
    case let upper where Self.keywords.contains(upper) || word.contains(":") || word.hasPrefix("@"): throw Unread()
    default: return .keyPath(word, of: .evaluatedObject)
    }
  }

  /// Those of one spelling, by selector.
  private static let functions: Set<String> = [
    "sum:", "count:", "min:", "max:", "average:", "add:to:", "from:subtract:", "multiply:by:", "divide:by:",
    "modulus:by:", "sqrt:", "ceiling:", "floor:", "abs:", "trunc:", "now", "uppercase:", "lowercase:",
    "canonical:", "length:", "noindex:",
  ]

  private mutating func list(until sign: String) throws -> [ModelExpression] {
    if take(sign) { return [] }
    var elements: [ModelExpression] = []
    repeat { elements.append(try expression(nested { try $0.sum() })) } while take(",")
    try expect(sign)
    return elements
  }
}
