import CoreData
import Foundation
import TestFiles
import Testing

/// The same objects in a SQLite store and in one that evaluates in memory.
final class TwoStores {
  let folder = TemporaryFolder()
  let contexts: [NSManagedObjectContext]
  private(set) var objects: [[String: NSManagedObject]] = []

  static let day = Date(timeIntervalSinceReferenceDate: 86400.25)
  static let id = UUID(uuidString: "7D444840-9DC0-11D1-B245-5FFDCE74FAD2")!

  /// Authors: Ann, bob whose mentor is Ann, Émile whose mentor is bob, and one without a name. Ann wrote A1 and A2,
  /// bob wrote b1, a novel; X has no author.
  init() throws {
    let model = TwoStores.model()
    let folder = folder
    contexts = try ComparedStores.types.map { type in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: folder.place("Shelf \(type).sqlite", ofType: type), options: nil)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      return context
    }
    for context in contexts { try context.performAndWait { try fill(context) } }
  }

  private static func model() -> NSManagedObjectModel {
    let model = ModelBuilder()
    model.entity(
      "Author", [attribute("key", .stringAttributeType), attribute("name", .stringAttributeType)])
    model.entity(
      "Book",
      [
        attribute("key", .stringAttributeType), attribute("title", .stringAttributeType),
        attribute("pages", .integer32AttributeType), attribute("price", .decimalAttributeType),
        attribute("weight", .doubleAttributeType), attribute("isRead", .booleanAttributeType),
        attribute("id", .UUIDAttributeType), attribute("added", .dateAttributeType),
        attribute("link", .URIAttributeType), attribute("cover", .binaryDataAttributeType),
      ])
    model.entity("Novel", [attribute("genre", .stringAttributeType)], parent: "Book")
    model.entity("Tag", [attribute("key", .stringAttributeType)])
    model.relate(.one("Book", "author"), .many("Author", "books"))
    model.relate(.many("Book", "tags"), .many("Tag", "books"))
    model.relate(.one("Author", "mentor"), .many("Author", "pupils"))
    return model.make()
  }

  private func fill(_ context: NSManagedObjectContext) throws {
    var made: [String: NSManagedObject] = [:]
    func new(_ entity: String, _ key: String, _ values: [String: Any]) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      object.setValue(key, forKey: "key")
      object.setValuesForKeys(values)
      made[key] = object
      return object
    }
    let ann = new("Author", "ann", ["name": "Ann"])
    let bob = new("Author", "bob", ["name": "bob", "mentor": ann])
    _ = new("Author", "emile", ["name": "Émile", "mentor": bob])
    _ = new("Author", "none", [:])
    let (red, blue) = (new("Tag", "red", [:]), new("Tag", "blue", [:]))
    _ = new(
      "Book", "A1",
      [
        "title": "Straße", "pages": 100, "price": NSDecimalNumber(string: "12.5"), "weight": 0.1, "isRead": true,
        "id": TwoStores.id, "added": TwoStores.day, "link": URL(string: "https://a.example/1")!,
        "cover": Data([1, 2, 3]), "author": ann, "tags": NSSet(array: [red, blue]),
      ])
    _ = new(
      "Book", "A2",
      [
        "title": "STRASSE", "pages": 7, "price": NSDecimalNumber(string: "4"), "isRead": false, "author": ann,
        "tags": NSSet(array: [blue]),
      ])
    _ = new("Novel", "b1", ["title": "bob", "pages": -7, "weight": 2.5, "genre": "crime", "author": bob])
    _ = new("Book", "X", [:])
    try context.save()
    objects.append(made)
  }

  /// The keys of what a request finds, as each store says. `$name` among the arguments stands for an object.
  func keys(
    _ entity: String, _ format: String, _ arguments: [Any] = [], sort: [NSSortDescriptor] = []
  ) throws -> [[String]] {
    try zip(contexts, objects).map { context, objects in
      try context.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        func value(_ argument: Any) -> Any {
          if let name = argument as? String, name.hasPrefix("$") { return objects[String(name.dropFirst())]! }
          if let names = argument as? [String] { return names.map { value($0) } }
          return argument
        }
        request.predicate = NSPredicate(format: format, argumentArray: arguments.map(value))
        request.sortDescriptors = sort
        let found = try context.fetch(request).map { $0.value(forKey: "key") as? String ?? "?" }
        return sort.isEmpty ? found.sorted() : found
      }
    }
  }
}

