/// A SELECT as a tree; `fragment` is its text, with Apple's blanks.
struct SelectStatement {
  var isDistinct = false
  var columns: [SQLFragment] = []
  /// Table and alias: `ZBOOK t0`.
  var table = ""
  var joins: [String] = []
  var conditions: [SQLFragment] = []
  var groupBy: [SQLFragment] = []
  var having: SQLFragment?
  var order: [SQLFragment] = []
  /// 0 for none.
  var limit = 0
  var offset = 0

  var fragment: SQLFragment {
    var text: SQLFragment =
      "SELECT \(isDistinct ? "DISTINCT " : "")\(SQLFragment(columns, separator: ", ")) FROM \(table)"
    for join in joins { text = "\(text) \(join)" }
    if let condition = SelectStatement.all(conditions) { text = "\(text) WHERE \(condition)" }
    if !groupBy.isEmpty { text = "\(text) GROUP BY \(SQLFragment(groupBy, separator: ", "))" }
    if let having { text = "\(text) HAVING \(having)" }
    if !order.isEmpty { text = "\(text) ORDER BY \(SQLFragment(order, separator: ", "))" }
    if limit > 0 || offset > 0 { text = "\(text) LIMIT \(limit > 0 ? limit : -1)" }
    if offset > 0 { text = "\(text) OFFSET \(offset)" }
    return text
  }

  /// All of the conditions; nil for none.
  static func all(_ conditions: [SQLFragment]) -> SQLFragment? {
    guard let first = conditions.first else { return nil }
    return conditions.dropFirst().reduce(first) { "(\($0) AND \($1))" }
  }
}
