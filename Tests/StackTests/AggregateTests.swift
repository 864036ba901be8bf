import CoreData
import Foundation
import Testing

/// Ann has three books, of 10 and of 30 pages, and one that nobody has counted; Bob has one, of 8; Cid has
/// none.
@Suite("Aggregates, wherever they are written")
struct AggregateTests {
  /// A function, and what it is of all rows and of each author's.
  private struct Function: Sendable {
    let name: String
    let collectionOperator: String
    let all: String
    let ann: String
    let bob: String
    let cid: String

    static let each = [
      Function(name: "count", collectionOperator: "@count", all: "3", ann: "2", bob: "1", cid: "0"),
      Function(name: "sum", collectionOperator: "@sum", all: "48", ann: "40", bob: "8", cid: "0"),
      Function(name: "min", collectionOperator: "@min", all: "8", ann: "10", bob: "8", cid: "nil"),
      Function(name: "max", collectionOperator: "@max", all: "30", ann: "30", bob: "8", cid: "nil"),
      Function(name: "average", collectionOperator: "@avg", all: "16", ann: "20", bob: "8", cid: "nil"),
    ]
  }

  private func withBooks(_ kind: StoreKind, _ body: (NSManagedObjectContext) throws -> Void) throws {
    try withStack(kind) { _, context in
      let authors = ["Ann", "Bob", "Cid"].map { context.new("Author", ["name": $0]) }
      for (title, pages, author) in [("a1", 10, 0), ("a2", 30, 0), ("a3", nil, 0), ("b1", 8, 1)]
        as [(String, Int?, Int)]
      {
        let book = context.new("Book", ["title": title, "author": authors[author]])
        book["pages"] = pages
      }
      try context.save()
      try body(context)
    }
  }

