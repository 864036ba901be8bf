internal import DataModelFiles

/// Infers a model from a file: see `NSManagedObjectModel(storedIn:)` for the rules.
///
/// It first makes every entity with the columns of its table, then connects the keys among the columns, then reads the
/// join tables. Where the file doesn't settle a question, it chooses the plainest model that reads and writes the same
/// values.
struct ModelInference {
  let existing: ExistingSchema
  private let connection: Connection
  let indexes: [StoredIndex]
  private var names: PropertyNames
  /// The entities by Z_ENT, with their names in the file's metadata.
  private(set) var entities: [Int: DataModel.Entity] = [:]
  private var parents: [Int: Int] = [:]
  /// The entities that others inherit from, by Z_ENT.
  private var inherited: Set<Int> = []
  /// The Z_ENT of each entity's root.
  private var rootNumbers: [Int: Int] = [:]
  /// The names of the properties of a hierarchy in lowercase, by the root's Z_ENT.
  private var taken: [Int: Set<String>] = [:]
  private var tables: [Int: String] = [:]

  /// - Parameter entityNames: the entity names of the version hashes; empty if there are none.
  init(_ existing: ExistingSchema, _ connection: Connection, entityNames: Set<String>) throws {
    self.existing = existing
    self.connection = connection
    indexes = try StoredIndex.all(connection)
    let rows = ModelInference.named(existing.entities, entityNames)
    names = PropertyNames(
      spelled: indexes.flatMap { index in rows.flatMap { index.spelledNames(of: $0.name) } }
        + (try StoredIndex.triggerNames(connection)),
      words: rows.flatMap { PropertyNames.words(of: $0.name) })
    let byNumber = Dictionary(rows.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    let storedNames = Dictionary(
      existing.entities.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    var known: Set<String> = []
    for row in rows {
      var root = row
      var steps = 0
      while root.parent != 0, let parent = byNumber[root.parent] {
        // In a damaged file an entity can be its own ancestor.
        guard parent.number != row.number, steps < ModelLimits.ancestors else {
          let from = parent.number == row.number ? "itself" : "more than 200 entities"
          throw existing.misfit("Z_PRIMARYKEY", "the entity \(row.name) inherits from \(from)")
        }
        root = parent
        steps += 1
      }
      guard let table = existing.table(ofRoot: root.name, storedNames[root.number]) else { continue }
      guard known.insert(row.name).inserted else {
        throw existing.misfit("Z_PRIMARYKEY", "two entities have the name \(row.name)")
      }
      var entity = DataModel.Entity(name: row.name)
      entity.parentName = byNumber[row.parent]?.name
      entities[row.number] = entity
      parents[row.number] = row.parent
      inherited.insert(row.parent)
      rootNumbers[row.number] = root.number
      tables[row.number] = table
    }
  }

  /// Replaces old names in `Z_PRIMARYKEY` with the names that only the metadata has, if there are equally many.
  /// Otherwise it leaves out the rows with old names.
  private static func named(_ rows: [ExistingSchema.Entity], _ names: Set<String>) -> [ExistingSchema.Entity] {
    if names.isEmpty { return rows }
    let stale = rows.filter { !names.contains($0.name) }
    let places = Dictionary(stale.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
    let fresh = names.subtracting(rows.map(\.name)).sorted()
    return rows.compactMap { row in
      guard let place = places[row.number] else { return row }
      guard stale.count == fresh.count else { return nil }
      return ExistingSchema.Entity(number: row.number, name: fresh[place], parent: row.parent)
    }
  }

  var roots: [Int] { entities.keys.filter { entities[parents[$0] ?? 0] == nil }.sorted() }

  func root(of number: Int) -> Int { rootNumbers[number] ?? number }

  func table(of number: Int) -> String { tables[number] ?? "" }

  func hasSubentities(_ number: Int) -> Bool { inherited.contains(number) }

  mutating func model(named name: String) throws -> DataModel {
    for root in roots { try addColumns(of: root) }
    try connectKeys()
    try addJoins()
    addConstraints()
    var model = DataModel(name: name)
    model.entities = entities.values.sorted(on: \.name)
    return model
  }

  /// Whether an SQL expression is true for the file; false for null.
  func holds(_ expression: String) throws -> Bool {
    try connection.rows("SELECT \(expression)").first?[0] == "1"
  }

  // Attributes and hidden keys. Foreign keys are attributes until they are connected.

  private mutating func addColumns(of root: Int) throws {
    let table = table(of: root)
    for column in existing.tables[table] ?? [] {
      switch StoredColumn(column.name) {
      case .property(let text):
        guard let name = names.name(of: text) else { continue }
        var attribute = DataModel.Attribute(name: name, type: ModelInference.type(column.type))
        attribute.isOptional = true
        if attribute.type == .binary {
          attribute.allowsExternalBinaryDataStorage = try isTagged(column.name, table)
        }
        entities[root]!.attributes.append(attribute)
        take(attribute.name, in: root)
      case .hiddenKey(let owner, let text):
        guard entities[owner] != nil, let name = names.name(of: text) else { continue }
        var relationship = DataModel.Relationship(name: name, destinationName: entities[root]!.name)
        relationship.isOptional = true
        relationship.maxCount = 0
        relationship.isOrdered = hasColumn("Z_FOK_\(owner)\(text)", table)
        add(relationship, to: owner)
      case .fixed, .order, .entity, .unknown: continue
      }
    }
  }

  func hasColumn(_ name: String, _ table: String) -> Bool {
    existing.columns(of: table)?.contains(SQLName.quoted(name)) ?? false
  }

  /// Whether all values begin with a tag byte, and at least one of them names an external file.
  private func isTagged(_ column: String, _ table: String) throws -> Bool {
    let file =
      "LENGTH(\(column)) = 38 AND HEX(SUBSTR(\(column), 1, 1)) = '02' AND HEX(SUBSTR(\(column), 38)) = '00'"
    return try holds(
      "EXISTS (SELECT 1 FROM \(table) WHERE \(file)) AND NOT EXISTS (SELECT 1 FROM \(table) "
        + "WHERE \(column) NOT NULL AND HEX(SUBSTR(\(column), 1, 1)) NOT IN ('01', '02'))")
  }

  /// The widest attribute type for a column, by Core Data's declarations or else by SQLite's general rules.
  private static func type(_ declared: String) -> DataModel.AttributeType {
    switch declared {
    case "TIMESTAMP": .date
    case "DECIMAL": .decimal
    case _ where declared.contains("INT"): .integer64
    case _ where ["CHAR", "CLOB", "TEXT"].contains(where: declared.contains): .string
    case _ where declared.isEmpty || declared.contains("BLOB"): .binary
    case _ where ["REAL", "FLOA", "DOUB"].contains(where: declared.contains): .double
    default: .decimal
    }
  }

  // Names.

  mutating func name(of text: String) -> String? { names.name(of: text) }

  /// Whether any entity of the same hierarchy has a property of this name, ignoring case.
  func isTaken(_ name: String, in number: Int) -> Bool {
    taken[root(of: number)]?.contains(name.lowercased()) ?? false
  }

  private mutating func take(_ name: String, in number: Int) {
    let root = root(of: number)
    taken[root, default: []].insert(name.lowercased())
  }

  mutating func add(_ relationship: DataModel.Relationship, to number: Int) {
    entities[number]!.relationships.append(relationship)
    take(relationship.name, in: number)
  }

  /// Replaces an attribute with the relationship whose key it holds.
  mutating func replaceAttribute(_ name: String, of number: Int, by relationship: DataModel.Relationship) {
    entities[number]!.attributes.removeAll { $0.name == name }
    add(relationship, to: number)
  }

  /// Makes a uniqueness constraint of each unique index over attributes of a table.
  private mutating func addConstraints() {
    let roots = self.roots
    for index in indexes where index.isUnique && !index.isPartial {
      guard let root = roots.first(where: { table(of: $0) == index.table }) else { continue }
      let attributes = entities[root]!.attributes
      let constraint = index.columns.compactMap { column in
        attributes.first { SQLName.quoted("Z" + $0.name.uppercased()) == column }?.name
      }
      guard constraint.count == index.columns.count, !constraint.isEmpty,
        !entities[root]!.uniquenessConstraints.contains(constraint)
      else { continue }
      entities[root]!.uniquenessConstraints.append(constraint)
    }
  }
}

/// The meaning of a column in an entity's table, by its name.
enum StoredColumn: Equatable {
  /// Z_PK, Z_ENT, Z_OPT.
  case fixed
  /// An attribute, or the key of a to-one relationship.
  case property(String)
  /// `Z_FOK_X`: the position in an ordered relationship.
  case order(String)
  /// `Z<n>_X`: the Z_ENT of the row that a key leads to; n is the declared destination.
  case entity(Int, String)
  /// `Z<n>X`: the key of a to-many relationship X of entity n, which has no inverse.
  case hiddenKey(Int, String)
  case unknown

  init(_ column: String) {
    if ["Z_PK", "Z_ENT", "Z_OPT"].contains(column) {
      self = .fixed
    } else if column.hasPrefix("Z_FOK_") {
      self = .order(String(column.dropFirst(6)))
    } else if let (number, rest) = StoredColumn.numbered(column, prefix: "Z") {
      self = rest.hasPrefix("_") ? .entity(number, String(rest.dropFirst())) : .hiddenKey(number, rest)
    } else if column.hasPrefix("Z"), !column.hasPrefix("Z_"), column.count > 1 {
      self = .property(String(column.dropFirst()))
    } else {
      self = .unknown
    }
  }

  /// The number behind a prefix, and the rest of the name; nil if `name` has no such form.
  static func numbered(_ name: String, prefix: String) -> (number: Int, rest: String)? {
    guard name.hasPrefix(prefix) else { return nil }
    let rest = name.dropFirst(prefix.count)
    let digits = rest.prefix { ("0"..."9").contains($0) }
    guard let number = Int(digits), rest.count > digits.count else { return nil }
    return (number, String(rest.dropFirst(digits.count)))
  }
}