@Suite("Fetches mean the same in SQL and in memory")
struct FetchAgreementTests {
  struct Case: CustomTestStringConvertible, @unchecked Sendable {
    // `@unchecked Sendable`: the arguments are constants.
    let entity: String
    let format: String
    let arguments: [Any]
    let expected: [String]

    init(_ entity: String, _ format: String, _ arguments: [Any] = [], _ expected: String) {
      (self.entity, self.format, self.arguments) = (entity, format, arguments)
      self.expected = expected.split(separator: " ").map(String.init)
    }

    var testDescription: String { format }
  }

  static let values: [Case] = [
    .init("Book", "price == 12.5", "A1"), .init("Book", "price == %@", [NSDecimalNumber(string: "4")], "A2"),
    .init("Book", "price > 4", "A1"), .init("Book", "weight == 0.1", "A1"),
    .init("Book", "isRead == YES", "A1"),
    .init("Book", "isRead == NO", "A2"), .init("Book", "isRead != YES", "A2 X b1"),
    .init("Book", "NOT isRead == YES", "A2 X b1"),
    .init("Book", "id == %@", [TwoStores.id], "A1"), .init("Book", "id != %@", [TwoStores.id], "A2 X b1"),
    .init("Book", "id IN %@", [[TwoStores.id, UUID()]], "A1"),
    .init("Book", "added == %@", [TwoStores.day], "A1"),
    .init("Book", "added <= %@", [TwoStores.day], "A1"), .init("Book", "added < now()", "A1"),
    .init("Book", "added == CAST(86400.25, 'NSDate')", "A1"),
    .init("Book", "link == %@", [URL(string: "https://a.example/1")!], "A1"),
    .init("Book", "link CONTAINS 'example'", "A1"), .init("Book", "cover == %@", [Data([1, 2, 3])], "A1"),
    .init("Book", "cover == %@", [Data([1, 2])], ""), .init("Book", "cover != %@", [Data([1])], "A1 A2 X b1"),
    .init("Book", "pages BETWEEN {-7, 7}", "A2 b1"), .init("Book", "NOT pages BETWEEN {-7, 7}", "A1 X"),
    .init("Book", "pages IN {7, 100, 5}", "A1 A2"), .init("Book", "NOT pages IN {7, 100}", "X b1"),
    .init(
      "Book", "pages IN {7, nil}",
      "A2"), .init("Book", "pages == nil", "X"), .init("Book", "pages != nil", "A1 A2 b1"),
    .init("Book", "pages < nil", ""), .init("Book", "title IN 'a bob b'", "b1"),
  ]

  static let texts: [Case] = [
    .init("Book", "title ==[c] 'strasse'", "A1 A2"), .init("Book", "title IN[c] {'strasse', 'x'}", "A1 A2"),
    .init(
      "Book", "NOT title IN[c] {'strasse'}",
      "X b1"), .init("Author", "name BEGINSWITH[cd] 'emi'", "emile"),
    .init(
      "Author", "name IN[cd] {'EMILE', 'ANN'}",
      "ann emile"), .init("Author", "name LIKE[cd] '?MILE'", "emile"),
    .init("Author", "name MATCHES '.*n'", "ann"), .init("Author", "name >[c] 'ann'", "bob emile"),
    .init("Author", "name CONTAINS[n] 'ob'", "bob"), .init("Author", "name ENDSWITH[c] 'N'", "ann"),
    .init("Author", "name BEGINSWITH ''", ""), .init("Author", "name CONTAINS ''", ""),
    .init("Author", "name ENDSWITH[cd] ''", ""), .init("Author", "name BEGINSWITH[c] ''", ""),
    .init("Author", "'' IN name", ""), .init("Author", "NOT name BEGINSWITH ''", "ann bob emile none"),
    .init("Author", "NOT name CONTAINS ''", "ann bob emile none"), .init("Author", "ANY books.title BEGINSWITH ''", ""),
    .init("Author", "SUBQUERY(books, $b, $b.title CONTAINS '').@count == 0", "ann bob emile none"),
    .init("Author", "name LIKE ''", ""), .init("Author", "name LIKE '*'", "ann bob emile"),
    .init("Author", "name < 'a'", "ann"),
    .init("Author", "uppercase:(name) == 'ÉMILE'", "emile"),
    .init("Author", "lowercase(name) == 'ann'", "ann"),
    .init("Author", "length:(name) == 5", "emile"), .init("Author", "canonical:(name) == 'emile'", "emile"),
    .init("Author", "name == key", "bob"), .init("Author", "name ==[c] key", "ann bob"),
    .init("Author", "name BEGINSWITH key", "bob"), .init("Author", "key == lowercase:(name)", "ann bob"),
  ]

