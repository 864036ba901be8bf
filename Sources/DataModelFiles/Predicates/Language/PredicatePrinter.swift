import Foundation

/// Writes a predicate in its normal form: operators in capitals, strings in double quotes, dates as `CAST`s,
/// parentheses around AND and OR inside each other, `#` before names that are keywords.
///
/// Parsing the result gives the same tree, with three exceptions. Booleans written as numbers become numbers, NaN
/// becomes a quotient, and the language has no words for managed objects, classes and blocks. Numbers keep their kind:
/// a floating 5 is written `5.0`. Descriptions are for people and give that up.
struct PredicatePrinter {
  private(set) var text = ""
  private let style: Style

  /// What the text is for.
  enum Style {
    /// To be read again, with Booleans as `1` and `0`.
    case language
    /// To be read again, with Booleans as `YES` and `NO`, which the parser reads as Booleans.
    case words
    /// As Apple's framework describes predicates: `5` for a floating 5, `1` for a Boolean, a UUID without quotes, the
    /// digits of a `Float`, `<null>` for `NSNull`, parentheses around a NOT inside AND, OR and NOT.
    case description
  }

  private init(_ style: Style) { self.style = style }

  static func print(_ node: PredicateNode) -> String { print(node, style: .language) }
  static func print(_ node: ExpressionNode) -> String { print(node, style: .language) }

  static func print(_ node: PredicateNode, style: Style) -> String {
    var printer = PredicatePrinter(style)
    printer.write(node)
    return printer.text
  }

  static func print(_ node: ExpressionNode, style: Style) -> String {
    var printer = PredicatePrinter(style)
    printer.write(node)
    return printer.text
  }

  // Predicates.

  private mutating func write(_ node: PredicateNode) {
    switch node {
    case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .and(let members): write(members, joinedBy: " AND ", empty: "TRUEPREDICATE")
    case .or(let members): write(members, joinedBy: " OR ", empty: "FALSEPREDICATE")
    case .not(let member):
      text += "NOT "
      writeOperand(member)
    case .comparison(let comparison): write(comparison)
    case .block: text += "BLOCKPREDICATE"
    }
  }

  private mutating func write(_ members: [PredicateNode], joinedBy separator: String, empty: String) {
    if members.isEmpty { text += empty }
    if members.count == 1 { return write(members[0]) }
    for (index, member) in members.enumerated() {
      if index > 0 { text += separator }
      writeOperand(member)
    }
  }

  /// Writes an operand of AND, OR or NOT. An AND or OR of several gets parentheses, in descriptions a NOT as well.
  private mutating func writeOperand(_ node: PredicateNode) {
    switch node {
    case .and(let members), .or(let members):
      if members.count == 1 { return writeOperand(members[0]) }
      if members.isEmpty { return write(node) }
      writeInParentheses(node)
    case .not where style == .description: writeInParentheses(node)
    default: write(node)
    }
  }

  private mutating func writeInParentheses(_ node: PredicateNode) {
    text += "("
    write(node)
    text += ")"
  }

  private mutating func write(_ comparison: Comparison) {
    switch comparison.modifier {
    case .direct: break
    case .all: text += "ALL "
    case .any: text += "ANY "
    }
    write(comparison.left)
    text += " " + PredicatePrinter.spelling(of: comparison)
    text += PredicatePrinter.spelling(of: comparison.options) + " "
    write(comparison.right)
  }

  private static func spelling(of comparison: Comparison) -> String {
    switch comparison.comparator {
    case .lessThan: "<"
    case .lessThanOrEqualTo: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqualTo: ">="
    case .equalTo: "=="
    case .notEqualTo: "!="
    case .matches: "MATCHES"
    case .like: "LIKE"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .in: "IN"
    case .customSelector: comparison.selector ?? "(no selector)"
    case .contains: "CONTAINS"
    case .between: "BETWEEN"
    }
  }

