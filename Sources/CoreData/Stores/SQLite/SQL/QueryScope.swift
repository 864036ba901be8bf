/// The tables of one SELECT: its own table, and the tables that key paths through to-one relationships join.
///
/// Paths with the same beginning share a join. The scope of a sub-select continues the numbering of the aliases, and
/// may refer to the tables of the outer scopes.
final class QueryScope {
  /// A table in the FROM, with the entity of its rows.
  struct Source {
    private let name: String
    let layout: EntityLayout
    private let depth: Int
    private let tally: Tally

    fileprivate init(_ name: String, layout: EntityLayout, depth: Int, tally: Tally) {
      self.name = name
      self.layout = layout
      self.depth = depth
      self.tally = tally
    }

    /// The same table, with its rows taken as ones of a subentity.
    func seen(as layout: EntityLayout) -> Source { Source(name, layout: layout, depth: depth, tally: tally) }

    /// The alias that its columns are qualified with. Each use is recorded, see `noting`.
    var alias: String {
      tally.outermostUse = min(tally.outermostUse, depth)
      return name
    }
  }

  /// The meaning of `sum:(pages)` in the expression being translated.
  enum RowAggregates {
    /// An error, because a condition on rows sees one row.
    case refused
    /// `IFNULL(SUM( t0.ZPAGES), 0)`, over the rows of a group, or over all rows.
    case ofGroup
    /// The result of a function.
    case other((ExpressionNode) throws -> SQLOperand)
  }

  let schema: StoreSchema
  let source: Source
  private(set) var aggregates = RowAggregates.refused
  private(set) var joins: [SelectStatement.Join] = []
  private var joined: [String: Source] = [:]
  private let tally: Tally
  /// The number of selects around this one.
  private let depth: Int
  /// The variables of the SUBQUERYs around the current expression. The outermost scope keeps them for all.
  private var ownVariables: [String: (scope: QueryScope, source: Source)] = [:]
  /// The outermost scope; nil in the outermost scope itself.
  private let outermost: QueryScope?

  /// The counters that the scopes of one statement share.
  fileprivate final class Tally {
    private var aliases = 0
    /// The depth of the outermost select that had a table named since the last reset.
    var outermostUse = Int.max

    func newAlias() -> String {
      defer { aliases += 1 }
      return "t\(aliases)"
    }
  }

  init(_ schema: StoreSchema, _ layout: EntityLayout) {
    self.schema = schema
    let tally = Tally()
    self.tally = tally
    depth = 0
    outermost = nil
    source = Source(tally.newAlias(), layout: layout, depth: 0, tally: tally)
  }

  private init(inside outer: QueryScope, _ layout: EntityLayout) {
    schema = outer.schema
    tally = outer.tally
    depth = outer.depth + 1
    outermost = outer.root
    source = Source(outer.newAlias(), layout: layout, depth: outer.depth + 1, tally: outer.tally)
  }

  /// The scope of the whole statement. A plain key path starts here, even in a SUBQUERY's predicate.
  var root: QueryScope { outermost ?? self }

  var variables: [String: (scope: QueryScope, source: Source)] {
    get { root.ownVariables }
    set { root.ownVariables = newValue }
  }

  /// The scope of a sub-select.
  func inner(_ layout: EntityLayout) -> QueryScope { QueryScope(inside: self, layout) }

  func newAlias() -> String { tally.newAlias() }

  /// Runs `body`, which translates a sub-select of this scope. Returns whether it named a table of this scope or of an
  /// outer one; if not, the sub-select is the same for all rows.
  func noting<Result>(_ body: () throws -> Result) rethrows -> (result: Result, isCorrelated: Bool) {
    let before = tally.outermostUse
    tally.outermostUse = .max
    let result = try body()
    let isCorrelated = tally.outermostUse <= depth
    tally.outermostUse = min(before, tally.outermostUse)
    return (result, isCorrelated)
  }

  /// Runs `body`, which translates expressions of this scope, with another meaning of aggregates.
  func withAggregates<Result>(_ other: RowAggregates, _ body: () throws -> Result) rethrows -> Result {
    let before = aggregates
    aggregates = other
    defer { aggregates = before }
    return try body()
  }

  func append(_ join: SelectStatement.Join) { joins.append(join) }

  /// The table of a to-one relationship's destination. The first call joins it.
  func destination(of property: LayoutProperty, from source: Source) throws -> Source {
    let key = "\(source.alias).\(property.name)"
    if let found = joined[key] { return found }
    let column = try column(of: property, in: source)
    let layout = schema.layouts[property.destination]
    let destination = Source(newAlias(), layout: layout, depth: depth, tally: tally)
    joins.append(
      SelectStatement.Join(
        kind: "LEFT OUTER JOIN", table: .named(try schema.entity(layout).table, as: destination.alias),
        condition: .infix(.column(source.alias, column.name), "=", .column(destination.alias, "Z_PK"))))
    joined[key] = destination
    return destination
  }

  func unsupported(_ what: String) -> Failure { refused("\(what) can't be translated into SQL") }

  func refused(_ what: String) -> Failure { .malformedFetchRequest(entity: source.layout.name, what: what) }

  func column(of property: LayoutProperty, in source: Source) throws -> SlotColumn {
    guard property.slot >= 0, let column = try schema.entity(source.layout).slots[property.slot] else {
      throw Failure.unknownKeyPath(keyPath: property.name, entity: source.layout.name, missing: property.name)
    }
    return column
  }
}
