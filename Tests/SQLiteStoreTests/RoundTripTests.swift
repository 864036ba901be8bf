import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("What is written comes back")
struct RoundTripTests {
  private func everything() -> NSManagedObjectModel {
    let model = ModelBuilder()
    model.entity(
      "Thing",
      [
        attribute("i16", .integer16AttributeType), attribute("i64", .integer64AttributeType),
        attribute("flag", .booleanAttributeType), attribute("real", .doubleAttributeType),
        attribute("date", .dateAttributeType), attribute("text", .stringAttributeType),
        attribute("link", .URIAttributeType), attribute("id", .UUIDAttributeType),
        attribute("price", .decimalAttributeType), attribute("blob", .binaryDataAttributeType),
      ])
    model.entity("Special", [attribute("extra", .stringAttributeType)], parent: "Thing")
    model.relate(.one("Thing", "owner"), .many("Thing", "owned"))
    return model.make()
  }

  @Test("Every type of attribute, null and a foreign key")
  func types() throws {
    let folder = TemporaryFolder()
    let url = folder.file("All.sqlite")
    let model = everything()
    let id = UUID()
    let values: [String: Value] = [
      "i16": .int(-5), "i64": .int(.max), "flag": .int(1), "real": .double(1.5),
      "date": .date(Date(timeIntervalSinceReferenceDate: 700_000_000.25)), "text": .string("Größe 🎈"),
      "link": .url(URL(string: "https://example.com/a?b=c")!), "id": .uuid(id),
      "price": .decimal(NSDecimalNumber(string: "12.34")), "blob": .data(Data([0, 1, 2, 255])),
    ]
    do {
      let store = try openStore(model, at: url)
      let thing = try store.insert("Thing", [values, [:]])[0]
      try store.insert("Special", [["extra": .string("")]], to: ["owner": thing.reference])
      store.willRemove(from: nil)
    }
    let store = try openStore(model, at: url)
    let rows = try store.all("Thing")
    #expect(rows.map(\.key) == [1, 2, 3])
    let layout = store.layout("Thing")
    let first = rows[0]
    #expect(first.int(word: layout.property(named: "i16")!.word) == -5)
    #expect(first.int(word: layout.property(named: "i64")!.word) == .max)
    #expect(first.double(word: layout.property(named: "date")!.word) == 700_000_000.25)
    #expect(first.string(word: layout.property(named: "text")!.word) == "Größe 🎈")
    #expect(first.string(word: layout.property(named: "link")!.word) == "https://example.com/a?b=c")
    #expect(first.uuid(word: layout.property(named: "id")!.word) == id)
    #expect(first.decimal(word: layout.property(named: "price")!.word) == Decimal(string: "12.34"))
    #expect(Data(first.tail(word: layout.property(named: "blob")!.word)) == Data([0, 1, 2, 255]))
    #expect(layout.slots.allSatisfy { rows[1].isNull(slot: $0.slot) })
    let special = store.layout("Special")
    #expect(rows[2].entity == special.index)
    #expect(rows[2].string(word: special.property(named: "extra")!.word) == "")
    #expect(!rows[2].isNull(slot: special.property(named: "extra")!.slot))
    #expect(rows[2].destination(special.property(named: "owner")!) == first.reference)
    #expect(
      try store.members(of: layout.property(named: "owned")!, owner: first.reference) == [rows[2].reference])
    #expect(try store.rows(forKeys: [3, 99], in: layout).map(\.key) == [3])
    #expect(
      try query("SELECT ZDATE, typeof(ZPRICE), typeof(ZID), ZFLAG FROM ZTHING WHERE Z_PK = 1", at: url)
        == ["700000000.25|real|blob|1"])
    #expect(
      try query("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY", at: url) == ["1|Thing|0|3", "2|Special|1|0"])
  }

  @Test("A store in memory holds what it is given")
  func memory() throws {
    let store = try openStore(everything(), at: URL(fileURLWithPath: "/dev/null"))
    try store.insert("Thing", [["text": .string("a")], ["text": .string("b")]])
    #expect(try store.all("Thing").count == 2)
    #expect(try store.rows(forKeys: [2], in: store.layout("Thing")).count == 1)
  }

  @Test("A fetch uses Apple's words")
  func statements() throws {
    let folder = TemporaryFolder()
    let store = try openStore(everything(), at: folder.file("A.sqlite"))
    try store.insert("Thing", [["text": .string("a")]])
    #expect(
      store.trace!.takeRecorded() == [
        "BEGIN EXCLUSIVE", "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
        "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?", "COMMIT",
        "BEGIN EXCLUSIVE",
        "INSERT INTO ZTHING(Z_PK, Z_ENT, Z_OPT, ZBLOB, ZDATE, ZFLAG, ZI16, ZI64, ZID, ZLINK, ZPRICE, ZREAL, "
          + "ZTEXT, ZOWNER, Z1_OWNER) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "COMMIT",
      ])
  }
}
