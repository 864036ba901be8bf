import Foundation
import Testing

@testable import CoreData

@Suite("The SQL of batch requests")
struct BatchTextTests {
  private let model = libraryModel()
  private let schema: StoreSchema

  init() throws {
    schema = try SchemaPlanner.plan(ModelLayouts.of(model), configuration: nil, existing: nil).schema
  }

  private func layout(_ name: String) -> EntityLayout { schema.layouts.layout(named: name)! }

  @Test("The chosen rows are noted by the select of a fetch, with limit and order")
  func chosen() throws {
    var fetch = FetchDescription(layout: layout("Author"))
    fetch.predicate = try node("name == %@", "Kafka")
    fetch.sort = [try SortKey(NSSortDescriptor(key: "name", ascending: true))]
    fetch.limit = 5
    let query = try RowQuery(schema, fetch.layout, includesSubentities: true)
    let planner = FetchPlanner(schema: schema, translator: PredicateTranslator(store: nil))
    let text = try BatchRows(schema).add(fetch, query, by: planner)
    #expect(
      text.sql == "INSERT OR IGNORE INTO temp._Z_BATCH(Z_ROOT, Z_PK, Z_ENT, Z_STEP) "
        + "SELECT 1, t0.Z_PK, 1, 0 FROM ZAUTHOR t0 WHERE  t0.ZNAME = ? ORDER BY t0.ZNAME LIMIT 5")
    #expect(text.bindings == [.text("Kafka")])
  }

  @Test("A delete clears to-one keys and join rows, and follows cascades by the step")
  func delete() throws {
    let books = try BatchDeletePlan(schema, layout: layout("Novel"))
    #expect(books.cascades == [])
    #expect(books.deletes == ["DELETE FROM ZBOOK WHERE Z_PK IN (SELECT Z_PK FROM temp._Z_BATCH WHERE Z_ROOT = 2)"])
    #expect(books.unlinks.count == 1)
    #expect(books.detachments.isEmpty)

    let authors = try BatchDeletePlan(schema, layout: layout("Author"))
    let keys = "(SELECT Z_PK FROM temp._Z_BATCH WHERE Z_ROOT = 1)"
    #expect(
      authors.detachments.map(\.update) == [
        "UPDATE ZBOOK SET ZAUTHOR = NULL, Z_OPT = (Z_OPT + 1) WHERE ZAUTHOR IN \(keys)",
        "UPDATE ZAUTHOR SET ZMENTOR = NULL, Z_OPT = (Z_OPT + 1) WHERE ZMENTOR IN \(keys)",
      ])

    let cascading = libraryModel()
    for entity in cascading.entities where entity.name == "Author" {
      entity.relationshipsByName["books"]?.deleteRule = .cascadeDeleteRule
    }
    let other = try SchemaPlanner.plan(ModelLayouts.of(cascading), configuration: nil, existing: nil).schema
    let plan = try BatchDeletePlan(other, layout: other.layouts.layout(named: "Author")!)
    #expect(
      plan.cascades == [
        "INSERT OR IGNORE INTO temp._Z_BATCH(Z_ROOT, Z_PK, Z_ENT, Z_STEP) "
          + "SELECT 2, t0.Z_PK, t0.Z_ENT, ?1 + 1 FROM ZBOOK t0 WHERE t0.ZAUTHOR IN "
          + "(SELECT Z_PK FROM temp._Z_BATCH WHERE Z_ROOT = 1 AND Z_STEP = ?1)"
      ])
    #expect(plan.deletes.count == 2)
  }

  @Test("An insert is one statement for all rows; one that gives way to a constraint is found by it and overwritten")
  func insert() throws {
    let model = libraryModel()
    model.entitiesByName["Book"]?.uniquenessConstraints = [["title"], ["title", "pages"]]
    let schema = try SchemaPlanner.plan(ModelLayouts.of(model), configuration: nil, existing: nil).schema
    let novel = try schema.entity(try #require(schema.layouts.layout(named: "Novel")))
    var plan = BatchInsertPlan(schema, novel)
    let saved = RowWritePlan.insert(novel).text.sql
    #expect(plan.insert.text.sql == saved && saved.hasPrefix("INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, "))
    #expect(
      plan.constraints.map(\.holder.sql) == [
        "SELECT Z_ENT, Z_PK FROM ZBOOK WHERE ZTITLE = ? AND Z_ENT IN (2,3)",
        "SELECT Z_ENT, Z_PK FROM ZBOOK WHERE ZTITLE = ? AND ZPAGES = ? AND Z_ENT IN (2,3)",
      ])
    var given = SlotMask()
    for name in ["title", "pages"] { given.insert(novel.layout.property(named: name)!.slot) }
    #expect(
      plan.overwrite(given, in: novel.layout).text.sql
        == "UPDATE OR FAIL ZBOOK SET ZPAGES = ?, ZTITLE = ?, Z_OPT = (Z_OPT + 1)  WHERE Z_PK = ?")
    #expect(plan.overwrite(given, in: novel.layout) === plan.overwrite(given, in: novel.layout))
    func broken(_ columns: String) -> [String]? {
      let error = SQLiteError(extendedCode: 2067, message: "UNIQUE constraint failed: \(columns)")
      return BatchConstraint.broken(by: error, plan.constraints)?.names
    }
    #expect(broken("ZBOOK.ZTITLE") == ["title"])
    #expect(broken("ZBOOK.ZTITLE, ZBOOK.ZPAGES") == ["title", "pages"])
    #expect(broken("ZBOOK.ZOTHER") == nil)
  }

  @Test("An update binds every value and adds one to the version")
  func update() throws {
    func text(_ properties: [AnyHashable: Any]) throws -> SQLFragment {
      let request = NSBatchUpdateRequest(entityName: "Book")
      request.propertiesToUpdate = properties
      let batch = try BatchUpdate(request, schema.layouts)
      return try BatchUpdatePlan(schema, update: batch, translator: PredicateTranslator(store: nil)).update
    }
    let rows = "WHERE Z_PK IN (SELECT Z_PK FROM temp._Z_BATCH WHERE Z_ROOT = 2)"
    let constants = try text(["title": "'; --", "pages": 3, "weight": NSNull()])
    #expect(
      constants.sql == "UPDATE OR FAIL ZBOOK SET ZPAGES = ?, ZTITLE = ?, ZWEIGHT = ?, Z_OPT = (Z_OPT + 1)  \(rows)")
    #expect(constants.bindings == [.int(3), .text("'; --"), .null])
    let computed = try text(["weight": FoundationExpression(format: "pages + weight")])
    #expect(
      computed.sql == "UPDATE OR FAIL ZBOOK AS t0 SET ZWEIGHT = ( t0.ZPAGES + t0.ZWEIGHT), "
        + "Z_OPT = (Z_OPT + 1)  \(rows)")
  }

  @Test("A choice between constants has their type, and one between nil and something else that thing's")
  func choices() throws {
    func update(_ key: String, _ format: String) throws -> SQLFragment {
      let request = NSBatchUpdateRequest(entityName: "Book")
      request.propertiesToUpdate = [key: FoundationExpression(format: format)]
      let batch = try BatchUpdate(request, schema.layouts)
      return try BatchUpdatePlan(schema, update: batch, translator: PredicateTranslator(store: nil)).update
    }
    let length = try update("title", "TERNARY(pages > 100, 'long', 'short')")
    #expect(length.bindings == [.int(100), .text("long"), .text("short")])
    _ = try update("title", "TERNARY(pages > 100, title, 'short')")
    _ = try update("title", "TERNARY(pages > 100, nil, title)")
    _ = try update("pages", "TERNARY(pages > 100, 100, pages)")
    #expect(throws: (any Error).self) { try update("title", "TERNARY(pages > 100, 1, 'short')") }
    #expect(throws: (any Error).self) { try update("pages", "TERNARY(pages > 100, 'long', 'short')") }
  }
}
