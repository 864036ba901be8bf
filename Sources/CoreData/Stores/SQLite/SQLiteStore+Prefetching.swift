/// The members of relationships of many owners at once.
extension SQLiteStore {
  /// One statement for each 512 owners.
  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout, _ generation: SQLiteGeneration?
  ) throws -> [MemberRow] {
    let query = try queries.rowQuery(layouts.layouts[relationship.destination], includesSubentities: true)
    let storage = try schema.entity(layout).toMany[relationship.toManyIndex]
    let files = externalFiles
    let found = try translatingErrors {
      try read(isFresh: false, in: generation) { connection -> [MemberRow] in
        var found: [MemberRow] = []
        var rest = keys.sorted()[...]
        while !rest.isEmpty {
          let size = QueryPlans.keyCounts.first { $0 >= rest.count } ?? QueryPlans.keyCounts.last!
          let portion = rest.prefix(size)
          rest = rest.dropFirst(size)
          let statement = try connection.statement(try query.membersSQL(storage, ownerCount: size))
          defer { statement.reset() }
          for place in 0..<size {
            if place < portion.count {
              statement.bind(portion[portion.startIndex + place], at: Int32(place + 1))
            } else {
              statement.bindNull(at: Int32(place + 1))
            }
          }
          connection.trace?.willRun(statement, parameters: portion.map { "(int64)\($0)" })
          found += try query.memberRows(statement, files: files)
        }
        return found
      }
    }
    var rows = found.map(\.row)
    (generation?.rowCache ?? rowCache).publish(&rows)
    return zip(found, rows).map { MemberRow(owner: $0.owner, row: $1) }
  }
}

extension RowQuery {
  /// Selects the members' rows and the owners' keys, ordered by these.
  fileprivate func membersSQL(_ storage: ToManyStorage, ownerCount: Int) throws -> String {
    let list = Array(repeating: "?", count: ownerCount).joined(separator: ",")
    let columns = columns.joined(separator: ", ")
    let known = memberCondition
    switch storage {
    case .foreignKey(_, let column, let order), .hiddenKey(_, let column, let order):
      let inOrder = order.map { ", t0.\($0), t0.Z_PK" } ?? ""
      return "SELECT \(columns), t0.\(column) FROM \(entity.table) t0 WHERE  t0.\(column) IN (\(list))  \(known)"
        + "ORDER BY t0.\(column)\(inOrder)"
    case .join(let side):
      let inOrder = side.order.map { ", t1.\($0), t1.\(side.member)" } ?? ""
      return "SELECT \(columns), t1.\(side.owner) FROM \(entity.table) t0 JOIN \(side.table.name) t1 "
        + "ON t0.Z_PK = t1.\(side.member) WHERE  t1.\(side.owner) IN (\(list))  \(known)ORDER BY t1.\(side.owner)\(inOrder)"
    case .none: throw Failure.entityOutsideStore(entity.layout.name)
    }
  }
}
