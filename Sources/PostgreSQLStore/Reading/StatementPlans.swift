internal import CoreData
import Foundation

/// Makes and keeps the statements that depend only on the model or on the shape of a fetch. Safe on any thread.
final class StatementPlans: @unchecked Sendable {
  // `@unchecked Sendable`: the kept statements are only touched under `lock`.

  private let schema: StoreSchema
  private let url: URL
  private let lock = NSLock()
  /// The row plans, by twice the layout index, plus one with subentities.
  private var rowPlans: [Int: RowPlan] = [:]
  /// The texts of fetches, by shape.
  private var fetchTexts: [FetchShape: String] = [:]
  /// The other texts, by purpose.
  private var texts: [String: String] = [:]
  private static let shapeLimit = 512

  /// - Parameter url: the store's, without a password.
  init(_ schema: StoreSchema, url: URL) {
    self.schema = schema
    self.url = url
  }

  func rowPlan(_ layout: EntityLayout, includesSubentities: Bool = true) throws -> RowPlan {
    try lock.withLock {
      let number = layout.index * 2 + (includesSubentities ? 1 : 0)
      if let plan = rowPlans[number] { return plan }
      let plan = try RowPlan(schema, layout, includesSubentities: includesSubentities, url: url)
      rowPlans[number] = plan
      return plan
    }
  }

  func fetchText(_ shape: FetchShape, make: () throws -> SelectStatement) rethrows -> String {
    try lock.withLock {
      if let text = fetchTexts[shape] { return text }
      if fetchTexts.count >= StatementPlans.shapeLimit { fetchTexts = [:] }
      let text = try make().fragment(.postgreSQL).numberedText
      fetchTexts[shape] = text
      return text
    }
  }

  /// Returns the statement that selects rows by their keys. Parameter: an array of keys.
  func faultText(_ plan: RowPlan) -> String {
    lock.withLock {
      let place = "fault \(plan.query.entity.table)"
      if let text = texts[place] { return text }
      var select = SelectStatement(plan.query.columns, from: .named(plan.query.entity.table, as: "t0"))
      select.conditions = [.isAnyParameter(.column("t0", "Z_PK"))]
      let text = select.fragment(.postgreSQL).numberedText
      texts[place] = text
      return text
    }
  }

  /// Returns the statement that selects the members of a relationship, with the owner's key in the last column.
  /// Parameter: an array of owners' keys.
  func memberText(
    _ relationship: LayoutProperty, of layout: EntityLayout, _ plan: RowPlan, referencesOnly: Bool
  ) throws -> String {
    try lock.withLock {
      let place = "members \(layout.index) \(relationship.toManyIndex) \(referencesOnly)"
      if let text = texts[place] { return text }
      let storage = try schema.entity(layout).toMany[relationship.toManyIndex]
      let columns = referencesOnly ? Array(plan.query.columns.prefix(2)) : plan.query.columns
      var (select, owner) = try SelectStatement.members(columns, of: plan.query.entity, by: storage, schema: schema) {
        .isAnyParameter($0)
      }
      select.columns.append(owner)
      select.order.insert(SelectStatement.Order(value: owner), at: 0)
      let text = select.fragment(.postgreSQL).numberedText
      texts[place] = text
      return text
    }
  }
}

extension SQLExpression {
  /// `t0.Z_PK = ANY($1)`
  static func isAnyParameter(_ value: SQLExpression) -> SQLExpression {
    .infix(value, "=", .call("ANY", [.bound(.null)]))
  }
}

extension SQLFragment {
  /// The text with `$1`, `$2`, … instead of question marks. Question marks between quotes stay.
  var numberedText: String {
    guard sql.utf8.contains(UInt8(ascii: "?")) else { return sql }
    var text: [UInt8] = []
    text.reserveCapacity(sql.utf8.count + 32)
    var number = 0
    var quote: UInt8 = 0
    for byte in sql.utf8 {
      switch byte {
      case UInt8(ascii: "?") where quote == 0:
        number += 1
        text.append(contentsOf: "$\(number)".utf8)
        continue
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if quote == 0 { quote = byte } else if quote == byte { quote = 0 }
      default: break
      }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
