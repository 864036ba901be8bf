internal import DataModelFiles

/// Infers relationships from keys in tables and from join tables.
extension ModelInference {
  /// A column that may be the key of a to-one relationship.
  private struct Key {
    let entity: Int
    let destination: Int
    let name: String
    let column: String
    let isOrdered: Bool
  }

  // Keys.

  mutating func connectKeys() throws {
    var keys: [Key] = []
    for root in roots { keys += try self.keys(of: root) }
    var connected: Set<String> = []
    for key in keys {
      guard connected.insert("\(key.entity) \(key.name)").inserted else { continue }
      if let back = try partner(of: key, keys) {
        connected.insert("\(back.entity) \(back.name)")
        connect(key, inverse: back.name)
        connect(back, inverse: key.name)
        continue
      }
      guard let inverse = freeName(for: key) else { continue }
      connect(key, inverse: inverse)
      var relationship = DataModel.Relationship(name: inverse, destinationName: entities[key.entity]!.name)
      relationship.isOptional = true
      relationship.maxCount = 0
      relationship.isOrdered = key.isOrdered
      relationship.inverseName = key.name
      relationship.inverseEntityName = relationship.destinationName
      add(relationship, to: key.destination)
    }
  }

  private mutating func connect(_ key: Key, inverse: String) {
    var relationship = DataModel.Relationship(
      name: key.name, destinationName: entities[key.destination]!.name)
    relationship.isOptional = true
    relationship.inverseName = inverse
    relationship.inverseEntityName = relationship.destinationName
    replaceAttribute(key.name, of: key.entity, by: relationship)
  }

  /// A name for the inverse, made from the name of the entity that the inverse leads to; nil if it is taken.
  private func freeName(for key: Key) -> String? {
    let entity = entities[key.entity]!.name
    let plural = entity.prefix(1).lowercased() + entity.dropFirst() + "s"
    let by = plural + "By" + AccessorName.capitalized(key.name)
    return [plural, by].first { !isTaken($0, in: key.destination) }
  }

  private mutating func keys(of root: Int) throws -> [Key] {
    let table = table(of: root)
    var keys: [Key] = []
    for column in existing.tables[table] ?? [] {
      guard case .property(let text) = StoredColumn(column.name), column.type == "INTEGER",
        let name = name(of: text), let destination = try destination(of: text, column.name, table)
      else { continue }
      keys.append(
        Key(
          entity: root, destination: destination, name: name, column: column.name,
          isOrdered: hasColumn("Z_FOK_\(text)", table)))
    }
    return keys
  }

  /// The entity that a key leads to. It is the entity whose number is in the name of the key's companion column. Only a
  /// key to an entity without subentities has no companion; then it is the entity with a similar name, if the key's
  /// values are keys of its rows.
  private func destination(of text: String, _ column: String, _ table: String) throws -> Int? {
    for case .entity(let number, text) in (existing.columns(of: table) ?? []).map(StoredColumn.init)
    where entities[number] != nil {
      return number
    }
    guard
      indexes.contains(where: { $0.name.uppercased() == "\(table)_\(column)_INDEX" && $0.columns == [column] }
      )
    else { return nil }
    let candidates = entities.compactMap { number, entity -> (score: Int, number: Int)? in
      guard !hasSubentities(number) else { return nil }
      let score = ModelInference.likeness(text, entity.name)
      return score > 0 ? (score, number) : nil
    }.sorted { ($0.score, $1.number) > ($1.score, $0.number) }
    guard let best = candidates.first, candidates.filter({ $0.score == best.score }).count == 1 else {
      return nil
    }
    let key = "SELECT Z_PK FROM \(self.table(of: best.number)) WHERE Z_ENT = \(best.number)"
    let isUsed = "EXISTS (SELECT 1 FROM \(table) WHERE \(column) NOT NULL)"
    let dangles = "EXISTS (SELECT 1 FROM \(table) WHERE \(column) NOT NULL AND \(column) NOT IN (\(key)))"
    // If the names are only similar, there must be rows that support the guess.
    let condition = best.score < ModelInference.certain ? "\(isUsed) AND NOT \(dangles)" : "NOT \(dangles)"
    return try holds(condition) ? best.number : nil
  }

  private static let certain = 1000

  /// How likely a column's name means an entity: most likely if it is the entity's name, then if it ends in that name,
  /// then if it is a word of that name; 0 otherwise.
  private static func likeness(_ column: String, _ entity: String) -> Int {
    let name = entity.uppercased()
    if column == name { return 2000 }
    if name.count > 2, column.hasSuffix(name) { return certain + name.count }
    if column.count > 2, PropertyNames.words(of: entity).contains(where: { $0.uppercased() == column }) {
      return column.count
    }
    return 0
  }

