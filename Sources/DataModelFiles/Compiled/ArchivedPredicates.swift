import Foundation

/// A limit that a compiled model keeps as a predicate: `SELF >= n`, `length <= n`, `SELF MATCHES "…"`.
struct ArchivedLimit {
  enum Kind { case minimum, maximum, pattern }
  var kind: Kind
  /// nil for the value itself, else a key of it, as `length`.
  var subject: String?
  var value: PropertyList

  init?(_ predicate: KeyedArchive.Object) {
    guard predicate.className == "NSComparisonPredicate",
      let left = predicate.object("NSLeftExpression"), let right = predicate.object("NSRightExpression"),
      right.integer("NSExpressionType") == 0, let value = right.fields["NSConstantValue"]
    else { return nil }
    switch predicate.object("NSPredicateOperator")?.integer("NSOperatorType") {
    case 1: kind = .maximum
    case 3: kind = .minimum
    case 6: kind = .pattern
    default: return nil
    }
    switch left.integer("NSExpressionType") {
    case 1: subject = nil
    case 3:
      guard left.object("NSOperand")?.integer("NSExpressionType") == 1,
        let key = left.objects("NSArguments").first?.string("NSKeyPath")
      else { return nil }
      subject = key
    default: return nil
    }
    self.value = value
  }

  /// Writes a limit in that form.
  static func write(
    _ kind: Kind, subject: String?, value: PropertyList, to archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    let evaluated = archive.object(
      ["NSSelfExpression", "NSExpression", "NSObject"], ["NSExpressionType": .integer(1)])
    var left = evaluated
    if let subject {
      let path = archive.object(
        ["NSKeyPathSpecifierExpression", "NSExpression", "NSObject"],
        ["NSExpressionType": .integer(10), "NSKeyPath": archive.string(subject)])
      let selector = archive.string("valueForKey:")
      let arguments = archive.object(
        ["NSMutableArray", "NSArray", "NSObject"], ["NS.objects": .array([path])])
      left = archive.object(
        ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"],
        [
          "NSExpressionType": .integer(3), "NSOperand": evaluated, "NSSelectorName": selector,
          "NSArguments": arguments,
        ])
    }
    let right = archive.object(
      ["NSConstantValueExpression", "NSExpression", "NSObject"],
      ["NSExpressionType": .integer(0), "NSConstantValue": value])
    let comparison: PropertyList
    if kind == .pattern {
      comparison = archive.object(
        [
          "NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator", "NSObject",
        ],
        ["NSOperatorType": .integer(6), "NSModifier": .integer(0), "NSFlags": .integer(0)])
    } else {
      let type: Int64 = kind == .minimum ? 3 : 1
      comparison = archive.object(
        ["NSComparisonPredicateOperator", "NSPredicateOperator", "NSObject"],
        [
          "NSOperatorType": .integer(type), "NSModifier": .integer(0), "NSOptions": .integer(0),
          "NSVariant": .integer(type),
        ])
    }
    return archive.object(
      ["NSComparisonPredicate", "NSPredicate", "NSObject"],
      ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": comparison])
  }
}

/// Writes an archived predicate or expression as the format string that would make it.
struct ArchivedPredicateFormatter {
  let archive: KeyedArchive

  struct Unknown: Error, CustomStringConvertible { var description: String }

  func predicate(_ object: KeyedArchive.Object, depth: Int = 0) throws -> String {
    guard depth < 100 else { throw Unknown(description: "the predicate is nested too deeply") }
    switch object.className {
    case "NSTruePredicate": return "TRUEPREDICATE"
    case "NSFalsePredicate": return "FALSEPREDICATE"
    case "NSComparisonPredicate": return try comparison(object)
    case "NSCompoundPredicate":
      let parts = try object.objects("NSSubpredicates").map { part in
        let text = try predicate(part, depth: depth + 1)
        return part.className == "NSCompoundPredicate" ? "(\(text))" : text
      }
      switch object.integer("NSCompoundPredicateType") {
      case 0:
        guard parts.count == 1 else { break }
        return "NOT \(parts[0])"
      case 1: return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
      case 2: return parts.isEmpty ? "FALSEPREDICATE" : parts.joined(separator: " OR ")
      default: break
      }
      throw Unknown(description: "the compound predicate has an unknown type")
    default: throw Unknown(description: "a predicate of class \(object.className ?? "-") is not known")
    }
  }

