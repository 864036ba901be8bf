import Foundation

/// A fetch request, and what it must find.
struct OracleRequest {
  struct Sort {
    let path: [String]
    var isAscending = true
    var ignoresCase = false
  }

  enum Result { case objects, ids, count, dictionaries }

  enum Column: Equatable {
    case path([String])
    /// `count`, `sum`, `min`, `max` or `average` of what a path leads to.
    case aggregate(String, [String])

    var name: String {
      switch self {
      case .path(let path): path.joined(separator: ".")
      case .aggregate(let function, let path): "\(function)Of\(path.map(\.capitalized).joined())"
      }
    }

    var isAggregate: Bool { if case .aggregate = self { true } else { false } }
  }

  var entity: String
  var predicate: OraclePredicate?
  var sort: [Sort] = []
  var limit = 0
  var offset = 0
  var withSubentities = true
  var result = Result.objects
  var columns: [Column] = []
  var groups: [[String]] = []
  /// Groups in which the last column is at least this.
  var having: Int64?
  var isDistinct = false
  /// How the predicate is written: 0 builds it of objects, all else is the seed of a spelling.
  var spelling: UInt64 = 1

  /// The numbers of the objects that it finds, in no order.
  func matching(_ data: OracleData) -> [Int] {
    data.numbers(of: entity, withKinds: withSubentities).filter { number in
      predicate.map { OracleEvaluation(data, number).holds($0) } ?? true
    }
  }

  /// What is wrong with what was found; nil if nothing is. Objects with equal keys may come in any order.
  func mismatch(_ found: [Int], _ data: OracleData) -> String? {
    let expected = sorted(matching(data), data)
    let wanted = slice(expected)
    func list(_ numbers: [Int]) -> String { "[" + numbers.map { "#\($0)" }.joined(separator: ", ") + "]" }
    let places = Set(expected)
    let isRight =
      found.count == wanted.count && Set(found).count == found.count && found.allSatisfy(places.contains)
      && (sort.isEmpty || zip(found, wanted).allSatisfy { order($0, $1, data) == 0 })
    return isRight ? nil : "found \(list(found)) instead of \(list(wanted))"
  }

  func slice<Element>(_ all: [Element]) -> [Element] {
    let rest = Array(all.dropFirst(offset))
    return limit > 0 ? Array(rest.prefix(limit)) : rest
  }

  private func sorted(_ numbers: [Int], _ data: OracleData) -> [Int] {
    sort.isEmpty ? numbers : numbers.sorted { order($0, $1, data) < 0 }
  }

  private func order(_ a: Int, _ b: Int, _ data: OracleData) -> Int {
    for key in sort {
      let (x, y) = (value(key.path, of: a, data), value(key.path, of: b, data))
      // nil comes before everything.
      let order =
        x.isNull || y.isNull
        ? (x.isNull ? 0 : 1) - (y.isNull ? 0 : 1) : OracleOrder(key.ignoresCase ? "c" : "").of(x, y)!
      if order != 0 { return key.isAscending ? order : -order }
    }
    return 0
  }

  private func value(_ path: [String], of number: Int, _ data: OracleData) -> OracleValue {
    OracleEvaluation(data, number).value(.path(from: nil, path))
  }

  // Dictionaries.

  /// What is wrong with dictionaries; each row has the columns' values.
  func mismatch(_ found: [[OracleValue]], _ data: OracleData) -> String? {
    var wanted = rows(data).map(Self.text)
    if isDistinct { wanted = Array(Set(wanted)) }
    let all = wanted
    wanted = slice(wanted)
    let texts = found.map(Self.text)
    func list(_ rows: [String]) -> String { "[" + rows.sorted().joined(separator: ", ") + "]" }
    if limit > 0 || offset > 0 {
      return texts.count == wanted.count && texts.allSatisfy(all.contains)
        ? nil : "found \(list(texts)) instead of \(wanted.count) of \(list(all))"
    }
    return texts.sorted() == wanted.sorted() ? nil : "found \(list(texts)) instead of \(list(wanted))"
  }

  private func rows(_ data: OracleData) -> [[OracleValue]] {
    let numbers = matching(data)
    func row(_ group: [Int], of whole: [Int]) -> [OracleValue] {
      columns.map { column in
        switch column {
        case .path(let path): group.first.map { value(path, of: $0, data) } ?? .null
        case .aggregate(let function, let path): aggregate(function, whole.map { value(path, of: $0, data) })
        }
      }
    }
    guard !groups.isEmpty else {
      // Aggregates alone make one row; beside other columns they are repeated.
      if columns.allSatisfy(\.isAggregate) { return [row(numbers, of: numbers)] }
      return numbers.map { row([$0], of: numbers) }
    }
    // nils are a group.
    var members: [String: [Int]] = [:]
    for number in numbers {
      members[Self.text(groups.map { value($0, of: number, data) }), default: []].append(number)
    }
    let rows = members.values.map { row($0, of: $0) }
    guard let having else { return rows }
    return rows.filter { (OracleOrder("").of($0.last!, .int(having)) ?? -1) >= 0 }
  }

  /// Over rows nils are not counted. The sum of nothing is 0.
  private func aggregate(_ function: String, _ values: [OracleValue]) -> OracleValue {
    let values = values.filter { !$0.isNull }
    switch function {
    case "count": return .int(Int64(values.count))
    case "sum": return values.isEmpty ? .int(0) : .real(values.map(real).reduce(0, +))
    case "average":
      return values.isEmpty ? .null : .real(values.map(real).reduce(0, +) / Double(values.count))
    case "min": return values.min { OracleOrder("").of($0, $1)! < 0 } ?? .null
    default: return values.max { OracleOrder("").of($0, $1)! < 0 } ?? .null
    }
  }

  private func real(_ value: OracleValue) -> Double {
    if case .int(let number) = value { return Double(number) }
    if case .real(let number) = value { return number }
    return .nan
  }

  /// A row as text: equal numbers are equal, whole or not.
  private static func text(_ row: [OracleValue]) -> String {
    "("
      + row.map { value in
        switch value {
        case .real(let number):
          if let whole = Int64(exactly: number) { return "\(whole)" }
          return "\(number)"
        case .int(let number): return "\(number)"
        case .null: return "nil"
        // Canonical equivalents are different texts.
        case .text(let text):
          return "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
        default: return "\(value)"
        }
      }.joined(separator: ", ") + ")"
  }
}

extension OracleRequest: CustomStringConvertible {
  var description: String {
    var text = "fetch \(result) of \(entity)"
    if !withSubentities { text += " alone" }
    if let predicate { text += " where \(predicate)" }
    if result == .dictionaries { text += ", columns \(columns.map(\.name))" }
    if !groups.isEmpty { text += ", grouped by \(groups.map { $0.joined(separator: ".") })" }
    if let having { text += ", having \(columns.last!.name) >= \(having)" }
    if isDistinct { text += ", distinct" }
    for key in sort {
      text +=
        ", by \(key.path.joined(separator: "."))\(key.ignoresCase ? "[c]" : "")\(key.isAscending ? "" : " descending")"
    }
    if offset > 0 { text += ", offset \(offset)" }
    if limit > 0 { text += ", limit \(limit)" }
    return text
  }
}
