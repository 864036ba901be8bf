import CoreData
import Testing

/// Compounds that Foundation's own initializers make: they say FALSEPREDICATE of themselves, until a request has them.
@Suite("Compounds in requests")
struct RequestPredicateTests {
  private func compounds() -> [(NSPredicate, String)] {
    let (a, b) = (NSPredicate(format: "title == 'a'"), NSPredicate(format: "pages > 1"))
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [a, b])
    return [
      (NSCompoundPredicate(andPredicateWithSubpredicates: [a, b]), "title == \"a\" AND pages > 1"),
      (either, "title == \"a\" OR pages > 1"),
      (NSCompoundPredicate(notPredicateWithSubpredicate: either), "NOT (title == \"a\" OR pages > 1)"),
      (
        NSCompoundPredicate(type: .and, subpredicates: [either, NSCompoundPredicate(notPredicateWithSubpredicate: b)]),
        "(title == \"a\" OR pages > 1) AND (NOT pages > 1)"
      ),
    ]
  }

  @Test("A request's compound prints, compares, is copied and keeps its parts")
  func printed() throws {
    for (compound, format) in compounds() {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = compound
      let predicate = try #require(request.predicate as? NSCompoundPredicate)
      #expect(predicate.predicateFormat == format && "\(predicate)" == format)
      #expect(predicate == NSPredicate(format: format) && predicate.hash == NSPredicate(format: format).hash)
      #expect(predicate == compound)
      #expect(predicate.copy() as? NSPredicate == predicate)
      #expect(predicate.compoundPredicateType == (compound as! NSCompoundPredicate).compoundPredicateType)
      #expect(predicate.subpredicates.count == (compound as! NSCompoundPredicate).subpredicates.count)
      #expect(request.description.contains("predicate: (\(format))"))
      for row in [["title": "a", "pages": 1], ["title": "b", "pages": 2], ["title": "b", "pages": 0]] as [[String: Any]]
      {
        #expect(predicate.evaluate(with: row) == compound.evaluate(with: row))
      }
      let having = NSFetchRequest<NSDictionary>(entityName: "Book")
      having.havingPredicate = compound
      #expect(having.havingPredicate?.predicateFormat == format)
      let update = NSBatchUpdateRequest(entityName: "Book")
      update.predicate = compound
      #expect(update.predicate?.predicateFormat == format)
    }
  }

  @Test("So does one of predicates out of Swift's own")
  func macros() throws {
    final class Item: NSObject {
      let pages = 1
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    let swift = #Predicate<Item> { $0.pages > 1 }
    guard let converted = NSPredicate(swift) else { return }
    request.predicate = NSCompoundPredicate(notPredicateWithSubpredicate: converted)
    #expect(request.predicate?.predicateFormat == "NOT pages > 1")
  }

  @Test("A subclass of the program's stays what it is, and blocks stay blocks")
  func others() throws {
    final class Own: NSCompoundPredicate, @unchecked Sendable {}
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    let own = Own(andPredicateWithSubpredicates: [NSPredicate(value: true)])
    request.predicate = own
    #expect(request.predicate === own)
    request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [
      NSPredicate(format: "pages == 1"), NSPredicate { _, _ in true },
    ])
    #expect(request.predicate?.predicateFormat.hasPrefix("pages == 1 OR BLOCKPREDICATE") == true)
    #expect(request.predicate?.evaluate(with: ["pages": 2]) == true)
    request.predicate = NSPredicate(value: true)
    #expect(request.predicate?.evaluate(with: nil) == true)
    request.predicate = nil
    #expect(request.predicate == nil)
  }

  @Test("What such a request finds is what the compound says", arguments: StoreKind.allCases)
  func fetched(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for (title, pages) in [("a", 1), ("b", 2), ("b", 0)] { context.new("Book", ["title": title, "pages": pages]) }
      try context.save()
      let counts = try compounds().map { compound, _ in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = compound
        return try context.count(for: request)
      }
      #expect(counts == [0, 2, 1, 1])
    }
  }
}
