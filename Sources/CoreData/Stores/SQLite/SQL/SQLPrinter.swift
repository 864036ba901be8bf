/// Writes trees as SQL, with the blanks of Apple's statements.
///
/// There are two rules. First, each operand brings the blank before it, except at the start of a list of columns or
/// keys; so signs and words write no blank behind them. Second, conditions under AND and OR stand in parentheses, with
/// no blank before the parenthesis and one more blank behind the word: `( t0.ZNAME = ? AND  t0.ZBORN > ?)`.
struct SQLPrinter {
  private var fragment = SQLFragment("")
  /// Whether the text is for the schema of a file, which has neither parameters nor aliases for tables.
  private var isInSchema = false
  /// Whether the text needs more than the values of one row and SQLite's own functions.
  private var needsMore = false
  private let dialect: SQLDialect

  private init(_ dialect: SQLDialect) { self.dialect = dialect }

  /// The text that `body` writes.
  static func print(
    _ dialect: SQLDialect = .sqlite, _ body: (inout SQLPrinter) throws -> Void
  ) rethrows -> SQLFragment {
    var printer = SQLPrinter(dialect)
    printer.fragment.sql.reserveCapacity(256)
    try body(&printer)
    return printer.fragment
  }

  /// A condition on one row for the schema of a file, with its values as literals. Returns nil if it needs other rows,
  /// or functions that only this module's connections have.
  static func ofRow(_ condition: SQLExpression, _ dialect: SQLDialect = .sqlite) -> String? {
    var printer = SQLPrinter(dialect)
    printer.isInSchema = true
    printer.print(condition, isAfterBlank: true)
    return printer.needsMore ? nil : printer.fragment.sql
  }

  /// Writes words and names, never a program's value.
  mutating func write(_ sql: String) { fragment.sql += sql }

  /// Writes a question mark for a program's value, and keeps the value beside the text.
  mutating func bind(_ value: Binding) {
    fragment.sql += "?"
    fragment.bindings.append(value)
  }

  // Statements.

  mutating func print(_ select: SelectStatement) {
    write(select.isDistinct ? "SELECT DISTINCT " : "SELECT ")
    printList(select.columns)
    if let name = select.columnName { write(" AS \(name)") }
    write(" FROM ")
    print(select.table)
    for join in select.joins {
      write(" \(join.kind) ")
      print(join.table)
      write(" ON ")
      print(join.condition, isAfterBlank: true)
    }
    if !select.conditions.isEmpty { write(" WHERE ") }
    if select.isByKey {
      for (index, condition) in select.conditions.enumerated() {
        if index > 0 { write("AND ") }
        print(condition)
        write(" ")
      }
    } else if !select.conditions.isEmpty {
      print(.joined(select.conditions, isAnd: true))
    }
    if !select.groupBy.isEmpty {
      write(" GROUP BY ")
      printList(select.groupBy, isAfterBlank: false)
    }
    if let having = select.having {
      write(" HAVING ")
      print(having)
    }
    for (index, order) in select.order.enumerated() {
      write(index == 0 ? " ORDER BY " : ", ")
      print(dialect.isFolded(order.collation) ? order.value.folded : order.value, isAfterBlank: true)
      if let collation = dialect.collation(order.collation) { write(" COLLATE \(collation)") }
      if !order.ascending { write(" DESC") }
      write(dialect.nulls(isAscending: order.ascending))
    }
    if select.limit > 0 {
      write(" LIMIT \(select.limit)")
    } else if select.offset > 0 {
      write(dialect.noLimit)
    }
    if select.offset > 0 { write(" OFFSET \(select.offset)") }
  }

  private mutating func print(_ table: SelectStatement.Table) {
    switch table {
    case .named(let name, let alias): write(alias.isEmpty ? name : "\(name) \(alias)")
    case .rows(let select):
      write("(")
      print(select)
      write(")")
      write(dialect.aliasOfSelect)
    case .json(let array):
      write("json_each(")
      bind(array)
      write(")")
    }
  }

  /// Writes `t0.ZNAME, t0.ZBORN`.
  mutating func printList(_ values: [SQLExpression], isAfterBlank: Bool = true) {
    for (index, value) in values.enumerated() {
      if index > 0 { write(", ") }
      print(value, isAfterBlank: isAfterBlank)
    }
  }

  // Expressions.