  static let computed: [Case] = [
    .init("Book", "pages + 1 == 8", "A2"), .init("Book", "pages - 1 == 6", "A2"),
    .init("Book", "pages * 2 == 14", "A2"),
    .init("Book", "pages / 2 == 3", "A2"), .init("Book", "pages / 2 == -3", "b1"),
    .init("Book", "pages / 2.0 == 3.5", "A2"),
    .init("Book", "pages / 0 == nil", "A1 A2 X b1"), .init("Book", "modulus:by:(pages, 4) == -3", "b1"),
    .init("Book", "modulus:by:(pages, 0) == nil", "A1 A2 X b1"), .init("Book", "price / 8 == 0.5", "A2"),
    .init("Book", "price * 2 == 25", "A1"), .init("Book", "pages ** 2 == 49", "A2 b1"),
    .init("Book", "abs:(pages) == 7", "A2 b1"), .init("Book", "sqrt:(pages) == 10", "A1"),
    .init("Book", "floor:(weight) == 2", "b1"), .init("Book", "ceiling:(weight) == 3", "b1"),
    .init("Book", "trunc:(weight) == 0", "A1"), .init("Book", "bitwiseAnd:with:(pages, 3) == 3", "A2"),
    .init("Book", "bitwiseOr:with:(pages, 8) == 15", "A2"),
    .init("Book", "bitwiseXor:with:(pages, 2) == 5", "A2"),
    .init("Book", "leftshift:by:(pages, 1) == 14", "A2"),
    .init("Book", "rightshift:by:(pages, 1) == -4", "b1"),
    .init("Book", "onesComplement:(pages) == -8", "A2"),
    .init("Book", "TERNARY(pages > 50, 'long', 'short') == 'long'", "A1"),
    .init("Book", "TERNARY(pages > 50, weight, pages) == 7", "A2"),
    .init("Book", "CAST(pages, 'NSString') == '7'", "A2"),
    .init("Book", "pages == weight", "X"), .init("Book", "-pages == 7", "b1"),
  ]

  static let related: [Case] = [
    .init("Book", "author == %@", ["$ann"], "A1 A2"), .init("Book", "author != %@", ["$ann"], "X b1"),
    .init("Book", "author == nil", "X"), .init("Book", "author IN %@", [["$ann", "$emile"]], "A1 A2"),
    .init("Book", "SELF == %@", ["$A1"], "A1"), .init("Book", "SELF IN %@", [["$A1", "$X"]], "A1 X"),
    .init("Book", "NOT SELF IN %@", [["$A1", "$X"]], "A2 b1"), .init("Book", "objectID == %@", ["$A1"], "A1"),
    .init("Book", "author.name == 'Ann'", "A1 A2"), .init("Book", "author.name != 'Ann'", "X b1"),
    .init("Book", "author.mentor.name == 'Ann'", "b1"), .init("Book", "author.mentor == nil", "A1 A2 X"),
    .init("Author", "mentor.name == name", "none"), .init("Author", "mentor.mentor == %@", ["$ann"], "emile"),
    .init("Book", "title == author.name", "X b1"),
  ]

