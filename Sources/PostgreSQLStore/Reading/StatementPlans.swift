internal import CoreData
import Foundation

/// The statements of a store that its model or the shape of a fetch settles, made when first needed and kept. Any
/// thread.
final class StatementPlans: @unchecked Sendable {
  // `@unchecked Sendable`: what is kept is only touched under `lock`.

  private let schema: StoreSchema
  private let url: URL
  private let lock = NSLock()
  /// By layout index times two, plus one with subentities.
  private var rowPlans: [Int: RowPlan] = [:]
  /// By shape of the fetch.
  private var fetchTexts: [FetchShape: String] = [:]
  /// Other texts, by what they are for.
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

  /// Selects the rows of an array of keys of a hierarchy.
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

  /// Selects the members of a relationship of an array of owners, and the owners' keys behind the columns.
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
  /// The text with `$1`, `$2`, … in the place of its question marks. In quoted names there may be such too.
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
