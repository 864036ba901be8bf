/// What a store's file has: numbers of entities, tables and their columns.
struct ExistingSchema {
  let url: URL
  /// Z_ENT by entity name.
  var numbers: [String: Int]
  /// Column names by table, in the table's order. Names in capitals, as SQL takes them.
  private var tables: [String: [String]]

  init(url: URL, numbers: [String: Int], tables: [String: [String]]) {
    self.url = url
    self.numbers = numbers
    self.tables = Dictionary(
      tables.map { (SQLName.quoted($0.key.uppercased()), $0.value.map { SQLName.quoted($0.uppercased()) }) },
      uniquingKeysWith: { first, _ in first })
  }

  func columns(of table: String) -> [String]? { tables[table] }

  func misfit(_ table: String, _ what: String) -> Failure {
    .incompatibleSchema(url: url, table: table, what: what)
  }

  /// The join table of a many-to-many relationship. Its number, and the numbers in its columns, may be those
  /// that the entities had in an earlier version of the file; older frameworks named it by the other side.
  func joinTable(_ ends: JoinEnds) throws -> JoinTable {
    let names =
      ["Z_\(ends.naming)\(ends.relationship)", "Z_\(ends.other)\(ends.inverse)"]
      + tables.keys.sorted().filter {
        SQLName.matches($0, prefix: "Z_", rest: ends.relationship)
          || SQLName.matches($0, prefix: "Z_", rest: ends.inverse)
      }
    for name in names.map(SQLName.quoted) {
      guard let columns = tables[name] else { continue }
      if let table = joinTable(ends, name: name, columns: columns) { return table }
    }
    throw misfit(
      SQLName.quoted("Z_\(ends.naming)\(ends.relationship)"),
      "there is no join table for \(ends.relationship) and \(ends.inverse)")
  }

  private func joinTable(_ ends: JoinEnds, name: String, columns: [String]) -> JoinTable? {
    let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
    guard keys.count == 2 else { return nil }
    var (first, second) = (keys[0], keys[1])
    if !ends.isSymmetric {
      func isFirst(_ key: String) -> Bool { SQLName.matches(key, prefix: "Z_", rest: ends.inverse) }
      func isSecond(_ key: String) -> Bool { SQLName.matches(key, prefix: "Z_", rest: ends.relationship) }
      func number(_ key: String, _ number: Int) -> Bool { key.hasPrefix("Z_\(number)") }
      if isFirst(keys[0]), isSecond(keys[1]),
        ends.inverse != ends.relationship || number(keys[0], ends.naming) || !number(keys[1], ends.naming)
      {
        (first, second) = (keys[0], keys[1])
      } else if isFirst(keys[1]), isSecond(keys[0]) {
        (first, second) = (keys[1], keys[0])
      } else {
        return nil
      }
    }
    func order(_ key: String) -> String? {
      let name = "Z_FOK_" + key.dropFirst(2)
      if columns.contains(name) { return name }
      let plain = key.dropFirst(2).drop { $0.isNumber }
      return columns.first { SQLName.matches($0, prefix: "Z_FOK_", rest: String(plain)) }
    }
    let (firstOrder, secondOrder) = (order(first), order(second))
    if ends.isInverseOrdered && firstOrder == nil || ends.isOrdered && secondOrder == nil { return nil }
    return JoinTable(
      name: name, first: first, second: second, firstOrder: ends.isInverseOrdered ? firstOrder : nil,
      secondOrder: ends.isOrdered ? secondOrder : nil, isSymmetric: ends.isSymmetric)
  }
}
