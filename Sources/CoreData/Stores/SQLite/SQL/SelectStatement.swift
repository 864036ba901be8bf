/// A SELECT as a tree.
package struct SelectStatement {
  /// What it reads.
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
  /// `t0.ZNAME AS v`: what the only column is called in the select around.
  package var columnName: StaticString?
  package var table: Table
  package var joins: [Join] = []
  package var conditions: [SQLExpression] = []
  /// Whether it looks for rows by keys. In Apple's statements of that kind a condition has a blank behind it, and
  /// several have no parentheses around them.
  package var isByKey = false
  package var groupBy: [SQLExpression] = []
  package var having: SQLExpression?
  package var order: [Order] = []
  /// 0 for none.
  package var limit = 0
  package var offset = 0

  package init(_ columns: [SQLExpression] = [], from table: Table) {
    self.columns = columns
    self.table = table
  }

  /// Sorts groups by the least of what their rows have, where that is not what they are grouped by. SQLite takes that
  /// of any row.
  mutating func orderGroups() {
    func text(_ value: SQLExpression) -> String {
      SQLPrinter.print(.postgreSQL) { $0.print(value, afterBlank: true) }.sql
    }
    let grouped = Set(groupBy.map(text))
    for index in order.indices where !grouped.contains(text(order[index].value)) {
      let key = order[index]
      order[index] = Order(
        value: .aggregate(.min, key.value), collation: key.collation, ascending: key.ascending)
    }
  }

  /// Its text and the values of its parameters.
  package var fragment: SQLFragment { fragment(.sqlite) }

  package func fragment(_ dialect: SQLDialect) -> SQLFragment { SQLPrinter.print(dialect) { $0.print(self) } }
}
