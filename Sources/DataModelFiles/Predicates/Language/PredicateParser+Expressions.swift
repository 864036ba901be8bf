import Foundation

extension PredicateParser {
  /// An expression of binary operators that bind at least as tightly as `loosest`.
  mutating func expression(loosest: Int = 0) throws -> Parsed {
    let start = token.start
    let first = try prefixed()
    // Most operands are followed by a comparison: no operator, nothing to build.
    guard var (level, rightLevel) = operatorLevels(), level >= loosest else { return first }
    var left = try expression(first, at: start)
    while level >= loosest {
      let sign = token.kind
      chained += 1
      try advance()
      let rightStart = token.start
      let right = try expression(nested { try $0.expression(loosest: rightLevel) }, at: rightStart)
      left = PredicateParser.binary(sign, left, right)
      guard let next = operatorLevels() else { break }
      (level, rightLevel) = next
    }
    return .expression(left)
  }

  /// The level of the current operator, and the level of its right side; nil if the token is no operator.
  private func operatorLevels() -> (Int, Int)? {
    switch token.kind {
    case .union, .intersect, .setMinus: (0, 1)
    case .bitOr: (1, 2)
    case .bitXor: (2, 3)
    case .bitAnd: (3, 4)
    case .shiftLeft, .shiftRight: (4, 5)
    case .plus, .minus: (5, 6)
    case .times, .divide: (6, 7)
    case .power: (7, 7)
    default: nil
    }
  }

  private static func binary(
    _ sign: PredicateToken.Kind, _ left: ExpressionNode, _ right: ExpressionNode
  ) -> ExpressionNode {
    func call(_ function: PredicateFunction) -> ExpressionNode {
      .function(function.rawValue, [left, right])
    }
    switch sign {
    case .union: return .setOperation(.union, left, right)
    case .intersect: return .setOperation(.intersect, left, right)
    case .setMinus: return .setOperation(.minus, left, right)
    case .bitOr: return call(.bitwiseOr)
    case .bitXor: return call(.bitwiseXor)
    case .bitAnd: return call(.bitwiseAnd)
    case .shiftLeft: return call(.leftShift)
    case .shiftRight: return call(.rightShift)
    case .plus: return call(.add)
    case .minus: return call(.subtract)
    case .times: return call(.multiply)
    case .divide: return call(.divide)
    default: return call(.power)
    }
  }

  /// `-x`, `~x`, or a postfix expression.
  private mutating func prefixed() throws -> Parsed {
    switch token.kind {
    case .minus:
      try advance()
      let start = token.start
      let isInteger = token.kind == .integer
      switch try expression(nested { try $0.prefixed() }, at: start) {
      // Without the sign, the digits of the smallest integer are too large for an integer.
      case .constant(.double(0x1p63)) where isInteger: return .expression(.constant(.int(.min)))
      case .constant(.int(let value)): return .expression(.constant(.int(0 &- value)))
      case .constant(.double(let value)): return .expression(.constant(.double(-value)))
      case let operand:
        return .expression(.function(PredicateFunction.multiply.rawValue, [.constant(.int(-1)), operand]))
      }
    case .bitNot:
      try advance()
      let start = token.start
      let operand = try expression(nested { try $0.prefixed() }, at: start)
      return .expression(.function(PredicateFunction.onesComplement.rawValue, [operand]))
    default:
      return try postfixed()
    }
  }

  /// A primary with its `.key` and `[index]`.
  private mutating func postfixed() throws -> Parsed {
    let start = token.start
    var parsed = try primary()
    while token.kind == .dot || token.kind == .openBracket {
      let base = try expression(parsed, at: start)
      if token.kind == .dot {
        parsed = .expression(base.appending(try pathComponents()))
      } else {
        try advance()
        chained += 1
        parsed = .expression(.index(base, try index()))
        try expect(.closeBracket, "\"]\" after the index")
      }
    }
    return parsed
  }

  /// All components of a path, such as `.a.@count.%K`. An argument `%@` is an expression for a key path.
  private mutating func pathComponents() throws -> [String] {
    var path: [String] = []
    while token.kind == .dot {
      try advance()
      if token.kind == .argument, bytes(of: token).last == UInt8(ascii: "K") {
        switch try keyPathArgument() {
        case .keyPath(let more): path += more
        default: break
        }
      } else if token.kind == .argument {
        let unexpected = unexpected("a key after \".\"")
        guard case .keyPath(let more) = try argument() else { throw unexpected }
        path += more
      } else if token.kind == .collectionOperator || isWord(token) {
        path.append(text(of: token))
        try advance()
      } else {
        throw unexpected("a key after \".\"")
      }
    }
    return path
  }