  /// The key that leads back, if the two keys are the sides of a one-to-one relationship: each row's partner must refer
  /// to that row.
  private func partner(of key: Key, _ keys: [Key]) throws -> Key? {
    let back = keys.filter {
      $0.entity == root(of: key.destination) && root(of: $0.destination) == key.entity
    }
    let forth = keys.filter {
      $0.entity == key.entity && root(of: $0.destination) == root(of: key.destination)
    }
    guard back.count == 1, forth.count == 1, back[0].name != key.name || back[0].entity != key.entity,
      !key.isOrdered, !back[0].isOrdered
    else { return nil }
    let (mine, theirs) = (table(of: key.entity), table(of: back[0].entity))
    let broken =
      "EXISTS (SELECT 1 FROM \(mine) a JOIN \(theirs) b ON a.\(key.column) = b.Z_PK "
      + "WHERE b.\(back[0].column) IS NOT a.Z_PK) OR EXISTS (SELECT 1 FROM \(theirs) b JOIN \(mine) a "
      + "ON b.\(back[0].column) = a.Z_PK WHERE a.\(key.column) IS NOT b.Z_PK)"
    return try holds(broken) ? nil : back[0]
  }

  // Join tables.

  mutating func addJoins() throws {
    let all = existing.tables.keys.sorted()
    let columns = Set(all.flatMap { existing.columns(of: $0) ?? [] })
    for table in all {
      guard let (number, relationship) = StoredColumn.numbered(table, prefix: "Z_") else { continue }
      let keys = (existing.columns(of: table) ?? []).filter { !$0.hasPrefix("Z_FOK_") }
      if keys.count == 2, keys.contains(JoinTable.reflexive) {
        try addReflexive(number, relationship, table: table, keys: keys)
        continue
      }
      guard keys.count == 2, let first = StoredColumn.numbered(keys[0], prefix: "Z_"),
        let second = StoredColumn.numbered(keys[1], prefix: "Z_")
      else { continue }
      let isSecond = SQLName.matches(keys[1], prefix: "Z_", rest: relationship)
      guard isSecond || SQLName.matches(keys[0], prefix: "Z_", rest: relationship) else { continue }
      let naming = isSecond ? first : second
      let other = isSecond ? second : first
      guard naming.number == number, entities[number] != nil, entities[other.number] != nil else { continue }
      guard try leads(table, isSecond ? keys[0] : keys[1], to: number),
        try leads(table, isSecond ? keys[1] : keys[0], to: other.number)
      else { continue }
      let inverse = ModelInference.unnumbered(
        naming, others: columns.subtracting(keys), partner: relationship, number: number)
      try addJoin(
        (number, relationship), (other.number, inverse),
        isOrdered: hasColumn("Z_FOK_\(other.number)\(other.rest)", table),
        isInverseOrdered: hasColumn("Z_FOK_\(naming.number)\(naming.rest)", table))
    }
  }

  /// Adds a relationship that is its own inverse.
  private mutating func addReflexive(_ number: Int, _ relationship: String, table: String, keys: [String]) throws {
    guard let key = keys.first(where: { SQLName.matches($0, prefix: "Z_", rest: relationship) }),
      entities[number] != nil, try keys.allSatisfy({ try leads(table, $0, to: number) })
    else { return }
    let orders = [key, JoinTable.reflexive].map { hasColumn(JoinTable.orderColumn(of: $0), table) }
    try addJoin(
      (number, relationship), (number, relationship), isOrdered: orders.contains(true),
      isInverseOrdered: orders.contains(true))
  }

  /// The property's name in a column's name, without the number that the column got if its name was already taken.
  private static func unnumbered(
    _ key: (number: Int, rest: String), others: Set<String>, partner: String, number: Int
  ) -> String {
    let plain = String(key.rest.reversed().drop { ("0"..."9").contains($0) }.reversed())
    let isTaken = others.contains("Z_\(key.number)\(plain)") || (key.number == number && plain == partner)
    return plain.isEmpty || !isTaken ? key.rest : plain
  }

  private func leads(_ table: String, _ column: String, to number: Int) throws -> Bool {
    try holds(
      "NOT EXISTS (SELECT 1 FROM \(table) WHERE \(column) NOT IN (SELECT Z_PK FROM \(self.table(of: number))))"
    )
  }

  private mutating func addJoin(
    _ mine: (number: Int, name: String), _ theirs: (number: Int, name: String), isOrdered: Bool, isInverseOrdered: Bool
  ) throws {
    guard let name = name(of: mine.name), let inverse = self.name(of: theirs.name) else { return }
    let isSymmetric = mine.number == theirs.number && name == inverse
    guard !isTaken(name, in: mine.number), isSymmetric || !isTaken(inverse, in: theirs.number) else { return }
    func relationship(_ name: String, to number: Int, inverse: String, _ isOrdered: Bool)
      -> DataModel.Relationship
    {
      var relationship = DataModel.Relationship(name: name, destinationName: entities[number]!.name)
      relationship.isOptional = true
      relationship.maxCount = 0
      relationship.isOrdered = isOrdered
      relationship.inverseName = inverse
      relationship.inverseEntityName = relationship.destinationName
      return relationship
    }
    add(relationship(name, to: theirs.number, inverse: inverse, isOrdered), to: mine.number)
    if isSymmetric { return }
    add(relationship(inverse, to: mine.number, inverse: name, isInverseOrdered), to: theirs.number)
  }
}
