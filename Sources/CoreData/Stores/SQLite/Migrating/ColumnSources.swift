/// The values for the columns of the destination, and the work on keys that they need.
struct ColumnSources {
  private var valueSources: [DestinationEntity: [String: ColumnFeed]] = [:]
  /// The columns that are filled once all rows are in their tables.
  private(set) var lookups: [DestinationRoot: [LinkLookup]] = [:]
  private(set) var numberings: [DestinationRoot: [LinkNumbering]] = [:]
  /// The columns that may refer to rows that are removed.
  var keys = KeyColumns()

  /// The value of a column in the rows of an entity; null if the entity doesn't have the column.
  func feed(_ column: String, of entity: DestinationEntity) -> ColumnFeed { valueSources[entity]?[column] ?? .null }

  mutating func set(_ column: String, of entity: DestinationEntity, _ feed: ColumnFeed) {
    valueSources[entity, default: [:]][column] = feed
  }

  /// Adds a look-up. All entities that share the column share one look-up.
  mutating func add(_ lookup: LinkLookup, _ root: DestinationRoot) {
    if let index = lookups[root]?.firstIndex(where: { $0.column == lookup.column }) {
      lookups[root]![index].numbers? += lookup.numbers ?? []
    } else {
      lookups[root, default: []].append(lookup)
    }
  }

  mutating func add(_ numbering: LinkNumbering, _ root: DestinationRoot) {
    if let index = numberings[root]?.firstIndex(where: { $0.order == numbering.order }) {
      numberings[root]![index].numbers? += numbering.numbers ?? []
    } else {
      numberings[root, default: []].append(numbering)
    }
  }
}

/// The value of a destination's column in the rows of one entity: an expression over the source's row.
struct ColumnFeed: Equatable {
  /// The source's column; `mark` stands for it in `text`.
  var column: String?
  var text: String
  /// The condition for the rows that it changes, if the column itself stays; nil for all rows.
  var condition: String?
  /// Whether the source's column itself may become the destination's column.
  var mayBecomeColumn = true
  /// The source's columns of which one has to have a value for `text` to be meant; empty if it is meant for all rows.
  var requiredColumns: [String] = []
  /// What a row gets that has a value in none of them.
  var otherwise = "NULL"

  /// Stands for the source's column. No literal has this character, because SQL ends at it.
  static let mark = "\0"
  static let null = ColumnFeed(column: nil, text: "NULL")

  /// The unchanged value of a column.
  static func keeping(_ column: String) -> ColumnFeed { ColumnFeed(column: column, text: mark) }

  var isPlain: Bool { text == ColumnFeed.mark && requiredColumns.isEmpty }

  func expression(_ name: (String) -> String) -> String {
    let value = column.map { text.replacingOccurrences(of: ColumnFeed.mark, with: name($0)) } ?? text
    if requiredColumns.isEmpty { return value }
    let condition = requiredColumns.map { "\(name($0)) IS NOT NULL" }.joined(separator: " OR ")
    return "CASE WHEN \(condition) THEN \(value) ELSE \(otherwise) END"
  }
}

/// The columns whose references to removed rows have to be cleared.
struct KeyColumns {
  /// A column of an entity's table or of a join table that holds keys of an entity's rows and its subentities' rows.
  struct KeyColumn: Hashable {
    let table: String
    let column: String
  }

  struct Use {
    let target: SourceEntity
    /// The Z_ENTs of the rows that are removed.
    var leaving: Set<Int>
    /// The columns that become null together with this one; nil for a join table, whose row is deleted.
    let companions: [String]?
    /// The column with the Z_ENT of the row referred to.
    let entityColumn: String?
  }

  private(set) var uses: [KeyColumn: Use] = [:]
  private(set) var order: [KeyColumn] = []

  mutating func add(_ column: KeyColumn, _ use: Use) {
    if use.leaving.isEmpty { return }
    if uses[column] == nil {
      uses[column] = use
      order.append(column)
    } else {
      uses[column]!.leaving.formUnion(use.leaving)
    }
  }

  func merging(_ other: KeyColumns) -> KeyColumns {
    var both = self
    for column in other.order { both.add(column, other.uses[column]!) }
    return both
  }
}

/// The links of a source's relationship, as pairs of an owner's key and a member's key.
struct LinkPairs {
  var owner: String
  var member: String
  /// The column with the member's position among the owner's members; `ownerOrder` is for the other direction.
  var memberOrder: String?
  var ownerOrder: String?
  /// The table and the condition behind FROM.
  var from: String

  var reversed: LinkPairs {
    LinkPairs(owner: member, member: owner, memberOrder: ownerOrder, ownerOrder: memberOrder, from: from)
  }
}

/// A column that is filled from pairs once all rows are in their tables.
struct LinkLookup {
  let pairs: [LinkPairs]
  let column: String
  /// The column for the Z_ENT of the row referred to, which is in the table `target`.
  let entityColumn: String?
  let orderColumn: String?
  let target: String
  /// The Z_ENTs of the rows that have the column; nil for all rows.
  var numbers: [Int]?
  /// The columns of a one-to-one relationship that refer back, in the row referred to.
  let columnsReferringBack: [String]
}

/// An order column that the source did not have. Rows are numbered in the order of their keys.
struct LinkNumbering {
  let column: String
  let order: String
  var numbers: [Int]?
}