  private static func spelling(of options: Comparison.Options) -> String {
    if options.isEmpty { return "" }
    let letters: [(Comparison.Options, String)] = [
      (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
      (.word, "w"),
    ]
    return "[" + letters.filter { options.contains($0.0) }.map(\.1).joined() + "]"
  }

  // Expressions.

  /// Infix operators and their levels, as the parser has them.
  private static let infix: [String: (sign: String, level: Int)] = [
    "bitwiseOr:with:": ("|", 1), "bitwiseXor:with:": ("^", 2), "bitwiseAnd:with:": ("&", 3),
    "leftshift:by:": ("<<", 4), "rightshift:by:": (">>", 4), "add:to:": ("+", 5), "from:subtract:": ("-", 5),
    "multiply:by:": ("*", 6), "divide:by:": ("/", 6), "raise:toPower:": ("**", 7),
  ]

  private mutating func write(_ node: ExpressionNode, loosest: Int = 0) {
    switch node {
    case .constant(.double(let value)) where value.isNaN: write(PredicatePrinter.notANumber, loosest: loosest)
    case .constant(let value): write(value)
    case .evaluatedObject: text += "SELF"
    case .variable(let name): text += "$" + name
    case .keyPath(let path): write(path)
    case .nested(let base, let path):
      writePrimary(base)
      text += "."
      write(path)
    case .function(let selector, let arguments): write(selector, arguments, loosest: loosest)
    case .aggregate(let members): write(members, "{", "}")
    case .subquery(let collection, let variable, let predicate):
      text += "SUBQUERY("
      write(collection)
      text += ", $\(variable), "
      write(predicate)
      text += ")"
    case .conditional(let predicate, let yes, let no):
      text += "TERNARY("
      write(predicate)
      text += ", "
      write(yes)
      text += ", "
      write(no)
      text += ")"
    case .setOperation(let operation, let left, let right):
      write(operation.rawValue, level: 0, left, right, loosest: loosest)
    case .index(let base, let index):
      writePrimary(base)
      write(index)
    case .assignment(let name, let value):
      text += loosest > 0 ? "($\(name) := " : "$\(name) := "
      write(value)
      if loosest > 0 { text += ")" }
    case .anyKey: text += "ANYKEY"
    case .block(_, let arguments): write(arguments, "BLOCK(", ")")
    case .fetch(let request, let context, let countOnly):
      text += "FETCH("
      write(request)
      text += ", "
      write(context)
      text += countOnly ? ", YES)" : ", NO)"
    }
  }

  private mutating func write(_ members: [ExpressionNode], _ open: String, _ close: String) {
    text += open
    for (index, member) in members.enumerated() {
      if index > 0 { text += ", " }
      write(member)
    }
    text += close
  }

  private mutating func write(_ selector: String, _ arguments: [ExpressionNode], loosest: Int) {
    if arguments.count == 2, let (sign, level) = PredicatePrinter.infix[selector] {
      write(sign, level: level, arguments[0], arguments[1], loosest: loosest)
    } else if selector == PredicateFunction.onesComplement.rawValue, arguments.count == 1 {
      // With a `.key` behind it, it needs parentheses: `(~a).b`.
      text += loosest > 8 ? "(~" : "~"
      write(arguments[0], loosest: 8)
      if loosest > 8 { text += ")" }
    } else if selector == PredicateFunction.cast.rawValue {
      write(arguments, "CAST(", ")")
    } else if selector == PredicateFunction.methodCall, arguments.count > 2 {
      // The blank before the comma is Apple's.
      write(Array(arguments[..<2]), "FUNCTION(", " , ")
      write(Array(arguments[2...]), "", ")")
    } else {
      write(arguments, selector + "(", ")")
    }
  }

  /// Writes a binary operator and its sides. All operators except `**` associate to the left.
  private mutating func write(
    _ sign: String, level: Int, _ left: ExpressionNode, _ right: ExpressionNode, loosest: Int
  ) {
    if level < loosest { text += "(" }
    // An assignment would take the rest as its value.
    let isAssignment = if case .assignment = left { true } else { false }
    write(left, loosest: level == 7 ? 8 : (isAssignment ? 1 : level))
    text += " \(sign) "
    write(right, loosest: level == 7 ? 7 : level + 1)
    if level < loosest { text += ")" }
  }

  /// Writes an expression so that a `.key` or an `[index]` can follow it.
  private mutating func writePrimary(_ node: ExpressionNode) {
    switch node {
    // A number would swallow the dot.
    case .constant(.int), .constant(.double), .constant(.bool):
      text += "("
      write(node)
      text += ")"
    default: write(node, loosest: 9)
    }
  }

  private mutating func write(_ index: ExpressionNode.Index) {
    switch index {
    case .first: text += "[FIRST]"
    case .last: text += "[LAST]"
    case .size: text += "[SIZE]"
    case .at(let position):
      text += "["
      write(position)
      text += "]"
    }
  }

  private mutating func write(_ path: [String]) {
    for (index, component) in path.enumerated() {
      if index > 0 { text += "." }
      var name = component
      // `numbers.@sum.self`: `self` is a key here. Only at the start does it mean something else.
      let isKey = index > 0 && name == "self"
      if !isKey, name.withUTF8(PredicatePrinter.isReserved) { text += "#" }
      text += component
    }
  }

  /// Whether a name is a keyword, or one of the two that only Apple's parser reserves.
  private static func isReserved(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    if PredicateToken.Kind.keyword(name) != .word { return true }
    guard name.count == 2 || name.count == 15 else { return false }
    return ["CI", "CASEINSENSITIVE"].contains(String(decoding: name, as: UTF8.self).uppercased())
  }

  private mutating func write(_ constant: PredicateConstant) {
    switch constant {
    case .nothing(let isObject): text += isObject && style == .description ? "<null>" : "nil"
    case .bool(let value):
      switch style {
      case .language, .description: text += value ? "1" : "0"
      case .words: text += value ? "YES" : "NO"
      }
    case .int(let value): text += String(value)
    case .double(let value): text += spelling(of: value)
    case .decimal(let value) where style == .description: text += "\(value)"
    case .uuid(let value) where style == .description: text += value.uuidString
    case .url(let value) where style == .description: text += value.absoluteString
    case .string(let value): text += PredicateLiteral.quoted(value)
    case .date(let value): text += "CAST(\(PredicatePrinter.spelling(of: value)), \"NSDate\")"
    case .decimal(let value): text += "CAST(\"\(value)\", \"NSDecimalNumber\")"
    case .uuid(let value): text += "CAST(\"\(value.uuidString)\", \"NSUUID\")"
    case .url(let value): text += "CAST(\(PredicateLiteral.quoted(value.absoluteString)), \"NSURL\")"
    case .data(let value): text += "CAST(\"\(value.base64EncodedString())\", \"NSData\")"
    case .collection(let values):
      text += "{"
      for (index, value) in values.enumerated() {
        if index > 0 { text += ", " }
        write(value)
      }
      text += "}"
    case .object(let value): text += String(describing: value)
    case .other(let value): text += String(describing: value)
    }
  }

  /// A date with microseconds, as Apple writes it, or with all digits if microseconds would lose some.
  private static func spelling(of date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds.isFinite else { return spelling(of: seconds) }
    let text = String(format: "%f", seconds)
    return Double(text) == seconds ? text : spelling(of: seconds)
  }

  /// A number as text. An infinity is written as a number that is too large for a `Double`, which is read as one.
  private static func spelling(of value: Double) -> String {
    if value.isNaN { return "0.0 / 0.0" }
    if value.isInfinite { return value < 0 ? "-1e999" : "1e999" }
    return value.description
  }

  /// The number as this printer's style has it. In descriptions a whole number has no fraction, and what was a `Float`
  /// has the digits of one, 0.1 for 0.10000000149011612: few other numbers have so many digits and are the value of a
  /// `Float` as well.
  private func spelling(of value: Double) -> String {
    let text = PredicatePrinter.spelling(of: value)
    guard style == .description else { return text }
    if text.hasSuffix(".0") { return String(text.dropLast(2)) }
    let single = Float(value)
    let short = single.description
    return Double(single) == value && short.utf8.count + 4 < text.utf8.count ? short : text
  }

  /// NaN has no literal. This is read as it is printed, and has no value either.
  private static let notANumber = ExpressionNode.function(
    PredicateFunction.divide.rawValue, [.constant(.double(0)), .constant(.double(0))])
}
