/// A SELECT as a tree.
package struct SelectStatement {
  /// The source of its rows.
  package enum Table {
    /// `ZBOOK t0`
    case named(String, as: String)
    /// `(SELECT …)`
    indirect case rows(of: SelectStatement)
    /// `json_each(?)`
    case json(Binding)
  }

  /// `LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK`
  package struct Join {
    package let kind: StaticString
    package let table: Table
    package let condition: SQLExpression
  }

  /// `t0.ZNAME COLLATE NSCollateLocale DESC`
  package struct Order {
    package let value: SQLExpression
    package var collation = SortKey.Collation.binary
    package var ascending = true

    package init(value: SQLExpression, collation: SortKey.Collation = .binary, ascending: Bool = true) {
      self.value = value
      self.collation = collation
      self.ascending = ascending
    }
  }

  package var isDistinct = false
  package var columns: [SQLExpression] = []
  /// `t0.ZNAME AS v`: the name of the only column in the outer select.
  package var columnName: StaticString?
  package var table: Table
  package var joins: [Join] = []
  package var conditions: [SQLExpression] = []
  /// Whether it looks for rows by keys. Apple's statements of that kind have a blank behind each condition, and no
  /// parentheses around several conditions.
  package var isByKey = false
  package var groupBy: [SQLExpression] = []
  package var having: SQLExpression?
  package var order: [Order] = []
  /// The largest number of rows; 0 for no limit.
  package var limit = 0
  package var offset = 0

  package init(_ columns: [SQLExpression] = [], from table: Table) {
    self.columns = columns
    self.table = table
  }

  /// Sorts groups by the least value of their rows, unless they are grouped by that value. SQLite would take the value
  /// of any row.
  mutating func orderGroups() {
    func text(_ value: SQLExpression) -> String {
      SQLPrinter.print(.postgreSQL) { $0.print(value, isAfterBlank: true) }.sql
    }
    let grouped = Set(groupBy.map(text))
    for index in order.indices where !grouped.contains(text(order[index].value)) {
      let key = order[index]
      order[index] = Order(
        value: .aggregate(.min, key.value), collation: key.collation, ascending: key.ascending)
    }
  }

  /// Its text in SQLite's dialect, and the values of its parameters.
  package var fragment: SQLFragment { fragment(.sqlite) }

  package func fragment(_ dialect: SQLDialect) -> SQLFragment { SQLPrinter.print(dialect) { $0.print(self) } }
}
