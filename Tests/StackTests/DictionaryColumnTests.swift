import CoreData
import Testing

/// Columns and groups of dictionaries, by all the ways in which programs name them.
@Suite("Columns of dictionaries")
struct DictionaryColumnTests {
  /// A wrote a (1 page), b (2) and b again (4); B wrote c (8); d (16) is nobody's, and a novel.
  private func withBooks(_ kind: StoreKind, _ body: (NSManagedObjectContext) throws -> Void) throws {
    try withStack(kind) { _, context in
      let (a, b) = (context.new("Author", ["name": "A"]), context.new("Author", ["name": "B"]))
      for (title, pages, author) in [("a", 1, a), ("b", 2, a), ("b", 4, a), ("c", 8, b)] {
        context.new("Book", ["title": title, "pages": pages, "author": author])
      }
      context.new("Novel", ["title": "d", "pages": 16])
      try context.save()
      try body(context)
    }
  }

  private func column(
    _ name: String, _ expression: FoundationExpression, _ type: NSAttributeType = .integer64AttributeType
  ) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = expression
    column.expressionResultType = type
    return column
  }

  private var count: NSExpressionDescription {
    column("count", FoundationExpression(forFunction: "count:", arguments: [FoundationExpression(forKeyPath: "title")]))
  }

  /// Each row as `key=value key=value`, keys in order, ids as titles or names.
  private func rows(
    _ context: NSManagedObjectContext, _ columns: [Any], by groups: [Any]? = nil, having: NSPredicate? = nil,
    sort: String? = nil
  ) throws -> [String] {
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = columns
    request.propertiesToGroupBy = groups
    request.havingPredicate = having
    if let sort { request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)] }
    let found = try context.fetch(request).map { row in
      (row.allKeys as! [String]).sorted().map { key in
        guard let id = row[key] as? NSManagedObjectID else { return "\(key)=\(row[key]!)" }
        let object = context.object(with: id)
        return "\(key)=\(object.value(forKey: object.entity.name == "Author" ? "name" : "title")!)"
      }.joined(separator: " ")
    }
    return sort == nil ? found.sorted() : found
  }

  @Test(
    "Duplicates: groups with a count, which a variable names in the having predicate", arguments: StoreKind.allCases)
  func duplicates(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      let variable = NSComparisonPredicate(
        leftExpression: FoundationExpression(forVariable: "count"),
        rightExpression: FoundationExpression(forConstantValue: 1), modifier: .direct, type: .greaterThan)
      #expect(try rows(context, ["title", count], by: ["title"], having: variable) == ["count=2 title=b"])
      #expect(
        try rows(
          context, ["title", count], by: ["title"],
          having: NSPredicate(
            format: "%@ > 1",
            FoundationExpression(forVariable: "count"))) == ["count=2 title=b"])
      #expect(
        try rows(context, ["title", count], by: ["title"], having: NSPredicate(format: "$count == 1 AND title > 'a'"))
          == ["count=1 title=c", "count=1 title=d"])
      #expect(
        try rows(
          context, ["title", count], by: ["title"],
          having: NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "$count == 1")))
          == ["count=2 title=b"])
      let unknown = failure {
        _ = try rows(context, ["title", count], by: ["title"], having: NSPredicate(format: "$total > 1"))
      }
      #expect(unknown?.localizedDescription.contains("$total") == true)
    }
  }

  @Test(
    "In a having predicate the temporary id of an object that was saved since stands for the permanent one",
    arguments: StoreKind.allCases)
  func formerIDs(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (a, b) = (context.new("Author", ["name": "A"]), context.new("Author", ["name": "B"]))
      for (title, author) in [("a", a), ("b", a), ("c", b)] { context.new("Book", ["title": title, "author": author]) }
      let former = a.objectID
      #expect(former.isTemporaryID)
      try context.save()
      let having = NSPredicate(format: "author == %@", former)
      #expect(try rows(context, ["author", count], by: ["author"], having: having) == ["author=A count=2"])
    }
  }

  @Test(
    "Numbers that are none are one group, one distinct row, and leave the order of the others alone",
    arguments: StoreKind.allCases)
  func notNumbers(_ kind: StoreKind) throws {
    let measured = model([
      entity("Measured", [attribute("value", .doubleAttributeType), attribute("time", .dateAttributeType)])
    ])
    try withStack(kind, measured) { _, context in
      let values: [Double] = [.nan, 3, 1, .nan, 2, .nan, 4, 1]
      // A file of XML or a property list has no word for such a date.
      let hasNaNDates = kind != .xml && kind != .binary
      for value in values {
        let seconds = value.isNaN && !hasNaNDates ? 0 : value
        context.new("Measured", ["value": value, "time": Date(timeIntervalSinceReferenceDate: seconds)])
      }
      // Before and after the save: in a context NaN is NaN, in some stores it is nil.
      for _ in 0..<2 {
        for (key, ascending) in [("value", true), ("value", false), ("time", true), ("time", false)] {
          let request = NSFetchRequest<NSManagedObject>(entityName: "Measured")
          request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending)]
          let found = try context.fetch(request).compactMap { $0["value"] as? Double }.filter { !$0.isNaN }
          #expect(found == (ascending ? [1, 1, 2, 3, 4] : [4, 3, 2, 1, 1]), "by \(key)")
        }
        try context.save()
        context.reset()
      }
      let request = NSFetchRequest<NSDictionary>(entityName: "Measured")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["value"]
      request.propertiesToGroupBy = ["value"]
      #expect(try context.fetch(request).count == 5)
      request.propertiesToGroupBy = nil
      request.returnsDistinctResults = true
      #expect(try context.fetch(request).count == 5)
      let least = FoundationExpression(forFunction: "min:", arguments: [FoundationExpression(forKeyPath: "value")])
      request.returnsDistinctResults = false
      request.propertiesToFetch = [column("least", least, .doubleAttributeType)]
      #expect(try context.fetch(request).first?["least"] as? Double == 1)
    }
  }

  @Test("An expression description without an expression is the column of its name", arguments: StoreKind.allCases)
  func nameAlone(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      let title = NSExpressionDescription()
      title.name = "title"
      #expect(try rows(context, [title], sort: "pages") == ["title=a", "title=b", "title=b", "title=c", "title=d"])
      let other = NSExpressionDescription()
      other.name = "other"
      let error = failure { _ = try rows(context, [other]) }
      #expect(error?.localizedDescription.contains("no expression") == true)
    }
  }

  @Test("Aggregates in the having predicate are of the group", arguments: StoreKind.allCases)
  func aggregates(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      func found(_ having: String) throws -> [String] {
        try rows(context, ["title"], by: ["title"], having: NSPredicate(format: having))
      }
      #expect(try found("count:(SELF) > 1") == ["title=b"])
      #expect(try found("sum:(pages) > 5 AND max:(pages) < 10") == ["title=b", "title=c"])
      #expect(try found("NOT min:(pages) > 2") == ["title=a", "title=b"])
      #expect(try found("average:(pages) == 3 OR 16 == sum:(pages)") == ["title=b", "title=d"])
      #expect(try found("@sum.pages == 6") == ["title=b"])
      #expect(try found("count:(author) == 0") == ["title=d"])
    }
  }

  @Test("An object's id beside its other columns, by name", arguments: StoreKind.allCases)
  func ids(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      #expect(
        try rows(context, ["author", "objectID"]) == [
          "author=A objectID=a", "author=A objectID=b", "author=A objectID=b", "author=B objectID=c", "objectID=d",
        ])
      #expect(try rows(context, ["objectID", "title"], sort: "pages").last == "objectID=d title=d")
      #expect(
        try rows(context, ["author.objectID", count], by: ["author.objectID"]) == [
          "author.objectID=A count=3", "author.objectID=B count=1", "count=1",
        ])
    }
  }

  @Test("A key path that begins with an operator is an aggregate over all rows", arguments: StoreKind.allCases)
  func operators(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      func key(_ name: String, _ path: String, _ type: NSAttributeType = .integer64AttributeType) -> Any {
        column(name, FoundationExpression(forKeyPath: path), type)
      }
      #expect(
        try rows(
          context,
          [
            key("sum", "@sum.pages"), key("most", "@max.pages"), key("least", "@min.pages"),
            key("mean", "@avg.pages", .doubleAttributeType), key("all", "@count"),
          ]) == ["all=5 least=1 mean=6.2 most=16 sum=31"])
      #expect(
        try rows(context, ["author.name", key("sum", "@sum.pages")], by: ["author.name"])
          == ["author.name=A sum=7", "author.name=B sum=8", "sum=16"])
      #expect(try rows(context, ["title", key("sum", "@sum.pages")], sort: "pages").first == "sum=31 title=a")
    }
  }

  @Test("A collection operator after a path of the entity is an aggregate", arguments: StoreKind.allCases)
  func collectionOperators(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      let sum = column("sum", FoundationExpression(forKeyPath: "pages.@sum"))
      let count = column("count", FoundationExpression(format: "title.@count"))
      #expect(
        try rows(context, ["title", sum, count], by: ["title"]) == [
          "count=1 sum=1 title=a", "count=1 sum=16 title=d", "count=1 sum=8 title=c", "count=2 sum=6 title=b",
        ])
      #expect(
        try rows(context, ["title", sum], by: ["title"], having: NSPredicate(format: "title.@count > 1"))
          == ["sum=6 title=b"])
      #expect(
        try rows(context, ["title"], by: ["title"], having: NSPredicate(format: "pages.@max >= 8"))
          == ["title=c", "title=d"])
      #expect(try rows(context, [sum, count]) == ["count=5 sum=31"])
    }
  }

  /// Items whose values are `values`.
  private func withItems(
    _ kind: StoreKind, _ values: [[String: Any]], _ body: (NSManagedObjectContext) throws -> Void
  ) throws {
    let item = entity(
      "Item",
      [
        attribute("price", .decimalAttributeType), attribute("big", .integer64AttributeType),
        attribute("weight", .doubleAttributeType), attribute("info", .transformableAttributeType),
      ])
    try withStack(kind, model([item])) { _, context in
      for values in values { context.new("Item", values) }
      try context.save()
      try body(context)
    }
  }

  private func item(_ context: NSManagedObjectContext, _ columns: [Any]) throws -> NSDictionary {
    let request = NSFetchRequest<NSDictionary>(entityName: "Item")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = columns
    return try #require(try context.fetch(request).first)
  }

  @Test(
    "The declared type of a column rules: large integers stay exact, numbers become texts, decimals are cut",
    arguments: StoreKind.allCases)
  func declaredTypes(_ kind: StoreKind) throws {
    let big = Int64(1) << 53 + 1
    let values: [String: Any] = ["big": big, "price": Decimal(string: "3.75")!, "weight": 0.5]
    try withItems(kind, [values]) { context throws in
      func key(_ path: String) -> FoundationExpression { FoundationExpression(forKeyPath: path) }
      let row = try item(
        context,
        [
          column("big", key("big")), column("sum", key("@sum.big")),
          column("text", key("big"), .stringAttributeType), column("realText", key("weight"), .stringAttributeType),
          column("whole", key("price")), column("exact", key("big"), .decimalAttributeType),
        ])
      #expect(row["big"] as? Int64 == big && row["sum"] as? Int64 == big)
      #expect(row["text"] as? String == "\(big)" && row["realText"] as? String == "0.5")
      #expect(row["whole"] as? Int == 3)
      #expect(row["exact"] as? NSDecimalNumber == NSDecimalNumber(decimal: Decimal(big)))
    }
  }

  @Test("A sum of decimals is a decimal, exact, and that of none as well", arguments: StoreKind.allCases)
  func decimals(_ kind: StoreKind) throws {
    let tenths = [["price": Decimal(string: "0.1")!], ["price": Decimal(string: "0.2")!]]
    let sum = FoundationExpression(forKeyPath: "@sum.price")
    for (values, wanted) in [(tenths, "0.3"), ([["big": 1]], "0")] as [([[String: Any]], String)] {
      try withItems(kind, values) { context throws in
        let row = try item(
          context,
          [column("declared", sum, .decimalAttributeType), column("plain", sum, .undefinedAttributeType)])
        #expect((row["declared"] as? NSDecimalNumber)?.stringValue == wanted)
        #expect((row["plain"] as? NSDecimalNumber)?.stringValue == wanted)
      }
    }
  }

  @Test("A transformable attribute's column has its object", arguments: StoreKind.allCases)
  func transformables(_ kind: StoreKind) throws {
    try withItems(kind, [["info": ["a", "b"] as NSArray]]) { context throws in
      #expect(try item(context, ["info"])["info"] as? [String] == ["a", "b"])
      let described = column("info", FoundationExpression(forKeyPath: "info"), .transformableAttributeType)
      #expect(try item(context, [described])["info"] as? [String] == ["a", "b"])
    }
  }
}