  private func comparison(_ object: KeyedArchive.Object) throws -> String {
    guard let left = object.object("NSLeftExpression"), let right = object.object("NSRightExpression"),
      let comparison = object.object("NSPredicateOperator")
    else { throw Unknown(description: "a comparison lacks a side or its operator") }
    let symbols = [
      0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE", 8: "BEGINSWITH",
      9: "ENDSWITH", 10: "IN", 99: "CONTAINS", 100: "BETWEEN",
    ]
    let type = comparison.integer("NSOperatorType") ?? -1
    guard var symbol = symbols[type] else { throw Unknown(description: "operator \(type) is not known") }
    let options = comparison.integer("NSFlags") ?? comparison.integer("NSOptions") ?? 0
    if 4...10 ~= type || type == 99 {
      let letters = (options & 1 != 0 ? "c" : "") + (options & 2 != 0 ? "d" : "")
      if !letters.isEmpty { symbol += "[\(letters)]" }
    }
    let modifier = [1: "ALL ", 2: "ANY "][comparison.integer("NSModifier") ?? 0] ?? ""
    let text = "\(modifier)\(try expression(left)) \(symbol) \(try expression(right))"
    return comparison.flag("NSNegate") && type != 5 ? "NOT \(text)" : text
  }

  func expression(_ object: KeyedArchive.Object, depth: Int = 0) throws -> String {
    guard depth < 100 else { throw Unknown(description: "the expression is nested too deeply") }
    switch object.integer("NSExpressionType") {
    case 0: return try constant(object.fields["NSConstantValue"])
    case 1: return "SELF"
    case 2:
      guard let name = object.string("NSVariable") else { break }
      return "$\(name)"
    case 3:
      guard let operand = object.object("NSOperand"), let path = object.objects("NSArguments").first else {
        break
      }
      let key = try expression(path, depth: depth + 1)
      if operand.integer("NSExpressionType") == 1 { return key }
      return "\(try expression(operand, depth: depth + 1)).\(key)"
    case 4:
      guard let selector = object.string("NSSelectorName") else { break }
      let arguments = try object.objects("NSArguments").map { try expression($0, depth: depth + 1) }
      let symbols = ["add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/"]
      if let symbol = symbols[selector], arguments.count == 2 {
        return "(\(arguments[0]) \(symbol) \(arguments[1]))"
      }
      return "\(selector)(\(arguments.joined(separator: ", ")))"
    case 10:
      guard let path = object.string("NSKeyPath") else { break }
      return path
    case 14:
      let elements = try object.objects("NSCollection").map { try expression($0, depth: depth + 1) }
      return "{\(elements.joined(separator: ", "))}"
    default: break
    }
    throw Unknown(
      description: "an expression of class \(object.className ?? "-") has a form that is not known")
  }

  private func constant(_ value: PropertyList?) throws -> String {
    guard let value, let resolved = archive.resolve(value) else { return "nil" }
    switch resolved {
    case .boolean(let flag): return flag ? "YES" : "NO"
    case .integer(let number): return "\(number)"
    case .real(let number): return "\(number)"
    case .string(let text):
      let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
        .replacingOccurrences(of: "\"", with: "\\\"")
      return "\"\(escaped)\""
    case .dictionary(let fields):
      if let elements = fields["NS.objects"]?.array, fields["NS.keys"] == nil {
        return "{\(try elements.map { try constant($0) }.joined(separator: ", "))}"
      }
      if case .date(let seconds)? = ArchivedValue.read(resolved, type: .date, in: archive) {
        return "CAST(\(seconds), \"NSDate\")"
      }
    default: break
    }
    throw Unknown(description: "a constant of a predicate has a form that is not known")
  }
}