  static let many: [Case] = [
    .init("Author", "ANY books.pages > 5", "ann"), .init("Author", "books.pages > 5", "ann"),
    .init("Author", "NONE books.pages > 5", "bob emile none"),
    .init("Author", "NOT ANY books.pages > 5", "bob emile none"),
    .init("Author", "ANY books.tags.key == 'red'", "ann"),
    .init("Author", "ANY books.author.name == 'bob'", "bob"),
    .init("Author", "ANY books == %@", ["$b1"], "bob"), .init("Author", "books CONTAINS %@", ["$b1"], "bob"),
    .init("Author", "%@ IN books", ["$b1"], "bob"),
    .init("Author", "ANY books IN %@", [["$b1", "$A1"]], "ann bob"),
    .init("Author", "ANY books.title == name", "bob"), .init("Author", "ANY books.title == nil", ""),
    .init("Author", "ANY mentor.books.pages == 7", "bob"),
    .init("Author", "ANY pupils.books.pages < 0", "ann"),
    .init("Author", "books.@count == 2", "ann"), .init("Author", "books.@count > 0", "ann bob"),
    .init("Author", "books.@count >= 1", "ann bob"), .init("Author", "books.@count != 0", "ann bob"),
    .init("Author", "0 < books.@count", "ann bob"), .init("Author", "books.@count == 0", "emile none"),
    .init("Author", "books.@count < 1", "emile none"), .init("Author", "books.@count <= 0", "emile none"),
    .init("Author", "1 > books.@count", "emile none"), .init("Author", "NOT books.@count == 0", "ann bob"),
    .init("Author", "NOT books.@count > 0", "emile none"), .init("Author", "books.@count > 0.5", "ann bob"),
    .init("Author", "books.@count >= 0", "ann bob emile none"),
    .init("Author", "books.@count > -1", "ann bob emile none"),
    .init("Author", "mentor.books.@count == 0", "ann none"), .init("Author", "books[SIZE] > 0", "ann bob"),
    .init("Author", "mentor.books.@count > 0", "bob emile"), .init("Author", "books == nil", "emile none"),
    .init("Author", "books != nil", "ann bob"), .init("Book", "tags.@count == 2", "A1"),
    .init("Book", "tags.@count > 0", "A1 A2"),
    .init("Author", "books.@sum.pages == 107", "ann"), .init("Author", "books.@sum.pages == 0", "emile none"),
    .init("Author", "books.@min.pages == 7", "ann"), .init("Author", "books.@max.pages == nil", "emile none"),
    .init("Author", "books.@avg.pages == 53.5", "ann"), .init("Author", "books.@max.title == 'bob'", "bob"),
    .init("Author", "SUBQUERY(books, $b, $b.pages > 5 AND $b.isRead == YES).@count > 0", "ann"),
    .init("Author", "SUBQUERY(books, $b, $b.pages > 5).@count == 2", "ann"),
    .init("Author", "SUBQUERY(books, $b, $b.pages > 5).@count == 0", "bob emile none"),
    .init("Author", "SUBQUERY(books, $b, $b.title == name).@count > 0", "bob"),
    .init("Author", "SUBQUERY(books, $b, ANY $b.tags.key == 'red').@count > 0", "ann"),
    .init(
      "Author", "SUBQUERY(books, $b, SUBQUERY($b.tags, $t, $t.key == 'red').@count > 0).@count > 0",
      "ann"),
    .init("Author", "SUBQUERY(books, $b, SUBQUERY($b.tags, $t, $b.pages == 7).@count > 0).@count > 0", "ann"),
    .init("Author", "SUBQUERY(pupils, $p, ANY $p.books.pages < 0).@count > 0", "ann"),
    .init("Author", "ANY books.pages > 5 OR name == 'Émile'", "ann emile"),
    .init("Author", "ANY books.pages == 100 AND ANY books.pages == 7", "ann"),
    .init("Author", "SUBQUERY(books, $b, $b.pages == 100 AND $b.pages == 7).@count > 0", ""),
  ]

  static let entities: [Case] = [
    .init("Novel", "genre == 'crime'", "b1"), .init("Novel", "ANY author.books.pages < 0", "b1"),
    .init("Novel", "SELF IN %@", [["$A1", "$b1"]], "b1"),
  ]

  @Test("Both find what is expected", arguments: values + texts + computed + related + many + entities)
  func agreement(_ example: Case) throws {
    let found = try TwoStores().keys(example.entity, example.format, example.arguments)
    #expect(found[0] == example.expected, "SQLite")
    #expect(found[1] == example.expected, "in memory")
  }

  @Test("entity == asks for the kind itself")
  func entity() throws {
    let both = try TwoStores()
    let novel = both.contexts[0].persistentStoreCoordinator!.managedObjectModel.entitiesByName["Novel"]!
    #expect(try both.keys("Book", "entity == %@", [novel]) == [["b1"], ["b1"]])
    #expect(try both.keys("Book", "NOT entity == %@", [novel]) == [["A1", "A2", "X"], ["A1", "A2", "X"]])
  }

