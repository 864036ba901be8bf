import CoreData
import Testing

private let policies: [NSMergePolicy] = [
  .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
]

/// Author: unique name; Shelf: unique title. Author.books, the ordered Author.essays, Author.badge, to one from both
/// ends, and Author.shelves delete along. A shelf has authors in an order; labels lead to authors without an inverse.
private func authors() -> NSManagedObjectModel {
  let author = entity("Author", [attribute("name"), attribute("note")])
  let book = entity("Book", [attribute("title")])
  let essay = entity("Essay", [attribute("title")])
  let badge = entity("Badge", [attribute("title")])
  let shelf = entity("Shelf", [attribute("title")])
  let label = entity("Label", [attribute("title")])
  join(
    relate(author, "books", .many, to: book, rule: .cascadeDeleteRule), relate(book, "author", .one, to: author))
  join(
    relate(author, "essays", .ordered, to: essay, rule: .cascadeDeleteRule), relate(essay, "author", .one, to: author))
  join(
    relate(author, "badge", .one, to: badge, rule: .cascadeDeleteRule), relate(badge, "author", .one, to: author))
  join(
    relate(author, "shelves", .many, to: shelf, rule: .cascadeDeleteRule),
    relate(shelf, "authors", .ordered, to: author))
  relate(label, "author", .one, to: author)
  relate(label, "others", .many, to: author)
  author.uniquenessConstraints = [["name"]]
  shelf.uniquenessConstraints = [["title"]]
  return model([author, book, essay, badge, shelf, label])
}

private func withAuthors(
  _ kind: StoreKind, _ policy: NSMergePolicy, _ body: (Stack, NSManagedObjectContext) throws -> Void
) throws {
  try withStack(kind, authors()) { stack, context in
    context.mergePolicy = policy
    try body(stack, context)
  }
}

extension NSMergePolicy {
  fileprivate var overwrites: Bool {
    mergeType == .overwriteMergePolicyType || mergeType == .mergeByPropertyObjectTrumpMergePolicyType
  }
}

@Suite("What is related to a new object that goes because of a uniqueness constraint")
struct ConstraintSuccessionTests {
  @Test(
    "New objects related to one that goes are related to the one that stays, new or stored, in their order",
    arguments: StoreKind.allCases, policies)
  func members(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    for isStored in [false, true] {
      try withAuthors(kind, policy) { try moveMembers($0, $1, policy, isStored: isStored) }
    }
  }

  private func moveMembers(
    _ stack: Stack, _ context: NSManagedObjectContext, _ policy: NSMergePolicy, isStored: Bool
  ) throws {
    let first = context.new("Author", ["name": "a", "note": "1"])
    if isStored { try context.save() }
    let twins = ["2", "3"].map { context.new("Author", ["name": "a", "note": $0]) }
    let books = twins.map { context.new("Book", ["title": $0.string("note")!, "author": $0]) }
    let essays = twins.flatMap { twin in
      ["x", "y"].map { context.new("Essay", ["title": twin.string("note")! + $0, "author": twin]) }
    }
    let other = context.new("Author", ["name": "b"])
    let shelf = context.new("Shelf", ["authors": NSOrderedSet(array: [twins[1], other])])
    let label = context.new("Label", ["author": twins[0], "others": NSSet(array: [twins[0], other])])
    try context.save()
    #expect(twins.allSatisfy { $0.managedObjectContext == nil } && !context.hasChanges)
    #expect(first.string("note") == (isStored && policy.overwrites ? "3" : "1"))
    #expect(first.objects("books") == Set(books) && books.allSatisfy { $0.object("author") === first })
    #expect(first.list("essays") == essays && shelf.list("authors") == [first, other])
    #expect(label.object("author") === first && label.objects("others") == [first, other])
    try stack.elsewhere { reader throws in
      let found = reader.same(first)
      #expect(found.objects("books").count == 2 && found.objects("shelves").count == 1)
      #expect(found.list("essays").map { $0.string("title") } == ["2x", "2y", "3x", "3y"])
      #expect(reader.same(shelf).list("authors").map { $0.string("name") } == ["a", "b"])
      #expect(reader.same(label).object("author") === found)
    }
  }

