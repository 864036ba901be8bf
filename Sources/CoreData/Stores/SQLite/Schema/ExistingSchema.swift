/// The schema in a store's file: the numbers of entities, the tables and their columns.
package struct ExistingSchema {
  /// A row of `Z_PRIMARYKEY`.
  package struct Entity {
    package let number: Int
    package let name: String
    /// Z_ENT of the parent, 0 for a root.
    package let parent: Int

    package init(number: Int, name: String, parent: Int) {
      self.number = number
      self.name = name
      self.parent = parent
    }
  }

  package struct Column {
    /// The name in capitals, quoted if SQL needs it.
    package let name: String
    /// The declared type in capitals; empty in the join tables of the oldest files.
    package let type: String
    package internal(set) var isKey: Bool

    package init(name: String, type: String, isKey: Bool) {
      self.name = name
      self.type = type
      self.isKey = isKey
    }
  }

  let url: URL
  /// Sorted by number, without the entities of the history.
  package let entities: [Entity]
  /// The names of the entities in the file's metadata.
  let hashedNames: Set<String>
  /// The columns of each table in the table's order, by the table's name in capitals, quoted if SQL needs it.
  package let tables: [String: [Column]]
  /// The tables that a migration has put aside.
  var deferredTables: Set<String> = []
  /// Whether a table has rows with a Z_ENT that is not among `numbers`.
  package var hasUnknownEntities: (_ table: String, _ numbers: [Int]) throws -> Bool = { _, _ in false }
  /// The names of columns, by table.
  private let columnNames: [String: [String]]

  package init(url: URL, entities: [Entity], hashedNames: Set<String>, tables: [String: [Column]]) {
    self.url = url
    self.entities = entities.sorted(on: \.number)
    self.hashedNames = hashedNames
    self.tables = tables
    columnNames = tables.mapValues { $0.map(\.name) }
  }

  package func columns(of table: String) -> [String]? { columnNames[table] }

  /// Whether the same statements work for both schemas.
  func isSame(as other: ExistingSchema) -> Bool {
    let numbers = [self, other].map { schema in Set(schema.entities.map { "\($0.number) \($0.name) \($0.parent)" }) }
    let columns = [self, other].map { $0.tables.mapValues { $0.map(\.name) } }
    return numbers[0] == numbers[1] && columns[0] == columns[1]
  }

  func misfit(_ table: String, _ what: String) -> Failure {
    .incompatibleSchema(url: url, table: table, what: what)
  }

  /// Finds the join table of a many-to-many relationship. The numbers in its name and in its columns may be those of
  /// the entities in an earlier version of the file. Older frameworks named the table after the other side.
  func joinTable(_ ends: JoinEnds) throws -> JoinTable {
    let names =
      ["Z_\(ends.naming)\(ends.relationship)", "Z_\(ends.other)\(ends.inverse)"]
      + tables.keys.sorted().filter {
        SQLName.matches($0, prefix: "Z_", rest: ends.relationship)
          || SQLName.matches($0, prefix: "Z_", rest: ends.inverse)
      }
    for name in names.map(SQLName.quoted) {
      guard let columns = columnNames[name] else { continue }
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
    if ends.isSymmetric {
      if first == JoinTable.reflexive { (first, second) = (second, first) }
    } else {
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
      let name = JoinTable.orderColumn(of: key)
      if columns.contains(name) { return name }
      let plain = key.dropFirst(2).drop { $0.isNumber }
      return columns.first { SQLName.matches($0, prefix: "Z_FOK_", rest: String(plain)) }
    }
    let (firstOrder, secondOrder) = (order(first), order(second))
    if ends.isInverseOrdered && firstOrder == nil || ends.isOrdered && secondOrder == nil { return nil }
    return JoinTable(
      name: name, first: first, second: second, firstOrder: ends.isInverseOrdered ? firstOrder : nil,
      secondOrder: ends.isOrdered ? secondOrder : nil, isSymmetric: ends.isSymmetric,
      keepsPairsOnce: tables[name]?.contains(where: \.isKey) ?? false)
  }
}
