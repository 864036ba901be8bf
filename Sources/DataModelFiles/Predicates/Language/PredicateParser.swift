import Foundation

/// Reads the predicate format language: recursive descent over UTF-8, arguments taken in order.
///
/// Binding, loosest first: `OR`, `AND`, `NOT`, comparison, then in expressions `UNION INTERSECT MINUS`, `|`,
/// `^`, `&`, `<< >>`, `+ -`, `* /`, `**`, unary `-` and `~`, then `.key`, `[index]` and calls. All associate
/// to the left except `**`.
///
/// A parenthesis may contain a predicate or an expression, and only its content shows which. So the functions for
/// both return `Parsed`. Where the grammar needs one kind, the other is an error.
struct PredicateParser {
  var lexer: PredicateLexer
  var token: PredicateToken
  let arguments: [Any?]
  var usedArguments = 0
  /// The number of operators and indexes so far. Each may put the tree before it one level deeper.
  var chained = 0
  private var depth = 0

  enum Parsed {
    case predicate(PredicateNode)
    case expression(ExpressionNode)
  }

  /// How deep parentheses, calls and the like may nest: the parser recurses into them. Long chains of operators can
  /// make the tree deeper, up to `PredicateNode.maximalDepth`.
  static let maximalDepth = 200

  private init(_ bytes: UnsafeBufferPointer<UInt8>, arguments: [Any?]) throws {
    lexer = PredicateLexer(bytes)
    token = try lexer.next()
    self.arguments = arguments
  }

  /// Reads a whole predicate. Throws the result of `PredicateSyntaxError.failure(in:)`.
  static func predicate(_ format: String, arguments: [Any?] = []) throws -> PredicateNode {
    try parse(format, arguments) { parser in
      let parsed = try parser.disjunction()
      try parser.expectEnd(after: parsed)
      let node = try parser.predicate(parsed, at: 0)
      if parser.chained > PredicateParser.maximalDepth { try parser.refuse(unless: node.fits()) }
      return node
    }
  }

  /// Reads a whole expression. Throws as `predicate(_:arguments:)` does.
  static func expression(_ format: String, arguments: [Any?] = []) throws -> ExpressionNode {
    try parse(format, arguments) { parser in
      let parsed = try parser.expression()
      try parser.expectEnd(after: parsed)
      let node = try parser.expression(parsed, at: 0)
      if parser.chained > PredicateParser.maximalDepth { try parser.refuse(unless: node.fits()) }
      return node
    }
  }

  private func refuse(unless fits: Bool) throws {
    if fits { return }
    throw PredicateSyntaxError(
      at: token.start, "operators nest deeper than \(PredicateNode.maximalDepth) levels here")
  }

  private static func parse<Result>(
    _ format: String, _ arguments: [Any?], _ read: (inout PredicateParser) throws -> Result
  ) throws -> Result {
    var text = format
    do {
      return try text.withUTF8 { bytes in
        var parser = try PredicateParser(bytes, arguments: arguments)
        return try read(&parser)
      }
    } catch let error as PredicateSyntaxError {
      throw error.failure(in: format)
    }
  }

  private func expectEnd(after parsed: Parsed) throws {
    guard token.kind != .end else { return }
    switch parsed {
    case .predicate: throw unexpected("AND, OR or the end")
    case .expression: throw unexpected("an operator or the end")
    }
  }

  // Reading tokens.

  mutating func advance() throws { token = try lexer.next() }

  /// Takes the token if it is of this kind.
  mutating func take(_ kind: PredicateToken.Kind) throws -> Bool {
    guard token.kind == kind else { return false }
    try advance()
    return true
  }

  mutating func expect(_ kind: PredicateToken.Kind, _ what: String) throws {
    guard try take(kind) else { throw unexpected(what) }
  }