  /// Whether a token is a name when it follows a dot: keywords are, signs such as `&&` are not.
  private func isWord(_ token: PredicateToken) -> Bool {
    guard token.kind.isWord else { return false }
    let byte = lexer.bytes[token.start]
    return (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80 || token.kind == .escapedWord
  }

  /// The index between brackets.
  private mutating func index() throws -> ExpressionNode.Index {
    switch token.kind {
    case .first:
      try advance()
      return .first
    case .last:
      try advance()
      return .last
    case .size:
      try advance()
      return .size
    default:
      let start = token.start
      return .at(try expression(nested { try $0.expression() }, at: start))
    }
  }

  private mutating func primary() throws -> Parsed {
    let first = token
    switch first.kind {
    case .word: return .expression(try nameOrCall())
    case .escapedWord, .collectionOperator:
      try advance()
      return .expression(.keyPath([text(of: first)]))
    case .argument: return .expression(try argument())
    case .string:
      try advance()
      return .expression(.constant(.string(PredicateLiteral.string(bytes(of: first)))))
    case .integer, .floating:
      let value =
        first.kind == .integer
        ? PredicateLiteral.integer(bytes(of: first)) : PredicateLiteral.floating(bytes(of: first))
      guard let value else { throw unexpected("a number") }
      try advance()
      return .expression(.constant(value))
    case .this: return .expression(try simple(.evaluatedObject))
    case .yes: return .expression(try simple(.constant(.bool(true))))
    case .no: return .expression(try simple(.constant(.bool(false))))
    case .null: return .expression(try simple(.constant(.null)))
    case .anyKey: return .expression(try simple(.anyKey))
    case .truePredicate, .falsePredicate:
      try advance()
      return .predicate(.constant(first.kind == .truePredicate))
    case .variable:
      try advance()
      guard try take(.assign) else { return .expression(.variable(text(of: first))) }
      let start = token.start
      let value = try expression(nested { try $0.expression() }, at: start)
      return .expression(.assignment(text(of: first), value))
    case .openParenthesis:
      try advance()
      let parsed = try nested { try $0.disjunction() }
      try expect(.closeParenthesis, "\")\"")
      return parsed
    case .openBrace:
      try advance()
      return .expression(try aggregate())
    case _ where first.kind.isNameInOperand: return .expression(try keywordCallOrName())
    default: throw unexpected("a value")
    }
  }

  private mutating func simple(_ node: ExpressionNode) throws -> ExpressionNode {
    try advance()
    return node
  }

  /// `{1, 2, x}` after its brace.
  private mutating func aggregate() throws -> ExpressionNode {
    var members: [ExpressionNode] = []
    if token.kind != .closeBrace {
      repeat {
        let start = token.start
        members.append(try expression(nested { try $0.expression() }, at: start))
      } while try take(.comma)
    }
    try expect(.closeBrace, "\",\" or \"}\"")
    return ExpressionNode(aggregate: members)
  }

  /// `name`, `name(…)`, `name:(…)`, `add:to:(…)`.
  private mutating func nameOrCall() throws -> ExpressionNode {
    let first = token
    try advance()
    if token.kind == .openParenthesis {
      return try call(text(of: first), at: first.start)
    }
    guard token.kind == .colon else { return .keyPath([text(of: first)]) }
    var selector = text(of: first)
    while try take(.colon) {
      selector += ":"
      guard isWord(token) else { break }
      selector += text(of: token)
      try advance()
    }
    guard token.kind == .openParenthesis else { throw unexpected("\"(\" after the function \(selector)") }
    return try call(selector, at: first.start)
  }

  private mutating func call(_ name: String, at start: Int) throws -> ExpressionNode {
    guard let function = PredicateFunction(spelling: name) else {
      throw PredicateSyntaxError(at: start, "there is no function \"\(name)\" in predicates")
    }
    let arguments = try callArguments()
    guard function.accepts(arguments.count) else {
      throw PredicateSyntaxError(
        at: start, "the function \"\(function.rawValue)\" doesn't take \(arguments.count) arguments")
    }
    return .function(function.rawValue, arguments)
  }

  /// `(a, b)`
  private mutating func callArguments() throws -> [ExpressionNode] {
    try expect(.openParenthesis, "\"(\"")
    var arguments: [ExpressionNode] = []
    if token.kind != .closeParenthesis {
      repeat {
        let start = token.start
        arguments.append(try expression(nested { try $0.expression() }, at: start))
      } while try take(.comma)
    }
    try expect(.closeParenthesis, "\",\" or \")\"")
    return arguments
  }

  /// `SUBQUERY(…)`, `CAST(…)` and so on; without a parenthesis the word is a name.
  private mutating func keywordCallOrName() throws -> ExpressionNode {
    let word = token
    try advance()
    guard token.kind == .openParenthesis else { return .keyPath([text(of: word)]) }
    switch word.kind {
    case .subquery: return try nested { try $0.subquery() }
    case .ternary: return try nested { try $0.ternary() }
    case .cast:
      let start = token.start
      let arguments = try callArguments()
      guard arguments.count == 2, case .constant(.string(let type)) = arguments[1] else {
        throw PredicateSyntaxError(at: start, "expected CAST(expression, \"Type\")")
      }
      return ExpressionNode(cast: arguments[0], to: type)
    case .function:
      let start = token.start
      let arguments = try callArguments()
      guard arguments.count >= 2, case .constant(.string) = arguments[1] else {
        throw PredicateSyntaxError(at: start, "expected FUNCTION(operand, \"selector:\", arguments…)")
      }
      return .function(PredicateFunction.methodCall, arguments)
    case .fetch:
      let start = token.start
      let arguments = try callArguments()
      guard arguments.count == 3, case .constant(let flag) = arguments[2], let number = flag.number else {
        throw PredicateSyntaxError(at: start, "expected FETCH(request, context, YES or NO)")
      }
      return .fetch(arguments[0], arguments[1], countOnly: number != 0)
    default: return try call(text(of: word), at: word.start)
    }
  }

  /// `(collection, $variable, predicate)`
  private mutating func subquery() throws -> ExpressionNode {
    try expect(.openParenthesis, "\"(\"")
    let start = token.start
    let collection = try expression(expression(), at: start)
    try expect(.comma, "\",\" after the collection")
    guard token.kind == .variable else { throw unexpected("a variable such as $x") }
    let variable = text(of: token)
    try advance()
    try expect(.comma, "\",\" after the variable")
    let predicateStart = token.start
    let condition = try predicate(disjunction(), at: predicateStart)
    try expect(.closeParenthesis, "\")\" after the predicate")
    return .subquery(collection, variable: variable, condition)
  }

  /// `(predicate, a, b)`
  private mutating func ternary() throws -> ExpressionNode {
    try expect(.openParenthesis, "\"(\"")
    let start = token.start
    let condition = try predicate(disjunction(), at: start)
    try expect(.comma, "\",\" after the predicate")
    let yesStart = token.start
    let yes = try expression(expression(), at: yesStart)
    try expect(.comma, "\",\" after the first value")
    let noStart = token.start
    let no = try expression(expression(), at: noStart)
    try expect(.closeParenthesis, "\")\" after the second value")
    return .conditional(condition, yes, no)
  }
}

extension ExpressionNode {
  /// `{…}`: a constant if all members are.
  init(aggregate members: [ExpressionNode]) {
    var constants: [PredicateConstant] = []
    constants.reserveCapacity(members.count)
    for member in members {
      guard case .constant(let value) = member else {
        self = .aggregate(members)
        return
      }
      constants.append(value)
    }
    self = .constant(.collection(constants))
  }