  @Test(
    "Of two new ones, what leads to one object moves if the first leads to none; else it goes by the other's rule",
    arguments: StoreKind.allCases, policies)
  func toOne(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withAuthors(kind, policy) { _, context in
      let (a, b) = (context.new("Author", ["name": "a"]), context.new("Author", ["name": "b"]))
      let kept = context.new("Badge", ["author": b])
      let (moved, lost) = (context.new("Badge"), context.new("Badge"))
      context.new("Author", ["name": "a", "badge": moved])
      context.new("Author", ["name": "b", "badge": lost])
      try context.save()
      #expect(a.object("badge") === moved && moved.object("author") === a)
      #expect(b.object("badge") === kept && lost.managedObjectContext == nil)
      #expect(try context.all("Badge").count == 2)
    }
  }

  @Test(
    "An object that is related to both is related to the one that stays, once", arguments: StoreKind.allCases, policies)
  func both(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withAuthors(kind, policy) { _, context in
      let authors = ["a", "b", "a", "a"].map { context.new("Author", ["name": $0]) }
      let shelf = context.new("Shelf", ["authors": NSOrderedSet(array: authors.reversed())])
      let label = context.new("Label", ["author": authors[3], "others": NSSet(array: authors)])
      try context.save()
      #expect(shelf.list("authors") == [authors[1], authors[0]] && authors[0].objects("shelves") == [shelf])
      #expect(label.object("author") === authors[0] && label.objects("others") == [authors[0], authors[1]])
    }
  }

  @Test(
    "Stored objects join the new one that stays, where the object's values win; else they return",
    arguments: StoreKind.allCases, policies)
  func stored(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withAuthors(kind, policy) { stack, context in
      let old = context.new("Author", ["name": "old"])
      let book = context.new("Book", ["title": "1", "author": old])
      let shelf = context.new("Shelf", ["title": "s"])
      try context.save()
      let (first, twin) = (context.new("Author", ["name": "a"]), context.new("Author", ["name": "a"]))
      book["author"] = twin
      shelf["authors"] = NSOrderedSet(array: [twin])
      try context.save()
      #expect(twin.managedObjectContext == nil && !context.hasChanges)
      #expect(book.object("author") === (policy.overwrites ? first : old))
      #expect(shelf.list("authors") == (policy.overwrites ? [first] : []))
      let name = try stack.elsewhere { $0.same(book).object("author")?.string("name") }
      #expect(name == (policy.overwrites ? "a" : "old"))
    }
  }

  @Test("Where both ends go, those that stay are related", arguments: StoreKind.allCases, policies)
  func bothEnds(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withAuthors(kind, policy) { _, context in
      let (first, twin) = (context.new("Author", ["name": "a"]), context.new("Author", ["name": "a"]))
      let (shelf, second) = (context.new("Shelf", ["title": "s"]), context.new("Shelf", ["title": "s"]))
      second["authors"] = NSOrderedSet(array: [twin])
      try context.save()
      #expect(shelf.list("authors") == [first] && first.objects("shelves") == [shelf])
      #expect(twin.managedObjectContext == nil && second.managedObjectContext == nil)
    }
  }

  @Test(
    "New objects related to one that goes for the sake of an edited one are related to that",
    arguments: StoreKind.allCases, policies)
  func edited(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withAuthors(kind, policy) { _, context in
      let author = context.new("Author", ["name": "a", "note": "1"])
      try context.save()
      author["name"] = "b"
      let book = context.new("Book", ["author": context.new("Author", ["name": "b", "note": "2"])])
      try context.save()
      #expect(book.object("author") === author && author.string("note") == "1" && author.string("name") == "b")
    }
  }
}
