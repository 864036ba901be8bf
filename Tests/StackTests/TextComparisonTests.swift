import CoreData
import Testing

/// Predicates that compare what is no text with a text.
@Suite("Comparisons with a text")
struct TextComparisonTests {
  private static func timer() -> NSManagedObjectModel {
    model([
      entity(
        "Timer",
        [
          attribute("name"), attribute("minutes", .integer32AttributeType), attribute("done", .booleanAttributeType),
          attribute("id", .UUIDAttributeType), attribute("start", .dateAttributeType),
        ])
    ])
  }

  private static func count(_ format: String, _ argument: Any, _ context: NSManagedObjectContext) throws -> Int {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Timer")
    request.predicate = NSPredicate(format: format, argument)
    return try context.fetch(request).count
  }

  @Test("A text that is a number equals the number; one that is none equals no number", arguments: StoreKind.allCases)
  func numbers(_ kind: StoreKind) throws {
    try withStack(kind, TextComparisonTests.timer()) { _, context in
      context.new("Timer", ["name": "42", "minutes": 42, "done": true])
      try context.save()
      if kind.isOnServer {
        for text in ["42", "forty-two"] {
          let refusal = failure { _ = try TextComparisonTests.count("minutes == %@", text, context) }
          #expect(refusal?.localizedDescription.contains("values of one type") == true)
        }
        return
      }
      #expect(try TextComparisonTests.count("minutes == %@", "42", context) == 1)
      #expect(try TextComparisonTests.count("minutes == %@", "42.0", context) == 1)
      #expect(try TextComparisonTests.count("minutes == %@", "forty-two", context) == 0)
      #expect(try TextComparisonTests.count("minutes != %@", "forty-two", context) == 1)
      #expect(try TextComparisonTests.count("done == %@", "YES", context) == 0)
      #expect(try TextComparisonTests.count("name == %@", 42, context) == 1)
    }
  }

  @Test("A fetch that finds nothing for this reason says so, once for each comparison", arguments: [true, false])
  func warning(_ isStored: Bool) async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [isStored] in
      try withStack(isStored ? .sqlite : .inMemory, TextComparisonTests.timer()) { _, context in
        context.new("Timer", ["name": "a", "minutes": 42])
        try context.save()
        for _ in 0..<3 { _ = try TextComparisonTests.count("minutes == %@", "soon", context) }
        _ = try TextComparisonTests.count("name == 'a' AND %@ == done", "YES", context)
        _ = try TextComparisonTests.count("id == %@", "7D444840-9DC0-11D1-B245-5FFDCE74FAD2", context)
        _ = try TextComparisonTests.count("start IN %@", ["today"], context)
        // These find what they should, or nothing for a reason of their own.
        _ = try TextComparisonTests.count("minutes == %@", "41", context)
        _ = try TextComparisonTests.count("name == %@", "b", context)
        _ = try TextComparisonTests.count("minutes == 42 OR minutes == %@", "later", context)
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = words.split(separator: "\n").filter { $0.hasPrefix("A fetch compares") }
    #expect(
      lines == [
        "A fetch compares Timer.minutes, which is an integer, with the text \"soon\": no value equals it.",
        "A fetch compares Timer.done, which is a truth value, with the text \"YES\": no value equals it.",
        "A fetch compares Timer.id, which is a UUID, with the text \"7D444840-9DC0-11D1-B245-5FFDCE74FAD2\": no value "
          + "equals it.",
        "A fetch compares Timer.start, which is a date, with the text \"today\": no value equals it.",
      ], "\(words)")
    #expect(words.contains("minutes == \"soon\"") && words.contains("Pass the value itself for"))
  }
}
