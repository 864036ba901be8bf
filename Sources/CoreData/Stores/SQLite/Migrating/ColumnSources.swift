/// What the columns of the destination get, and what has to be done about keys for it.
struct ColumnSources {
  private var valueSources: [DestinationEntity: [String: ColumnFeed]] = [:]
  /// Columns that are filled once all rows are in their places.
  private(set) var lookups: [DestinationRoot: [LinkLookup]] = [:]
  private(set) var rankings: [DestinationRoot: [LinkRanking]] = [:]
  /// The columns that may refer to rows that go.
  var keys = KeyColumns()

  /// What a column gets in the rows of an entity: nothing where the entity doesn't have it.
  func feed(_ column: String, of entity: DestinationEntity) -> ColumnFeed { valueSources[entity]?[column] ?? .null }

  mutating func set(_ column: String, of entity: DestinationEntity, _ feed: ColumnFeed) {
    valueSources[entity, default: [:]][column] = feed
  }

  /// One look-up for all entities that share the column.
  mutating func add(_ lookup: LinkLookup, _ root: DestinationRoot) {
    if let place = lookups[root]?.firstIndex(where: { $0.column == lookup.column }) {
      lookups[root]![place].numbers? += lookup.numbers ?? []
    } else {
      lookups[root, default: []].append(lookup)
    }
  }

  mutating func add(_ ranking: LinkRanking, _ root: DestinationRoot) {
    if let place = rankings[root]?.firstIndex(where: { $0.order == ranking.order }) {
      rankings[root]![place].numbers? += ranking.numbers ?? []
    } else {
      rankings[root, default: []].append(ranking)
    }
  }
}

/// What a column of the destination gets in the rows of one entity: an expression over the same row before.
struct ColumnFeed: Equatable {
  /// The source's column, whose place in `text` is `mark`.
  var column: String?
  var text: String
  /// Which rows it changes, where the column is what it was; nil for all.
  var condition: String?
  /// Whether the column itself may become the destination's.
  var isBase = true

  /// Stands for the source's column. No literal has this character, because SQL ends at it.
  static let mark = "\0"
  static let null = ColumnFeed(column: nil, text: "NULL")

  /// The column as it is.
  static func keeping(_ column: String) -> ColumnFeed { ColumnFeed(column: column, text: mark) }

  var isPlain: Bool { text == ColumnFeed.mark }

  func expression(_ name: (String) -> String) -> String {
    column.map { text.replacingOccurrences(of: ColumnFeed.mark, with: name($0)) } ?? text
  }
}

/// What is done about references to rows that go.
struct KeyColumns {
  /// A column, or one of a join table's, that holds keys of rows of some entity and those below it.
  struct Place: Hashable {
    let table: String
    let column: String
  }

  struct Use {
    let target: SourceEntity
    /// The Z_ENT of the rows that go.
    var leaving: Set<Int>
    /// The columns that become null with it; nil for a join table, whose row goes.
    let companions: [String]?
    /// The column that has the Z_ENT of the row referred to.
    let entityColumn: String?
  }

  private(set) var uses: [Place: Use] = [:]
  private(set) var order: [Place] = []

  mutating func add(_ place: Place, _ use: Use) {
    if use.leaving.isEmpty { return }
    if uses[place] == nil {
      uses[place] = use
      order.append(place)
    } else {
      uses[place]!.leaving.formUnion(use.leaving)
    }
  }

  func merging(_ other: KeyColumns) -> KeyColumns {
    var both = self
    for place in other.order { both.add(place, other.uses[place]!) }
    return both
  }
}

/// A link of the source as pairs of an owner's and a member's key.
struct LinkPairs {
  var owner: String
  var member: String
  /// The member's place among the owner's, and the owner's among the member's.
  var memberOrder: String?
  var ownerOrder: String?
  /// From where, with a condition.
  var from: String

  var reversed: LinkPairs {
    LinkPairs(owner: member, member: owner, memberOrder: ownerOrder, ownerOrder: memberOrder, from: from)
  }
}

/// A column that is filled from pairs once all rows are in their places.
struct LinkLookup {
  let pairs: [LinkPairs]
  let column: String
  /// Gets the Z_ENT of the row referred to, in `target`.
  let entityColumn: String?
  let orderColumn: String?
  let target: String
  /// Z_ENT of the rows that have the column; nil for all.
  var numbers: [Int]?
  /// The columns of the row referred to that have to refer back: of a one-to-one relationship.
  let back: [String]
}

/// An order that there was not: of the keys.
struct LinkRanking {
  let column: String
  let order: String
  var numbers: [Int]?
}