  /// `CAST(…)`. A cast of a constant becomes a constant itself if its value is readable, because dates, UUIDs and such
  /// are printed as casts.
  init(cast operand: ExpressionNode, to type: String) {
    if case .constant(let value) = operand, let constant = PredicateConstant(casting: value, to: type) {
      self = .constant(constant)
    } else {
      self = .function(PredicateFunction.cast.rawValue, [operand, .constant(.string(type))])
    }
  }
}

extension PredicateConstant {
  /// A constant of a type that has no literal of its own, made from the literal in its `CAST`.
  fileprivate init?(casting value: PredicateConstant, to type: String) {
    switch (type, value) {
    case ("NSDate", .int), ("NSDate", .double), ("NSDate", .decimal):
      self = .date(Date(timeIntervalSinceReferenceDate: value.number ?? 0))
    case ("NSDecimalNumber", .string(let text)):
      guard let number = Decimal(string: text) else { return nil }
      self = .decimal(number)
    case ("NSUUID", .string(let text)):
      guard let uuid = UUID(uuidString: text) else { return nil }
      self = .uuid(uuid)
    case ("NSURL", .string(let text)):
      guard let url = URL(string: text) else { return nil }
      self = .url(url)
    case ("NSData", .string(let text)):
      guard let data = Data(base64Encoded: text) else { return nil }
      self = .data(data)
    default: return nil
    }
  }
}
