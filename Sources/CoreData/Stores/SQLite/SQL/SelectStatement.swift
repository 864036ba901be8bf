/// A SELECT as a tree.
struct SelectStatement {
  /// What it reads.
  enum Table {
    /// `ZBOOK t0`
    case named(String, as: String)
    /// `(SELECT …)`
    indirect case rows(of: SelectStatement)
    /// `json_each(?)`
    case json(Binding)
  }

  /// `LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK`
  struct Join {
    let kind: StaticString
    let table: Table
    let condition: SQLExpression
  }

  /// `t0.ZNAME COLLATE NSCollateLocale DESC`
  struct Order {
    let value: SQLExpression
    var collation = SortKey.Collation.binary
    var ascending = true
  }

  var isDistinct = false
  var columns: [SQLExpression] = []
  /// `t0.ZNAME AS v`: what the only column is called in the select around.
  var columnName: StaticString?
  var table: Table
  var joins: [Join] = []
  var conditions: [SQLExpression] = []
  /// Whether it looks for rows by keys. In Apple's statements of that kind a condition has a blank behind it, and
  /// several have no parentheses around them.
  var isByKey = false
  var groupBy: [SQLExpression] = []
  var having: SQLExpression?
  var order: [Order] = []
  /// 0 for none.
  var limit = 0
  var offset = 0

  init(_ columns: [SQLExpression] = [], from table: Table) {
    self.columns = columns
    self.table = table
  }

  /// Its text and the values of its parameters.
  var fragment: SQLFragment { SQLPrinter.print { $0.print(self) } }
}
