import CoreData
import Foundation
import Testing

@Suite("C arguments for formats")
struct ArgumentListTests {
  private func format(_ format: String, _ arguments: CVarArg...) -> String {
    NSPredicate(format: format, arguments: getVaList(arguments)).predicateFormat
  }

  @Test("getVaList hands every kind of argument to a predicate, in order")
  func kinds() {
    #expect(
      format("%K == %@ AND year > %d", "author.name", "Ada", 1990) == "author.name == \"Ada\" AND year > 1990"
    )
    #expect(
      format("a == %d AND b == %ld AND c == %lld AND d == %f", Int32(-3), -4, Int64.max, 2.5)
        == "a == -3 AND b == -4 AND c == 9223372036854775807 AND d == 2.5")
    #expect(
      format("a == %u AND b == %lu AND c == %x AND d == %hd AND e == %hhu", 5, 6, 255, Int16(-7), UInt8(200))
        == "a == 5 AND b == 6 AND c == 255 AND d == -7 AND e == 200")
    #expect(format("a == %@", NSNumber(value: 5)) == "a == 5")
    #expect(format("a == %lud AND b == %ud AND c == %@", 5, 6, "x") == "a == 5 AND b == 6 AND c == \"x\"")
    // More than fits into the registers of a call.
    let many = (1...20).map { "a == %ld AND b == %f AND c == \($0)" }.joined(separator: " OR ")
    let values = (1...20).flatMap { [$0, Double($0) + 0.5] as [CVarArg] }
    let expected = (1...20).map { "(a == \($0) AND b == \($0).5 AND c == \($0))" }.joined(separator: " OR ")
    #expect(NSPredicate(format: many, arguments: getVaList(values)).predicateFormat == expected)
  }

  @Test("Values that are no C arguments arrive as what they are, not as their descriptions")
  func values() {
    let date = Date(timeIntervalSinceReferenceDate: 12.5)
    let uuid = UUID()
    let predicate = NSPredicate(
      format: "date == %@ AND id == %@ AND n IN %@ AND amount == %@ AND data == %@",
      arguments: getVaList([
        date as CVarArg, uuid as CVarArg, [1, 2, 3] as CVarArg, Decimal(7) as CVarArg, Data([1]) as CVarArg,
      ]))
    let object: [String: Any] = ["date": date, "id": uuid, "n": 3, "amount": Decimal(7), "data": Data([1])]
    #expect(predicate.evaluate(with: object))
    #expect(predicate.predicateFormat.hasPrefix("date == CAST(12.500000, \"NSDate\")"))
    #expect(format("n IN %@", Set([4]) as CVarArg) == "n IN {4}")
    #expect(format("n IN %@", ["a": 4] as CVarArg) == "n IN {4}")
  }

  @Test("Foundation's objects and entities are arguments of a program's own functions, too")
  func objects() {
    let (text, entity) = ("E621E1F8-C36C-495A-93FC-0C247A3E6E5F", NSEntityDescription())
    entity.name = "Book"
    #expect(format("id == %@", NSUUID(uuidString: text)!) == "id == \(text)")
    #expect(format("page == %@", NSURL(string: "a:b")!) == "page == a:b")
    #expect(
      format("n IN %@ OR n IN %@", NSOrderedSet(array: [2, 1]), NSDictionary(dictionary: ["a": 3]))
        == "n IN {2, 1} OR n IN {3}")
    let predicate = NSPredicate(
      format: "data == %@ AND entity == %@", arguments: getVaList([NSData(data: Data([1])), entity]))
    #expect(predicate.evaluate(with: ["data": Data([1]), "entity": entity] as [String: Any]))
  }

  @Test("withVaList does as well, and for expressions")
  func scoped() {
    let predicate = withVaList(["name", "x", 3 as Int32]) {
      NSPredicate(format: "%K == %@ AND n < %d", arguments: $0)
    }
    #expect(predicate.predicateFormat == "name == \"x\" AND n < 3")
    #expect(
      withVaList([2, 0.5]) { NSExpression(format: "pages * %ld + %f", arguments: $0) }.description
        == "pages * 2 + 0.5")
  }

  @Test("What a C format was given is let go when the call is over, and a predicate has found it until then")
  func released() {
    final class Page {}
    func isReleased() -> () -> Bool {
      let page = Page()
      for _ in 0..<5000 where !String(format: "%@", [page] as CVarArg).hasPrefix("[") { Issue.record("no array") }
      return { [weak page] in page == nil }
    }
    #expect(isReleased()())
    let date = Date(timeIntervalSinceReferenceDate: 12.5)
    let predicate = withVaList([date as CVarArg, [1, 2] as CVarArg]) {
      NSPredicate(format: "date == %@ AND n IN %@", arguments: $0)
    }
    #expect(predicate.evaluate(with: ["date": date, "n": 2] as [String: Any]))
    #expect(String(format: "%@ and %@", Decimal(7) as CVarArg, "x") == "7 and x")
  }

  @Test("C strings")
  func strings() {
    "Adagio".withCString { text in
      #expect(format("name == %s", Int(bitPattern: text)) == "name == \"Adagio\"")
    }
  }

  @Test("A list outlives others that are made after it")
  func lifetime() {
    let first = getVaList(["first", 1])
    for number in 0..<40 { _ = getVaList(["other", number]) }
    #expect(NSPredicate(format: "%K == %ld", arguments: first).predicateFormat == "#first == 1")
  }

  @Test("A malformed format ends the program before an argument is read")
  func malformed() async {
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "a == %@ AND “", arguments: getVaList([]))
    }
  }
}
