/// The tables of one SELECT: its own table, and those that key paths through to-one relationships need.
///
/// Paths with the same beginning share a join. Scopes of sub-selects number their tables on, and may refer to
/// the tables of those around them.
final class QueryScope {
  /// A table in the FROM, and of which entity its rows are.
  struct Source {
    let alias: String
    let layout: EntityLayout
  }

  let schema: StoreSchema
  let source: Source
  private(set) var joins: [String] = []
  private var joined: [String: Source] = [:]
  private let numbers: Numbers
  /// The variables of the SUBQUERYs around what is being translated; kept by the outermost scope.
  private var ownVariables: [String: (scope: QueryScope, source: Source)] = [:]
  /// The outermost scope; nil for that itself.
  private let outermost: QueryScope?

  private final class Numbers {
    var next = 1
  }

  init(_ schema: StoreSchema, _ layout: EntityLayout) {
    self.schema = schema
    source = Source(alias: "t0", layout: layout)
    numbers = Numbers()
    outermost = nil
  }

  private init(inside outer: QueryScope, _ layout: EntityLayout) {
    schema = outer.schema
    numbers = outer.numbers
    outermost = outer.root
    source = Source(alias: "t\(numbers.next)", layout: layout)
    numbers.next += 1
  }

  /// The scope of the whole statement: of what a plain key path speaks of, even in a SUBQUERY's predicate.
  var root: QueryScope { outermost ?? self }

  var variables: [String: (scope: QueryScope, source: Source)] {
    get { root.ownVariables }
    set { root.ownVariables = newValue }
  }

  /// The scope of a sub-select.
  func inner(_ layout: EntityLayout) -> QueryScope { QueryScope(inside: self, layout) }

  func newAlias() -> String {
    defer { numbers.next += 1 }
    return "t\(numbers.next)"
  }

  func append(join: String) { joins.append(join) }

  /// The destination of a to-one relationship, joined at most once.
  func destination(of property: LayoutProperty, from source: Source) throws -> Source {
    let key = "\(source.alias).\(property.name)"
    if let found = joined[key] { return found }
    let column = try column(of: property, in: source)
    let layout = schema.layouts.layouts[property.destination]
    let destination = Source(alias: newAlias(), layout: layout)
    joins.append(
      "LEFT OUTER JOIN \(try schema.entity(layout).table) \(destination.alias) "
        + "ON \(source.alias).\(column.name) = \(destination.alias).Z_PK")
    joined[key] = destination
    return destination
  }

  func column(of property: LayoutProperty, in source: Source) throws -> SlotColumn {
    guard property.slot >= 0, let column = try schema.entity(source.layout).slots[property.slot] else {
      throw Failure.unknownKeyPath(keyPath: property.name, entity: source.layout.name, missing: property.name)
    }
    return column
  }
}
