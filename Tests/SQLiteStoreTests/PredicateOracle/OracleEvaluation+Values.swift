import Foundation

extension OracleEvaluation {
  func value(_ expression: OracleExpression) -> OracleValue {
    switch expression {
    case .constant(let constant): return OracleValue(constant)
    case .path(let variable, let path): return follow(path[...], from: .object(objects[variable ?? ""]!))
    case .list(let members): return .many(members.map(value))
    case .arithmetic(let sign, let a, let b): return arithmetic(sign, value(a), value(b))
    case .function(let name, let arguments): return function(name, arguments.map(value))
    case .ternary(let predicate, let yes, let no): return holds(predicate) ? value(yes) : value(no)
    case .cast(let inner, let type): return cast(value(inner), type)
    case .subquery(let collection, let variable, let predicate, let path):
      let found = value(collection).members.filter { member in
        guard case .object(let number) = member else { return false }
        // Plain keys in the predicate are those of the object around.
        var inner = self
        inner.objects[variable] = number
        return inner.holds(predicate)
      }
      return follow(path[...], from: .many(found))
    }
  }

  /// Through nil to-one relationships the value is nil, or nothing if a relationship to many comes later. What a
  /// path through a relationship to many leads to are all the values behind it, nils included.
  private func follow(_ path: ArraySlice<String>, from start: OracleValue) -> OracleValue {
    guard let key = path.first else { return start }
    let rest = path.dropFirst()
    if key.hasPrefix("@") {
      let operands = start.members.flatMap { member -> [OracleValue] in
        rest.isEmpty ? [member] : follow(rest, from: member).members
      }
      return collect(key, operands)
    }
    switch start {
    case .many(let members):
      let place = path.firstIndex { $0.hasPrefix("@") } ?? path.endIndex
      let values = members.flatMap { follow(path[..<place], from: $0).members }
      return follow(path[place...], from: .many(values))
    case .object(let number):
      let object = data[number]
      if let value = object.values[key] { return follow(rest, from: OracleValue(value)) }
      let relationship = data.model.relationship(key, of: object.entity)!
      let members = object.links[key] ?? []
      if relationship.isToMany { return follow(rest, from: .many(members.map(OracleValue.object))) }
      if let member = members.first { return follow(rest, from: .object(member)) }
      guard let place = placeBehindMany(rest, relationship.destination) else { return .null }
      return follow(path[place...], from: .many([]))
    default: return .null
    }
  }

  /// Where a path goes on behind its last relationship to many: an operator, or its end.
  private func placeBehindMany(_ path: ArraySlice<String>, _ entity: String) -> Int? {
    var entity = entity
    var isMany = false
    for (place, key) in zip(path.indices, path) {
      if key.hasPrefix("@") { return isMany ? place : nil }
      guard let relationship = data.model.relationship(key, of: entity) else { break }
      if relationship.isToMany { isMany = true }
      entity = relationship.destination
    }
    return isMany ? path.endIndex : nil
  }

  /// `@count` counts members, nils too; the others leave nils out. The sum of nothing is 0, and the others of
  /// nothing are nil.
  private func collect(_ name: String, _ operands: [OracleValue]) -> OracleValue {
    let values = operands.filter { !$0.isNull }
    switch name {
    case "@count": return .int(Int64(operands.count))
    case "@sum": return values.reduce(.int(0)) { arithmetic("+", $0, $1) }
    case "@avg":
      if values.isEmpty { return .null }
      return .real(values.map(real).reduce(0, +) / Double(values.count))
    case "@min": return values.min { OracleOrder("").of($0, $1)! < 0 } ?? .null
    default: return values.max { OracleOrder("").of($0, $1)! < 0 } ?? .null
    }
  }

  func real(_ value: OracleValue) -> Double {
    switch value {
    case .int(let number): Double(number)
    case .real(let number): number
    default: .nan
    }
  }

  /// Whole numbers stay whole, unless they grow too large; they divide as whole numbers do. A division by zero, and
  /// anything with nil, is nil. Decimals and dates are not whole, whatever their value.
  private func arithmetic(_ sign: String, _ a: OracleValue, _ b: OracleValue) -> OracleValue {
    if a.isNull || b.isNull { return .null }
    if case .int(let x) = a, case .int(let y) = b {
      let result =
        switch sign {
        case "+": x.addingReportingOverflow(y)
        case "-": x.subtractingReportingOverflow(y)
        case "*": x.multipliedReportingOverflow(by: y)
        default: x.dividedReportingOverflow(by: y)
        }
      if sign == "/", y == 0 { return .null }
      if !result.overflow { return .int(result.partialValue) }
    }
    let (x, y) = (real(a), real(b))
    switch sign {
    case "+": return .real(x + y)
    case "-": return .real(x - y)
    case "*": return .real(x * y)
    default: return y == 0 ? .null : .real(x / y)
    }
  }

  private func function(_ name: String, _ arguments: [OracleValue]) -> OracleValue {
    // Of several values, one of them nil, there is none.
    if arguments.contains(where: \.isNull) { return .null }
    switch (name, arguments[0]) {
    case ("min", _): return collect("@min", arguments)
    case ("max", _): return collect("@max", arguments)
    case ("sum", _): return collect("@sum", arguments)
    case ("abs", .int(let number)): return number == .min ? .real(0x1p63) : .int(Swift.abs(number))
    case ("abs", .real(let number)): return .real(Swift.abs(number))
    case ("floor", .real(let number)): return .real(number.rounded(.down))
    case ("ceiling", .real(let number)): return .real(number.rounded(.up))
    case ("trunc", .real(let number)): return .real(number.rounded(.towardZero))
    case ("floor", .int), ("ceiling", .int), ("trunc", .int): return arguments[0]
    // Of a number below zero there is none.
    case ("sqrt", let value): return real(value) < 0 ? .null : .real(real(value).squareRoot())
    case ("uppercase", .text(let text)): return .text(text.uppercased())
    case ("lowercase", .text(let text)): return .text(text.lowercased())
    // In Unicode scalars, or in bytes.
    case ("length", .text(let text)): return .int(Int64(text.unicodeScalars.count))
    case ("length", .bytes(let bytes)): return .int(Int64(bytes.count))
    default: fatalError("\(name) of \(arguments)")
    }
  }

  private func cast(_ value: OracleValue, _ type: String) -> OracleValue {
    switch (type, value) {
    case (_, .null): .null
    case ("NSString", _): wording(value).map(OracleValue.text) ?? .null
    case ("NSNumber", .text(let text)):
      // A number that is whole counts as whole, however it is written.
      if case .real(let number) = OracleText.leadingNumber(text), let whole = Int64(exactly: number) {
        .int(whole)
      } else {
        OracleText.leadingNumber(text)
      }
    default: value
    }
  }
}