  /// The rows of a fetch, each as its values in the order of the columns; doubles that are whole without a
  /// point.
  private func rows(
    _ context: NSManagedObjectContext, _ entity: String, _ columns: [FoundationExpression],
    sortedBy key: String? = nil,
    _ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in }
  ) throws -> [String] {
    let request = NSFetchRequest<NSDictionary>(entityName: entity)
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = columns.enumerated().map { index, expression in
      let column = NSExpressionDescription()
      column.name = "c\(index)"
      column.expression = expression
      return column
    }
    request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
    change(request)
    return try context.fetch(request).map { row in
      columns.indices.map { text(row["c\($0)"]) }.joined(separator: " ")
    }
  }

  private func text(_ value: Any?) -> String {
    guard let value else { return "nil" }
    if let number = value as? NSNumber, let whole = Int(exactly: number.doubleValue) { return "\(whole)" }
    return "\(value)"
  }

  private func key(_ path: String) -> FoundationExpression { FoundationExpression(forKeyPath: path) }

  /// Both spellings of an aggregate of all rows.
  private func spellings(_ function: Function, _ path: String) -> [FoundationExpression] {
    [
      FoundationExpression(forFunction: "\(function.name):", arguments: [key(path)]),
      key("\(function.collectionOperator).\(path)"),
    ]
  }

  @Test("A column of all rows, as a function and on a key path", arguments: StoreKind.allCases)
  func columns(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      for function in Function.each {
        for column in spellings(function, "pages") {
          #expect(try rows(context, "Book", [column]) == [function.all], "\(column)")
        }
      }
      #expect(
        try rows(context, "Book", [FoundationExpression(format: "count:(SELF)"), key("@count")]) == ["4 4"])
    }
  }

  @Test("Of no rows a count and a sum are 0, and the others are nil", arguments: StoreKind.allCases)
  func nothing(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      let columns = Function.each.flatMap { spellings($0, "pages") }
      #expect(
        try rows(context, "Book", columns) { $0.predicate = NSPredicate(value: false) }
          == ["0 0 0 0 nil nil nil nil nil nil"])
    }
  }

  @Test("Beside the values of rows it is that of all of them", arguments: StoreKind.allCases)
  func beside(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      for function in Function.each {
        for column in spellings(function, "pages") {
          #expect(
            try rows(context, "Book", [key("title"), column], sortedBy: "title")
              == ["a1", "a2", "a3", "b1"].map { "\($0) \(function.all)" }, "\(column)")
        }
      }
    }
  }

  @Test("In an expression it is one of its values", arguments: StoreKind.allCases)
  func within(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      #expect(
        try rows(
          context, "Book",
          [
            FoundationExpression(format: "sum:(pages) + 2"),
            FoundationExpression(format: "@max.pages - @min.pages"),
          ])
          == ["50 22"])
      #expect(
        try rows(context, "Book", [FoundationExpression(format: "pages - min:(pages)")], sortedBy: "title")
          == ["2", "22", "nil", "0"])
    }
  }

  @Test("Of the rows of a group", arguments: StoreKind.allCases)
  func groups(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      for function in Function.each {
        for column in spellings(function, "pages") {
          #expect(
            try rows(context, "Book", [key("author.name"), column], sortedBy: "author.name") {
              $0.propertiesToGroupBy = ["author.name"]
            } == ["Ann \(function.ann)", "Bob \(function.bob)"], "\(column)")
        }
      }
    }
  }

  @Test(
    "A condition on groups knows both spellings, the column's name, and expressions",
    arguments: StoreKind.allCases)
  func having(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      for function in Function.each {
        for format in [
          "\(function.name):(pages) == \(function.ann)",
          "\(function.collectionOperator).pages == \(function.ann)",
          "c1 == \(function.ann)", "NOT c1 != \(function.ann)",
          "\(function.name):(pages) + 1 == \(function.ann) + 1",
          "c0 == 'Ann' AND (c1 == \(function.ann) OR c1 == -1)",
        ] {
          #expect(
            try rows(context, "Book", [key("author.name"), spellings(function, "pages")[0]]) {
              $0.propertiesToGroupBy = ["author.name"]
              $0.havingPredicate = NSPredicate(format: format)
            } == ["Ann \(function.ann)"], "\(format)")
        }
      }
    }
  }

  @Test(
    "Of an object's members: in predicates, columns, and on saved and changed objects",
    arguments: StoreKind.allCases)
  func members(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      for function in Function.each {
        let path = "books.\(function.collectionOperator).pages"
        let call = "\(function.name):(books.pages)"
        // On a key path a count is of members, whatever their values are.
        let isCount = function.name == "count"
        for (name, value) in [("Ann", function.ann), ("Bob", function.bob), ("Cid", function.cid)] {
          for (format, wanted) in [(path, isCount && name == "Ann" ? "3" : value), (call, value)] {
            let predicate = NSPredicate(format: "name == %@ AND \(format) == \(wanted)", name)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.predicate = predicate
            #expect(try context.fetch(request).count == 1, "\(predicate)")
            let author = try context.fetch(request).first
            #expect(author.map(predicate.evaluate(with:)) == true, "\(predicate)")
            author?.setValue(name, forKey: "name")
            #expect(try context.fetch(request).count == 1, "\(predicate), of a changed object")
            context.rollback()
          }
        }
        #expect(
          try rows(context, "Author", [key("name"), key(path)], sortedBy: "name")
            == ["Ann \(isCount ? "3" : function.ann)", "Bob \(function.bob)", "Cid \(function.cid)"],
          "\(path)")
      }
    }
  }

  @Test("Of the members of all rows", arguments: StoreKind.allCases)
  func membersOfAll(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      for function in Function.each {
        for column in spellings(function, "books.pages") {
          #expect(try rows(context, "Author", [column]) == [function.all], "\(column)")
        }
        #expect(
          try rows(context, "Author", [key("name"), spellings(function, "books.pages")[0]], sortedBy: "name") {
            $0.propertiesToGroupBy = ["name"]
          } == ["Ann \(function.ann)", "Bob \(function.bob)", "Cid \(function.cid)"], "\(function.name)")
      }
      #expect(try rows(context, "Author", [FoundationExpression(format: "count:(books)")]) == ["4"])
    }
  }

  @Test(
    "In a fetch's predicate one of an attribute is that of the entity's objects, unsaved ones too",
    arguments: StoreKind.allCases)
  func predicates(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      func titles(_ format: String, _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        change(request)
        #expect(try context.count(for: request) == context.fetch(request).count, "\(format)")
        return try context.fetch(request).compactMap { $0.string("title") }
      }
      #expect(try titles("pages == max(pages)") == ["a2"])
      #expect(try titles("pages = min(pages) OR title == max(title)") == ["b1"])
      #expect(try titles("max(pages) - 20 == pages") == ["a1"])
      #expect(try titles("pages == @max.pages") == ["a2"])
      #expect(try titles("@min.pages == pages OR title == @max.title") == ["b1"])
      #expect(try titles("author.name == @max.author.name AND pages < @sum.pages") == ["b1"])
      #expect(try titles("pages > average(pages) AND sum(pages) == 48") == ["a2"])
      #expect(try titles("author.name == max(author.name)") == ["b1"])
      #expect(try titles("author.name == 'Bob' AND pages == max(pages)").isEmpty, "not of those that match the rest")
      context.new("Novel", ["title": "n1", "pages": 99])
      #expect(try titles("pages == max(pages)") == ["n1"])
      #expect(try titles("pages == max(pages)") { $0.includesSubentities = false } == ["a2"])
      #expect(try titles("pages == max(pages)") { $0.includesPendingChanges = false } == ["a2"])
      try context.save()
      #expect(try titles("pages == max(pages)") == ["n1"])
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait { () throws -> Void in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages == max(pages)")
        #expect(try child.fetch(request).map { $0.string("title") } == ["n1"])
        child.new("Book", ["title": "c1", "pages": 100])
        #expect(try child.fetch(request).map { $0.string("title") } == ["c1"])
      }
    }
  }

  @Test(
    "Key-value coding finds the same on objects, but for the average where values are missing",
    arguments: StoreKind.allCases)
  func keyValueCoding(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      let books = try context.all("Book") as NSArray
      for function in Function.each where function.name != "count" {
        let path = "\(function.collectionOperator).pages"
        // A book that nobody has counted is 0 in an average of key-value coding.
        #expect(text(books.value(forKeyPath: path)) == (function.name == "average" ? "12" : function.all), "\(path)")
      }
      #expect(text(books.value(forKeyPath: "@count")) == "4")
    }
  }

  @Test("Objects can only be counted, and rows not be grouped by an aggregate", arguments: StoreKind.allCases)
  func refused(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      for function in Function.each where function.name != "count" {
        for path in ["author", "author.books"] {
          for column in spellings(function, path) {
            let error = #expect(throws: NSError.self, "\(column)") { try rows(context, "Book", [column]) }
            #expect(
              "\(error?.localizedDescription ?? "")".contains("objects can only be counted"), "\(column)")
          }
        }
      }
      let error = #expect(throws: NSError.self) {
        try rows(context, "Book", [key("@count")]) {
          let group = NSExpressionDescription()
          group.name = "n"
          group.expression = FoundationExpression(format: "count:(SELF)")
          $0.propertiesToGroupBy = [group]
        }
      }
      #expect("\(error?.localizedDescription ?? "")".contains("grouped by an aggregate"))
    }
  }

  @Test("In a having predicate count: counts the members of all objects of a group", arguments: StoreKind.allCases)
  func countOfMembers(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for (name, books) in [("x", 1), ("x", 0), ("y", 0), ("y", 0), ("z", 0), ("z", 2)] {
        let author = context.new("Author", ["name": name])
        for _ in 0..<books { context.new("Book", ["author": author]) }
      }
      try context.save()
      func names(_ having: String) throws -> [String] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name"]
        request.propertiesToGroupBy = ["name"]
        request.havingPredicate = NSPredicate(format: having)
        return try context.fetch(request).compactMap { $0["name"] as? String }.sorted()
      }
      #expect(try names("count:(books) > 0") == ["x", "z"])
      #expect(try names("count:(books) == 0") == ["y"])
      #expect(try names("count:(books) > 1") == ["z"])
    }
  }

  @Test("The sum of truths is their number", arguments: StoreKind.allCases)
  func sumOfTruths(_ kind: StoreKind) throws {
    let model = model([entity("Task", [attribute("done", .booleanAttributeType)])])
    try withStack(kind, model) { _, context in
      for done in [true, true, false, true] { context.new("Task", ["done": done]) }
      try context.save()
      let sum = NSExpressionDescription()
      sum.name = "sum"
      sum.expression = NSExpression(format: "sum:(done)")
      let request = NSFetchRequest<NSDictionary>(entityName: "Task")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [sum]
      #expect(try context.fetch(request).first?["sum"] as? Int == 3)
    }
  }
}
