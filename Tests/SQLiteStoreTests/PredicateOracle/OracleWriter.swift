import Foundation
import TestDice

/// Writes predicates in the format language, each time a little differently: constants as literals or as arguments,
/// keys as names or as `%K`, signs in their several spellings.
struct OracleWriter {
  enum Argument {
    case value(OracleConstant)
    case list([OracleConstant])
    case key(String)
  }

  private(set) var text = ""
  private(set) var arguments: [Argument] = []
  /// Chooses between spellings. nil for text that people read: with the usual spelling, and objects by their numbers.
  private var dice: Dice?

  init(_ predicate: OraclePredicate, spelling seed: UInt64?) {
    dice = seed.map { Dice(state: $0) }
    write(predicate)
  }

  private mutating func chance(_ sides: Int) -> Bool { dice?.chance(1, in: sides) ?? false }

  private mutating func write(_ predicate: OraclePredicate) {
    switch predicate {
    case .truth(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .and(let parts): write(parts, chance(3) ? " && " : " AND ")
    case .or(let parts): write(parts, chance(3) ? " || " : " OR ")
    case .not(let part):
      text += chance(3) ? "!(" : "NOT ("
      write(part)
      text += ")"
    case .compare(let comparison): write(comparison)
    }
  }

  private mutating func write(_ parts: [OraclePredicate], _ sign: String) {
    for (index, part) in parts.enumerated() {
      if index > 0 { text += sign }
      text += "("
      write(part)
      text += ")"
    }
  }

  private mutating func write(_ comparison: OracleComparison) {
    text += comparison.modifier == .any && chance(3) ? "SOME " : comparison.modifier.rawValue
    write(comparison.left)
    var sign = comparison.operator.rawValue
    switch comparison.operator {
    case .equal where chance(3): sign = "="
    case .unequal where chance(3): sign = "<>"
    case .atMost where chance(3): sign = "=<"
    case .in, .between: if chance(4) { sign = sign.lowercased() }
    default: break
    }
    text += " \(sign)"
    if !comparison.options.isEmpty { text += "[\(comparison.options)]" }
    text += " "
    write(comparison.right)
  }

  private mutating func write(_ expression: OracleExpression) {
    switch expression {
    case .constant(let constant): write(constant)
    case .path(let variable, let path): write(path, from: variable)
    case .list(let members):
      let constants = members.compactMap { member -> OracleConstant? in
        if case .constant(let constant) = member { constant } else { nil }
      }
      if dice != nil, constants.count == members.count, chance(2) {
        text += "%@"
        arguments.append(.list(constants))
        return
      }
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += ", " }
        write(member)
      }
      text += "}"
    case .arithmetic(let sign, let a, let b):
      text += "("
      write(a)
      text += " \(sign) "
      write(b)
      text += ")"
    case .function(let name, let members):
      text += chance(2) ? "\(name):(" : "\(name)("
      for (index, member) in members.enumerated() {
        if index > 0 { text += ", " }
        write(member)
      }
      text += ")"
    case .ternary(let predicate, let a, let b):
      text += "TERNARY("
      write(predicate)
      text += ", "
      write(a)
      text += ", "
      write(b)
      text += ")"
    case .cast(let value, let type):
      text += "CAST("
      write(value)
      text += ", \"\(type)\")"
    case .subquery(let collection, let variable, let predicate, let path):
      text += "SUBQUERY("
      write(collection)
      text += ", $\(variable), "
      write(predicate)
      text += ")" + path.map { ".\($0)" }.joined()
    }
  }

  private mutating func write(_ path: [String], from variable: String?) {
    if let variable {
      text += "$\(variable)" + path.map { ".\($0)" }.joined()
    } else if path.isEmpty {
      text += "SELF"
    } else if !path.contains(where: { $0.hasPrefix("@") }), chance(5) {
      text += "%K"
      arguments.append(.key(path.joined(separator: ".")))
    } else {
      text += (chance(8) ? "SELF." : "") + path.joined(separator: ".")
    }
  }

  private mutating func write(_ constant: OracleConstant) {
    guard dice != nil else {
      text += constant.description
      return
    }
    switch constant {
    case .null, .flag, .int, .real, .text:
      if !chance(3) {
        text += constant.description
        return
      }
    default: break
    }
    text += "%@"
    arguments.append(.value(constant))
  }
}

extension OraclePredicate: CustomStringConvertible {
  var description: String { OracleWriter(self, spelling: nil).text }
}

extension OracleExpression: CustomStringConvertible {
  var description: String {
    var comparison = OracleComparison(left: self, operator: .equal, right: .constant(.null))
    comparison.modifier = .direct
    return String(OraclePredicate.compare(comparison).description.dropLast(" == nil".count))
  }
}