  func bytes(of token: PredicateToken) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: lexer.bytes[token.start..<token.end])
  }

  func text(of token: PredicateToken) -> String { String(decoding: bytes(of: token), as: UTF8.self) }

  /// "expected …, found …" at the current token.
  func unexpected(_ what: String) -> PredicateSyntaxError {
    // The token of a variable or an escaped name starts behind its sign.
    let start = token.kind == .variable || token.kind == .escapedWord ? token.start - 1 : token.start
    let spelling = String(decoding: lexer.bytes[start..<token.end], as: UTF8.self)
    let found = token.kind == .end ? "the end" : "\"\(spelling)\""
    return PredicateSyntaxError(at: start, "expected \(what), found \(found)")
  }

  /// Runs `read` one level deeper. Throws if that is deeper than `maximalDepth`.
  mutating func nested<Result>(_ read: (inout PredicateParser) throws -> Result) throws -> Result {
    depth += 1
    defer { depth -= 1 }
    guard depth <= PredicateParser.maximalDepth else {
      throw PredicateSyntaxError(
        at: token.start, "parentheses nest deeper than \(PredicateParser.maximalDepth) levels here")
    }
    return try read(&self)
  }

  /// The predicate in `parsed`; an expression is an error. It is mutating, like `expression(_:at:)`, so that Swift
  /// evaluates an argument that reads more tokens before it accesses `self`.
  mutating func predicate(_ parsed: Parsed, at offset: Int) throws -> PredicateNode {
    switch parsed {
    case .predicate(let node): return node
    case .expression:
      if token.kind == .end || token.kind == .closeParenthesis || token.kind == .and || token.kind == .or {
        throw unexpected("a comparison such as ==, IN or CONTAINS")
      }
      throw PredicateSyntaxError(at: offset, "expected a predicate, found a value without a comparison")
    }
  }

  mutating func expression(_ parsed: Parsed, at offset: Int) throws -> ExpressionNode {
    guard case .expression(let node) = parsed else {
      throw PredicateSyntaxError(at: offset, "expected a value, found a predicate")
    }
    return node
  }

  // Predicates.

  /// `a OR b OR c`
  mutating func disjunction() throws -> Parsed {
    let start = token.start
    let first = try conjunction()
    guard token.kind == .or else { return first }
    var members = [try predicate(first, at: start)]
    while try take(.or) {
      let start = token.start
      members.append(try predicate(conjunction(), at: start))
    }
    return .predicate(.or(members))
  }

  /// `a AND b AND c`
  private mutating func conjunction() throws -> Parsed {
    let start = token.start
    let first = try negation()
    guard token.kind == .and else { return first }
    var members = [try predicate(first, at: start)]
    while try take(.and) {
      let start = token.start
      members.append(try predicate(negation(), at: start))
    }
    return .predicate(.and(members))
  }

  /// `NOT a`
  private mutating func negation() throws -> Parsed {
    guard try take(.not) else { return try comparison() }
    let start = token.start
    return .predicate(.not(try predicate(nested { try $0.negation() }, at: start)))
  }

  /// `ANY left == right`, or a lone operand.
  private mutating func comparison() throws -> Parsed {
    var modifier = Comparison.Modifier.direct
    var negated = false
    switch token.kind {
    case .any: modifier = .any
    case .all: modifier = .all
    case .none:
      modifier = .any
      negated = true
    default: break
    }
    if modifier != .direct { try advance() }
    let start = token.start
    let parsed = try expression()
    guard case .expression(let left) = parsed else {
      if modifier != .direct {
        throw PredicateSyntaxError(at: start, "expected a key path after ANY, ALL or NONE, found a predicate")
      }
      return parsed
    }
    guard let sign = try comparator() else {
      if modifier != .direct { throw unexpected("a comparison such as ==, IN or CONTAINS") }
      return parsed
    }
    try advance()
    let options = try comparisonOptions()
    let rightStart = token.start
    let right = try expression(expression(), at: rightStart)
    let node = PredicateNode.comparison(
      Comparison(
        left, sign.comparator, right, modifier: modifier, options: options, selector: sign.selector))
    return .predicate(negated ? .not(node) : node)
  }

  /// The comparison operator at the current token; nil if there is none. Afterwards its last token is the current one.
  private mutating func comparator() throws -> (comparator: Comparison.Comparator, selector: String?)? {
    switch token.kind {
    case .equal: (.equalTo, nil)
    case .notEqual: (.notEqualTo, nil)
    case .less: (.lessThan, nil)
    case .lessOrEqual: (.lessThanOrEqualTo, nil)
    case .greater: (.greaterThan, nil)
    case .greaterOrEqual: (.greaterThanOrEqualTo, nil)
    case .in: (.in, nil)
    case .between: (.between, nil)
    case .contains: (.contains, nil)
    case .beginsWith: (.beginsWith, nil)
    case .endsWith: (.endsWith, nil)
    case .like: (.like, nil)
    case .matches: (.matches, nil)
    case .utiConformsTo: (.customSelector, "UTI-CONFORMS-TO")
    case .utiEquals: (.customSelector, "UTI-EQUALS")
    case .word: try methodAsOperator().map { (.customSelector, $0) }
    default: nil
    }
  }

  /// `a isKindOfClass: b`: a method of the left side, with one argument.
  private mutating func methodAsOperator() throws -> String? {
    var ahead = lexer
    let colon = try ahead.next()
    guard colon.kind == .colon else { return nil }
    let selector = text(of: token) + ":"
    (lexer, token) = (ahead, colon)
    return selector
  }

  /// `[cd]` after an operator.
  private mutating func comparisonOptions() throws -> Comparison.Options {
    guard token.kind == .openBracket else { return [] }
    try advance()
    var options: Comparison.Options = []
    guard token.kind.isWord else { throw unexpected("options such as [c], [cd] or [n]") }
    for (index, letter) in bytes(of: token).enumerated() {
      switch letter | 0x20 {
      case UInt8(ascii: "c"): options.insert(.caseInsensitive)
      case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
      case UInt8(ascii: "n"): options.insert(.normalized)
      case UInt8(ascii: "l"): options.insert(.localeSensitive)
      case UInt8(ascii: "w"): options.insert(.word)
      default:
        throw PredicateSyntaxError(at: token.start + index, "expected the options c, d, n, l or w")
      }
    }
    try advance()
    try expect(.closeBracket, "\"]\" after the options")
    return options
  }
}