  @Test("A list may have a hundred thousand values, of any type")
  func longLists() throws {
    let both = try TwoStores()
    let many = 100_000
    #expect(try both.keys("Book", "pages IN %@", [Array(8...(many + 8))]) == [["A1"], ["A1"]])
    #expect(
      try both.keys("Book", "title IN %@", [["bob"] + (0..<many).map { "t\($0)" } as [Any]])
        == [["b1"], ["b1"]])
    #expect(
      try both.keys("Book", "NOT title IN %@", [["bob"] + (0..<many).map { "t\($0)" } as [Any]])[0]
        == ["A1", "A2", "X"])
    let weights = (0..<1000).map { Double($0) * 0.1 + 1000 } + [0.1]
    #expect(try both.keys("Book", "weight IN %@", [weights]) == [["A1"], ["A1"]])
    let days = (0..<1000).map { TwoStores.day.addingTimeInterval(Double($0) * 0.3) }
    #expect(try both.keys("Book", "added IN %@", [days]) == [["A1"], ["A1"]])
    #expect(
      try both.keys("Book", "id IN %@", [[TwoStores.id] + (0..<1000).map { _ in UUID() }]) == [["A1"], ["A1"]])
    #expect(
      try both.keys("Book", "title IN[c] %@", [["strasse"] + (0..<5000).map { "t\($0)" } as [Any]])
        == [["A1", "A2"], ["A1", "A2"]])
    #expect(
      try both.keys("Book", "title IN %@", [(0..<1000).map { $0 } + ["bob"] as [Any]]) == [["b1"], ["b1"]])
  }

  @Test("A thousand conditions are not too many")
  func manyConditions() throws {
    let both = try TwoStores()
    for count in [5, 100, 600, 3000] {
      let some = (0..<count).map { "pages == \($0 + 97)" }
      #expect(try both.keys("Book", some.joined(separator: " OR ")) == [["A1"], ["A1"]])
      let all = (0..<count).map { "pages != \($0 + 8)" }
      #expect(try both.keys("Book", all.joined(separator: " AND ")).allSatisfy { $0.contains("A1") == (count < 100) })
      let odd = (0..<count).map { "(pages > \($0) AND NOT title == 'x')" }
      #expect(try both.keys("Book", odd.joined(separator: " OR ")) == [["A1", "A2"], ["A1", "A2"]])
    }
  }

  @Test("Sorting: missing destinations stay, nil comes first, texts fold")
  func sorting() throws {
    let both = try TwoStores()
    func sorted(_ entity: String, _ keys: (String, Bool, Selector?)...) throws -> [String] {
      let descriptors = keys.map { key, ascending, selector in
        NSSortDescriptor(key: key, ascending: ascending, selector: selector ?? "compare:")
      }
      let found = try both.keys(entity, "TRUEPREDICATE", sort: descriptors)
      // Whose locale it is, a server decides.
      let isLocal = keys.contains { $0.2.map { "\($0)".contains("localized") } ?? false }
      if !isLocal || ComparedStores.haveOneLocale { #expect(found[0] == found[1]) }
      return found[0]
    }
    #expect(try sorted("Book", ("author.name", true, nil), ("pages", true, nil)) == ["X", "A2", "A1", "b1"])
    #expect(
      try sorted("Book", ("author.mentor.name", false, nil), ("key", true, nil)) == ["b1", "A1", "A2", "X"])
    #expect(try sorted("Author", ("name", true, nil)) == ["none", "ann", "bob", "emile"])
    #expect(
      try sorted("Author", ("name", false, "localizedStandardCompare:")) == ["emile", "bob", "ann", "none"])
    #expect(
      try sorted("Book", ("title", true, "caseInsensitiveCompare:"), ("key", true, nil))
        == ["X", "b1", "A1", "A2"])
    #expect(
      try sorted("Book", ("title", true, "localizedCaseInsensitiveCompare:"), ("key", true, nil)).first == "X")
    #expect(try sorted("Book", ("title", true, "localizedCompare:"), ("key", true, nil)).first == "X")
    #expect(try sorted("Book", ("price", true, nil), ("key", true, nil)) == ["X", "b1", "A2", "A1"])
  }

  @Test("A sort by a to-one relationship goes by the destination's key")
  func sortByRelationship() throws {
    let both = try TwoStores()
    let order = [NSSortDescriptor(key: "author", ascending: true), NSSortDescriptor(key: "key", ascending: true)]
    let books = try both.keys("Book", "TRUEPREDICATE", sort: order)[0]
    #expect(books.first == "X")
    let together = books.dropFirst().map { $0 == "b1" }
    #expect(together == [true, false, false] || together == [false, false, true])
  }
}

extension FetchAgreementTests.Case {
  init(_ entity: String, _ format: String, _ expected: String) { self.init(entity, format, [], expected) }
}
