import CoreData
import Foundation
import PostgreSQLStore
import PostgreSQLTestServer
import Testing

@Suite("Numbers that a PostgreSQL server computes and has no room for", hasServer)
struct LargeNumberTests {
  private func filled() throws -> Shelf {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      for sold in [Int64.max, 4, 1] { shelf.context.new("Book", ["title": "b\(sold % 10)", "sold": sold]) }
      try shelf.context.save()
    }
    return shelf
  }

  private func dictionary(_ shelf: Shelf, _ format: String, _ type: NSAttributeType? = nil) throws -> NSNumber? {
    let column = NSExpressionDescription()
    column.name = "value"
    column.expression = NSExpression(format: format)
    if let type { column.expressionResultType = type }
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [column]
    return try shelf.context.performAndWait { try shelf.context.fetch(request).first?["value"] as? NSNumber }
  }

  @Test("The sum of integers is a floating number where it has more than 64 bits, as in memory")
  func sum() throws {
    let shelf = try filled()
    #expect(try dictionary(shelf, "sum:(sold)") == NSNumber(value: 0x1p63))
    #expect(try dictionary(shelf, "sum:(sold)", .integer64AttributeType) == NSNumber(value: 0x1p63))
    #expect(try dictionary(shelf, "max:(sold)", .integer64AttributeType) == NSNumber(value: Int64.max))
  }

  @Test("A fetch whose integers overflow is refused with its entity and its condition, and goes on with floating ones")
  func arithmetic() throws {
    let shelf = try filled()
    try shelf.context.performAndWait {
      let error = #expect(throws: NSError.self) { _ = try shelf.context.all("Book", "sold * sold > 10") }
      let text = error?.localizedDescription ?? ""
      #expect(text.contains("Book") && text.contains("sold * sold") && text.contains("1.0"), "\(text)")
      let found = try shelf.context.all("Book", "1.0 * sold * sold > 10", sort: "sold")
      #expect(found.map { $0.value(forKey: "sold") as? Int } == [4, .max])
    }
    let column = #expect(throws: NSError.self) { _ = try dictionary(shelf, "sold + 1") }
    #expect(column?.localizedDescription.contains("sold + 1") == true, "\(column as Any)")
  }

  @Test("A batch update whose integers overflow changes nothing, and says which attribute would")
  func batchUpdate() throws {
    let shelf = try filled()
    try shelf.context.performAndWait {
      let request = NSBatchUpdateRequest(entityName: "Book")
      request.propertiesToUpdate = ["sold": NSExpression(format: "sold + 1")]
      let error = #expect(throws: NSError.self) { try shelf.context.execute(request) }
      let text = error?.localizedDescription ?? ""
      #expect(text.contains("Book") && text.contains("sold = sold + 1"), "\(text)")
      shelf.context.reset()
      let found = try shelf.context.all("Book", sort: "sold").map { $0.value(forKey: "sold") as? Int }
      #expect(found == [1, 4, .max])
    }
  }
}
