/// The tables of one SELECT: its own table, and those that key paths through to-one relationships need.
///
/// Paths with the same beginning share a join. Scopes of sub-selects number their tables on, and may refer to
/// the tables of those around them.
final class QueryScope {
  /// A table in the FROM, and of which entity its rows are.
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

    /// What its columns are named by. Asking is noted, see `noting`.
    var alias: String {
      tally.outermostUse = min(tally.outermostUse, depth)
      return name
    }
  }

  /// What `sum:(pages)` is where an expression is translated.
  enum RowAggregates {
    /// Nothing: a condition on rows knows one row.
    case refused
    /// `IFNULL(SUM( t0.ZPAGES), 0)`, of the rows of a group, or of all.
    case ofGroup
    /// What the function makes of it.
    case other((ExpressionNode) throws -> SQLOperand)
  }

  let schema: StoreSchema
  let source: Source
  private(set) var aggregates = RowAggregates.refused
  private(set) var joins: [SelectStatement.Join] = []
  private var joined: [String: Source] = [:]
  private let tally: Tally
  /// How many selects are around this one.
  private let depth: Int
  /// The variables of the SUBQUERYs around what is being translated; kept by the outermost scope.
  private var ownVariables: [String: (scope: QueryScope, source: Source)] = [:]
  /// The outermost scope; nil for that itself.
  private let outermost: QueryScope?

  /// What the scopes of one statement count together.
  fileprivate final class Tally {
    private var aliases = 0
    /// The depth of the outermost select whose tables were named since this was last reset.
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

  /// The scope of the whole statement: of what a plain key path speaks of, even in a SUBQUERY's predicate.
  var root: QueryScope { outermost ?? self }

  var variables: [String: (scope: QueryScope, source: Source)] {
    get { root.ownVariables }
    set { root.ownVariables = newValue }
  }

  /// The scope of a sub-select.
  func inner(_ layout: EntityLayout) -> QueryScope { QueryScope(inside: self, layout) }

  func newAlias() -> String { tally.newAlias() }

  /// Runs `body`, which translates a sub-select of this scope, and says whether it named a table of this scope or
  /// of one around it: if not, the sub-select is the same for all rows.
  func noting<Result>(_ body: () throws -> Result) rethrows -> (result: Result, isCorrelated: Bool) {
    let before = tally.outermostUse
    tally.outermostUse = .max
    let result = try body()
    let isCorrelated = tally.outermostUse <= depth
    tally.outermostUse = min(before, tally.outermostUse)
    return (result, isCorrelated)
  }

  /// Runs `body`, which translates expressions of this scope with other aggregates.
  func withAggregates<Result>(_ other: RowAggregates, _ body: () throws -> Result) rethrows -> Result {
    let before = aggregates
    aggregates = other
    defer { aggregates = before }
    return try body()
  }

  func append(_ join: SelectStatement.Join) { joins.append(join) }

  /// The destination of a to-one relationship, joined at most once.
  func destination(of property: LayoutProperty, from source: Source) throws -> Source {
    let key = "\(source.alias).\(property.name)"
    if let found = joined[key] { return found }
    let column = try column(of: property, in: source)
    let layout = schema.layouts.layouts[property.destination]
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