  /// - Parameter isAfterBlank: whether the blank before the node is there already, or none is wanted.
  mutating func print(_ node: SQLExpression, isAfterBlank: Bool = false) {
    let node = dialect.adapted(node)
    if !isAfterBlank, !node.beginsWithPart { write(" ") }
    switch node {
    case .column(let alias, let name):
      if !isInSchema {
        write(alias)
        write(".")
      }
      write(name)
    case .storedData(let column): printCall("NSCoreDataStoredData", [column], isOwn: true)
    case .bound(let value): printValue(value)
    case .number(let number): write(String(number))
    case .word(let word): write(word.description)
    case .call(let name, let arguments): printCall(name, arguments)
    case .ownCall(let name, let arguments): printCall(name, arguments, isOwn: true)
    case .search(let name, let text, let piece, let rest):
      needsMore = true
      compose(
        [.text(name), "(", .node(text), ", ", .node(piece)] + rest.flatMap { [",", .node($0)] } + [")"])
    case .arithmetic(let left, let sign, let right):
      compose(["(", .node(left), " ", .word(sign.rawValue), .node(right), ")"])
    case .prefix(let sign, let value): compose([.word(sign.rawValue), .node(value)])
    case .conditional(let test, let yes, let no):
      compose(["CASE WHEN", .node(test), " THEN", .node(yes), " ELSE", .node(no), " END"])
    case .cast(let value, let type):
      compose(["CAST(", .node(value), " AS ", .word(type.rawValue), ")"])
    case .aggregate(let aggregate, let value):
      let sql = aggregate.sql(dialect)
      compose([.text(sql.before), .node(value), .text(sql.after)])
    case .rowCount(let alias): write("COUNT(\(alias).Z_PK)")
    case .select(let select): printSelect(select)
    case .selectOfMembers(let select):
      printSelect(select)
      write(" ")
    case .list(let values):
      write("(")
      for (index, value) in values.enumerated() {
        if index > 0 { write(",") }
        print(value, isAfterBlank: true)
      }
      write(")")

    case .elements(let array):
      write("(SELECT unnest(")
      printValue(array)
      write("))")

    case .truth(let value): write(value ? "1 = 1" : "1 = 0")
    case .infix(let left, let sign, let right):
      print(left, isAfterBlank: isAfterBlank)
      write(" ")
      write(sign.description)
      print(right)
    case .same(let one, let other, let isSame):
      print(.infix(one, dialect.sign(isSame: isSame), other), isAfterBlank: isAfterBlank)
    case .pair(let one, let word, let other): compose(["(", .node(.infix(one, word, other)), ")"])
    case .notTrue(let condition):
      let sql = dialect.notTrue
      compose([.text(sql.before), .node(condition), .text(sql.after)])
    case .exists(let select):
      write("EXISTS")
      printSelect(select)
    case .compound(let members, let isAnd): printCompound(members, isAnd: isAnd)
    }
  }

  private mutating func printValue(_ value: Binding) {
    if isInSchema { write(value.literal) } else { bind(value) }
  }

  private mutating func printSelect(_ select: SelectStatement) {
    needsMore = true
    write("(")
    print(select)
    write(")")
  }

  /// - Parameter isOwn: whether the function is one of `StoreFunctions`.
  private mutating func printCall(_ name: StaticString, _ arguments: [SQLExpression], isOwn: Bool = false) {
    if isOwn { needsMore = true }
    write(dialect.name(of: name))
    write("(")
    for (index, argument) in arguments.enumerated() {
      if index > 0 { write(",") }
      print(argument)
    }
    write(")")
  }

  private enum Piece: ExpressibleByStringLiteral {
    case text(StaticString)
    /// A sign or a type.
    case word(String)
    case node(SQLExpression)

    init(stringLiteral value: StaticString) { self = .text(value) }
  }

  private mutating func compose(_ pieces: [Piece]) {
    for piece in pieces {
      switch piece {
      case .text(let text): write(text.description)
      case .word(let word): write(word)
      case .node(let node): print(node)
      }
    }
  }

  /// Writes conditions in parentheses, the first two innermost, as in Apple's statements. SQLite allows 100 nested
  /// parentheses and expressions 1000 deep, so many conditions are written side by side, in portions.
  private mutating func printCompound(_ members: [SQLExpression], isAnd: Bool) {
    let portion = 500
    if members.count > portion {
      let portions = stride(from: 0, to: members.count, by: portion).map { start in
        SQLExpression.joined(Array(members[start..<min(start + portion, members.count)]), isAnd: isAnd)
      }
      return printCompound(portions, isAnd: isAnd)
    }
    let isNested = members.count <= 8
    write(String(repeating: "(", count: isNested ? members.count - 1 : 1))
    for (index, member) in members.enumerated() {
      if index > 0 { write(isAnd ? " AND " : " OR ") }
      print(member)
      if isNested && index > 0 { write(")") }
    }
    if !isNested { write(")") }
  }
}

extension SQLExpression {
  /// Whether its first part writes the blank before it: an operand, or the parenthesis of conditions.
  fileprivate var beginsWithPart: Bool {
    switch self {
    case .infix, .same, .pair, .compound: true
    case .column, .storedData, .bound, .number, .word, .call, .ownCall, .search, .arithmetic, .prefix,
      .conditional,
      .cast, .aggregate, .rowCount, .select, .selectOfMembers, .list, .elements, .truth, .notTrue, .exists:
      false
    }
  }

  /// The folded text: texts that differ only in case have the same bytes. Orders know of no width; see
  /// `compareStrings`.
  fileprivate var folded: SQLExpression { .ownCall("NSCoreDataFold", [self, .number(1)]) }
}
