import CoreData
import Testing

/// What key-value coding takes that is of the right class, and no value of the attribute.
@Suite("Values that do not fit, by key-value coding")
struct KeyValueLimitTests {
  private static func numbers() -> NSManagedObjectModel {
    model([
      entity(
        "Thing",
        [
          attribute("small", .integer16AttributeType), attribute("middle", .integer32AttributeType),
          attribute("large", .integer64AttributeType), attribute("flag", .booleanAttributeType),
          attribute("real", .doubleAttributeType), attribute("short", .floatAttributeType),
          attribute("exact", .decimalAttributeType), attribute("name"), attribute("day", .dateAttributeType),
          attribute("data", .binaryDataAttributeType), attribute("id", .UUIDAttributeType),
          attribute("link", .URIAttributeType),
        ])
    ])
  }

  @Test(
    "An integer attribute keeps the low bits of a number that is too large, and no fraction",
    arguments: StoreKind.allCases)
  func integers(_ kind: StoreKind) throws {
    try withStack(kind, KeyValueLimitTests.numbers()) { stack, context in
      let object = context.new("Thing")
      func expect(_ key: String, _ value: Any, _ expected: Int) {
        object.setValue(value, forKey: key)
        #expect(object.int(key) == expected, "\(key) = \(value)")
        object.setValue(nil, forKey: key)
        object.setPrimitiveValue(value, forKey: key)
        #expect(object.primitiveValue(forKey: key) as? Int == expected, "\(key) = \(value)")
      }
      expect("small", 70000, 4464)
      expect("small", -32769, 32767)
      expect("small", NSNumber(value: 70000), 4464)
      expect("small", 70000.9, 4464)
      expect("small", UInt64.max, -1)
      expect("middle", 5_000_000_000, 705_032_704)
      expect("middle", UInt32.max, -1)
      expect("large", UInt64.max, -1)
      expect("large", 1e300, .max)
      expect("large", -Double.infinity, .min)
      expect("large", Double.nan, 0)
      expect("large", Decimal(string: "12.5")!, 12)
      object.setValue(70000, forKey: "small")
      try context.save()
      #expect(try stack.elsewhere { try $0.only("Thing").int("small") } == 4464)
      #expect(failure { try object.setValue(70001, checkedForKey: "small") } != nil)
      #expect(object.int("small") == 4464)
    }
  }

  @Test("Other numbers keep what they can")
  func otherNumbers() throws {
    try withStack(.inMemory, KeyValueLimitTests.numbers()) { _, context in
      let object = context.new("Thing")
      object["flag"] = 2
      object["short"] = 1e300
      object["real"] = Double.nan
      object["exact"] = Double.infinity
      #expect(object["flag"] as? Bool == true && object["short"] as? Double == .infinity)
      #expect((object["real"] as? Double)?.isNaN == true && object["exact"] as? NSDecimalNumber == .notANumber)
    }
  }

  @Test("NSNull is no value: the checked spelling throws, and what was there stays")
  func nullChecked() throws {
    try withStack(.inMemory, KeyValueLimitTests.numbers()) { _, context in
      let object = context.new("Thing", ["name": "x", "small": 5])
      for key in object.entity.attributesByName.keys.sorted() {
        let error = failure { try object.setValue(NSNull(), checkedForKey: key) }
        #expect(error?.localizedDescription.contains("\(key) of Thing takes a") == true)
        let wrapped = failure { try object.setValue(Optional(NSNull()) as Any, checkedForKey: key) }
        #expect(wrapped != nil)
      }
      #expect(object.string("name") == "x" && object.int("small") == 5)
      try object.setValue(nil, checkedForKey: "name")
      #expect(object["name"] == nil)
      // From a dictionary it stands for nil, as dictionaries can't have nil.
      object.setValuesForKeys(["small": NSNull()])
      #expect(object["small"] == nil)
    }
    try withStack(.inMemory) { _, context in
      let book = context.new("Book", ["author": context.new("Author")])
      #expect(failure { try book.setValue(NSNull(), checkedForKey: "author") } != nil)
      #expect(failure { try book.setValue(NSNull(), checkedForKey: "tags") } != nil)
      #expect(book.object("author") != nil)
    }
  }

  @Test("NSNull by the plain spelling is a misuse, in Apple's words")
  func nullTrap() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      stack.context.performAndWait { stack.context.new("Author").setValue(NSNull(), forKey: "name") }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      words.contains(
        "Unacceptable type of value for attribute: property = \"name\"; entity = Author; desired type = NSString; "
          + "given type = NSNull; value = <null>."))
    await #expect(processExitsWith: .failure) {
      let stack = try Stack(.inMemory)
      stack.context.performAndWait { stack.context.new("Book").setValue(NSNull(), forKey: "author") }
    }
  }
}
