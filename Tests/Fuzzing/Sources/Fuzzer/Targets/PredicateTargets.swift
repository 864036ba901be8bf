@testable import CoreData

/// Formats of predicates: read, printed, read again, evaluated.
struct PredicateTarget: FuzzTarget {
  static let name = "predicate"
  static let longest = 400

  private let book: NSManagedObject
  private let context: NSManagedObjectContext
  private let dictionary: NSDictionary = [
    "a": 1, "name": "é", "number": 2.5, "books": [["name": "x", "number": 1]], "date": Date(), "none": NSNull(),
  ]

  init() throws {
    context = Fixture.context(try Fixture.open(NSInMemoryStoreType, nil))
    try Fixture.fill(context)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.returnsObjectsAsFaults = false
    book = try context.performAndWait { [context] in try context.fetch(request)[0] }
  }

  func run(_ input: [UInt8]) throws {
    let format = String(decoding: input, as: UTF8.self)
    let arguments: [Any?] = ["name", 1, nil, [1, "a"], 2.5]
    guard let node = try? PredicateParser.predicate(format, arguments: arguments) else {
      let expression = try PredicateParser.expression(format, arguments: arguments)
      _ = NodeExpression.make(expression).description.utf8.count
      return
    }
    let text = PredicatePrinter.print(node)
    if let back = try? PredicateParser.predicate(text), PredicatePrinter.print(back) != text {
      fatalError("\(text) is printed as \(PredicatePrinter.print(back)) when it is read")
    }
    _ = node.hashValue
    let variables: [String: Any] = ["x": 1, "v": "a"]
    _ = try? node.substituting(["x": .constant(.int(1))])
    let predicate = try NSPredicate.parsing(format, arguments: arguments)
    _ = try? predicate.checkedEvaluate(with: dictionary, substitutionVariables: variables)
    _ = try? predicate.checkedEvaluate(with: nil, substitutionVariables: variables)
    context.performAndWait { _ = try? predicate.checkedEvaluate(with: book, substitutionVariables: variables) }
  }
}

/// The same formats as conditions of a fetch, of a SQLite file and of a store in memory.
struct PredicateFetchTarget: FuzzTarget {
  static let name = "predicate-fetch"
  static let longest = 300

  private let contexts: [NSManagedObjectContext]

  init() throws {
    contexts = try [NSSQLiteStoreType, NSInMemoryStoreType].map { type in
      let context = Fixture.context(try Fixture.open(type, Scratch.url("Fetch.sqlite")))
      try Fixture.fill(context)
      return context
    }
  }

  func run(_ input: [UInt8]) throws {
    let format = String(decoding: input, as: UTF8.self)
    let predicate = try NSPredicate.parsing(format, arguments: ["name", 1, nil, [1, "a"], 2.5])
    let expression = (predicate as? NSComparisonPredicate)?.leftExpression
    for context in contexts {
      context.performAndWait {
        for entity in ["Book", "Author"] {
          let request = NSFetchRequest<NSManagedObject>(entityName: entity)
          request.predicate = predicate
          if let found = try? context.fetch(request) { _ = (try? context.count(for: request)) == found.count }
        }
        guard let expression else { return }
        let column = NSExpressionDescription()
        (column.name, column.expression, column.expressionResultType) = ("value", expression, .doubleAttributeType)
        let values = NSFetchRequest<NSDictionary>(entityName: "Book")
        values.resultType = .dictionaryResultType
        values.propertiesToFetch = [column]
        _ = (try? context.fetch(values)).map { "\($0)".utf8.count }
      }
    }
  }
}
