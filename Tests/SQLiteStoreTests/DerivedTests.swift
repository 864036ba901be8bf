import Foundation
import Testing

@testable import CoreData

@Suite("Derived attributes")
struct DerivedTests {
  private func derived(_ name: String, _ type: NSAttributeType, _ format: String) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.storedDerivationFormat = format
    return attribute
  }

  @Test("Counts, sums, copies and texts follow every save")
  func follow() throws {
    let folder = TemporaryFolder()
    let builder = ModelBuilder()
    builder.entity(
      "Shelf",
      [
        attribute("name", .stringAttributeType), derived("count", .integer64AttributeType, "books.@count"),
        derived("pages", .integer64AttributeType, "books.@sum.pages"),
        derived("plain", .stringAttributeType, "canonical:(name)"), derived("changed", .dateAttributeType, "now()"),
      ])
    builder.entity(
      "Book", [attribute("pages", .integer32AttributeType), derived("shelfName", .stringAttributeType, "shelf.name")])
    builder.relate(.many("Shelf", "books"), .one("Book", "shelf"))
    let model = builder.make()
    let url = folder.file("D.sqlite")
    let store = try openStore(model, at: url)
    let shelf = try store.insert("Shelf", [["name": .string("Ängste")]])[0]
    let books = try store.insert("Book", [["pages": .int(10)], ["pages": .int(5)]], to: ["shelf": shelf.reference])
    func values() throws -> [String] {
      try query("SELECT ZCOUNT, ZPAGES, ZPLAIN, ZCHANGED > 0 FROM ZSHELF", at: url)
    }
    #expect(try values() == ["2|15|angste|1"])
    #expect(try query("SELECT DISTINCT ZSHELFNAME FROM ZBOOK", at: url) == ["Ängste"])
    var changes = ChangeSet()
    changes.deleted = [books[0]]
    guard case .saved(let rewritten) = try store.commit(changes) else { throw TestFailure("conflict") }
    #expect(try values() == ["1|5|angste|1"])
    #expect(rewritten.map(\.reference) == [shelf.reference])
    let layout = store.layout("Shelf")
    #expect(rewritten.first?.int(word: layout.property(named: "count")!.word) == 1)
    changes = ChangeSet()
    var changed = SlotMask()
    changed.insert(layout.property(named: "name")!.slot)
    changes.updated = [
      RowUpdate(row: row(layout, key: 1, version: 2, ["name": .string("B")]), base: rewritten[0], changed: changed)
    ]
    guard case .saved = try store.commit(changes) else { throw TestFailure("conflict") }
    #expect(try query("SELECT ZSHELFNAME FROM ZBOOK", at: url) == ["B"])
    #expect(try values() == ["1|5|b|1"])
  }
}
