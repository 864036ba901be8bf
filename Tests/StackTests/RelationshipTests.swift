import CoreData
import Testing

@Suite("Relationships")
struct RelationshipTests {
  @Test(
    "A member that the store had already when the members were read is no second one", arguments: StoreKind.allCases)
  func readLater(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (book, author) = (context.new("Book"), context.new("Author"))
      try context.save()
      try stack.elsewhere { first in
        let (mine, leading) = (first.same(book), first.same(author))
        #expect(mine.object("author") == nil)
        try stack.elsewhere { second in
          second.same(book)["author"] = second.same(author)
          try second.save()
        }
        #expect(leading.objects("books") == [mine])
        mine["author"] = leading
        #expect(leading.mutableSetValue(forKey: "books").count == 1)
        #expect(leading.objectIDs(forRelationshipNamed: "books") == [mine.objectID])
        mine["author"] = nil
        #expect(leading.objects("books").isEmpty)
        mine["author"] = leading
        #expect(leading.objects("books") == [mine])
      }
    }
  }

  @Test("A deleted object is no member any more, whichever way it is asked", arguments: StoreKind.allCases)
  func deletedMember(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      let book = context.new("Book", ["author": author])
      try context.save()
      context.delete(book)
      context.processPendingChanges()
      let books = author.mutableSetValue(forKey: "books")
      #expect(!books.contains(book) && books.count == 0)
    }
  }

  @Test(
    "Setting a to-one puts the object into the set of the other side, and takes it out of the former one's",
    arguments: StoreKind.withCustom)
  func oneToMany(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (a, b) = (context.new("Author", ["name": "a"]), context.new("Author", ["name": "b"]))
      let book = context.new("Book", ["author": a])
      #expect(a.objects("books") == [book])
      book["author"] = b
      #expect(a.objects("books").isEmpty)
      #expect(b.objects("books") == [book])
      try context.save()
      try stack.elsewhere { other throws in
        #expect(other.same(a).objects("books").isEmpty)
        #expect(other.same(b).objects("books") == [other.same(book)])
        other.same(book)["author"] = nil
        #expect(other.same(b).objects("books").isEmpty)
        try other.save()
      }
      context.refreshAllObjects()
      #expect(b.objects("books").isEmpty)
      #expect(book["author"] == nil)
    }
  }

  @Test(
    "Setting the set points every member's to-one here, and the others' nowhere",
    arguments: StoreKind.withCustom)
  func setMembers(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (a, b) = (context.new("Author"), context.new("Author"))
      let books = (0..<4).map { context.new("Book", ["title": "\($0)"]) }
      a["books"] = Set(books[0...2])
      b["books"] = NSSet(array: [books[3]])
      try context.save()
      a["books"] = Set([books[2], books[3]])
      #expect(books[0].object("author") == nil)
      #expect(books[3].object("author") === a)
      #expect(b.objects("books").isEmpty)
      try context.save()
      try stack.elsewhere { other throws in
        #expect(other.same(a).objects("books") == [other.same(books[2]), other.same(books[3])])
        #expect(other.same(books[0])["author"] == nil)
      }
      a["books"] = nil
      #expect(books[2]["author"] == nil)
      try context.save()
      try stack.elsewhere { other throws in #expect(other.same(a).objects("books").isEmpty) }
    }
  }

  @Test(
    "The mutable set changes the relationship, whether its members were read or not",
    arguments: StoreKind.withCustom)
  func mutableSet(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      let books = (0..<3).map { context.new("Book", ["title": "\($0)"]) }
      let set = author.mutableSetValue(forKey: "books")
      books.forEach(set.add)
      set.add(books[0])
      #expect(set.count == 3)
      try context.save()
      context.refreshAllObjects()
      set.remove(books[1])
      #expect(books[1]["author"] == nil)
      #expect(set.count == 2)
      #expect(set.contains(books[0]))
      #expect(!set.contains(books[1]))
      #expect(Set(set.allObjects as! [NSManagedObject]) == [books[0], books[2]])
      try context.save()
      set.removeAllObjects()
      #expect(set.count == 0)
      set.union(Set(books))
      #expect(author.objects("books").count == 3)
      set.intersect([books[0], books[1]])
      #expect(author.objects("books") == [books[0], books[1]])
      set.minus([books[0]])
      try context.save()
      try stack.elsewhere { other throws in
        #expect(other.same(author).objects("books") == [other.same(books[1])])
      }
    }
  }

  @Test("Every method of the mutable ordered set reaches the relationship", arguments: StoreKind.withCustom)
  func mutableOrderedSet(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book")
      let parts = "abcdefgh".map { context.new("Chapter", ["title": String($0)]) }
      let (a, b, c, d, e, f) = (parts[0], parts[1], parts[2], parts[3], parts[4], parts[5])
      let set = book.mutableOrderedSetValue(forKey: "chapters")
      func order() -> String { book.list("chapters").compactMap { $0.string("title") }.joined() }
      func expect(_ wanted: String, _ call: () -> Void, _ location: SourceLocation = #_sourceLocation) {
        call()
        #expect(order() == wanted, sourceLocation: location)
        #expect(
          parts.allSatisfy { ($0.object("book") === book) == wanted.contains($0.string("title")!) },
          sourceLocation: location)
      }
      expect("a") { set.add(a) }
      expect("ab") { set.add(b) }
      expect("abcd") { set.addObjects(from: [b, c, d]) }
      expect("dbca") { set.exchangeObject(at: 0, withObjectAt: 3) }
      expect("bcad") { set.moveObjects(at: IndexSet(integer: 0), to: 3) }
      expect("ebcad") { set.insert(e, at: 0) }
      expect("efbcad") { set.insert([f], at: IndexSet(integer: 1)) }
      expect("efbcd") { set.removeObject(at: 4) }
      expect("efcd") { set.remove(b) }
      expect("efca") { set.replaceObject(at: 3, with: a) }
      expect("dfca") { set.setObject(d, at: 0) }
      expect("dfcae") { set.setObject(e, at: 4) }
      expect("acdef") {
        set.sort(comparator: { x, y in
          ((x as! NSManagedObject).string("title")! as NSString).compare(
            (y as! NSManagedObject).string("title")!)
        })
      }
      expect("cef") { set.removeObjects(at: IndexSet([0, 2])) }
      expect("ce") { set.removeObjects(in: [f]) }
      expect("e") { set.removeObjects(in: NSRange(location: 0, length: 1)) }
      expect("eab") { set.union(NSOrderedSet(array: [a, b])) }
      expect("ab") { set.minus(NSOrderedSet(array: [e])) }
      expect("b") { set.intersect(NSOrderedSet(array: [b, c])) }
      expect("c") { set.replaceObjects(at: IndexSet(integer: 0), with: [c]) }
      expect("cd") { set.unionSet([d]) }
      expect("d") { set.minusSet([c]) }
      expect("d") { set.intersectSet([d, a]) }
      expect("dab") { set.addObjects(from: [a, b]) }
      #expect(set.count == 3)
      #expect(set.object(at: 1) as AnyObject === a)
      #expect(set[2] as AnyObject === b)
      #expect(set.index(of: b) == 2)
      #expect(set.index(of: c) == NSNotFound)
      #expect(set.contains(a) && !set.contains(c))
      #expect(set.firstObject as AnyObject === d && set.lastObject as AnyObject === b)
      #expect(set.array as! [NSManagedObject] == [d, a, b])
      #expect(set.set as! Set<NSManagedObject> == [d, a, b])
      #expect(set.reversed.array as! [NSManagedObject] == [b, a, d])
      #expect(set.map { ($0 as! NSManagedObject).string("title")! } == ["d", "a", "b"])
      #expect(set.isEqual(to: NSOrderedSet(array: [d, a, b])))
      #expect(set.isSubset(of: Set([a, b, c, d])))
      var seen: [Int] = []
      set.enumerateObjects { _, index, _ in seen.append(index) }
      #expect(seen == [0, 1, 2])
      #expect((set.copy() as! NSOrderedSet).count == 3)
      #expect((set.mutableCopy() as! NSMutableOrderedSet).count == 3)
      expect("") { set.removeAllObjects() }
      try context.save()
      try stack.elsewhere { other throws in #expect(other.same(book).list("chapters").isEmpty) }
    }
  }

  @Test("Mutable sets are found along a path of keys", arguments: StoreKind.withCustom)
  func mutableSetsByPath(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (book, chapter, tag) = (context.new("Book"), context.new("Chapter"), context.new("Tag"))
      book.mutableOrderedSetValue(forKeyPath: "chapters").add(chapter)
      #expect(chapter.object("book") === book)
      chapter.mutableSetValue(forKeyPath: "book.tags").add(tag)
      #expect(book.objects("tags") == [tag])
      chapter.mutableOrderedSetValue(forKeyPath: "book.chapters").remove(chapter)
      #expect(book.list("chapters").isEmpty)
    }
  }

  @Test("Every method of the mutable set reaches the relationship", arguments: StoreKind.withCustom)
  func mutableSetMethods(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book")
      let tags = "abcd".map { context.new("Tag", ["name": String($0)]) }
      let (a, b, c, d) = (tags[0], tags[1], tags[2], tags[3])
      let set = book.mutableSetValue(forKey: "tags")
      func expect(
        _ wanted: Set<NSManagedObject>, _ call: () -> Void, _ location: SourceLocation = #_sourceLocation
      ) {
        call()
        #expect(book.objects("tags") == wanted, sourceLocation: location)
        #expect(
          tags.allSatisfy { $0.objects("books") == (wanted.contains($0) ? [book] : []) },
          sourceLocation: location)
      }
      expect([a]) { set.add(a) }
      expect([a, b, c]) { set.addObjects(from: [a, b, c]) }
      expect([a, c]) { set.remove(b) }
      expect([a, c, d]) { set.union([a, d]) }
      expect([a, d]) { set.minus([c]) }
      expect([a]) { set.intersect([a, b]) }
      expect([b, c]) { set.setSet([b, c]) }
      #expect(set.count == 2)
      #expect(set.contains(b) && !set.contains(a))
      #expect(set.member(c) as AnyObject? === c)
      #expect(Set(set.map { $0 as! NSManagedObject }) == [b, c])
      #expect([b, c].contains(set.anyObject() as! NSManagedObject))
      #expect(set.isEqual(to: [b, c]))
      #expect(set.isSubset(of: [a, b, c]))
      #expect(set.intersects([c]))
      #expect((set.copy() as! NSSet).count == 2)
      #expect(set.objectEnumerator().allObjects.count == 2)
      expect([]) { set.removeAllObjects() }
    }
  }

  @Test(
    "A set that was handed out stays as it was when the relationship changes", arguments: StoreKind.withCustom)
  func handedOutSet(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author")
      let before = author["books"] as? NSSet
      context.new("Book", ["author": author])
      #expect(before?.count == 0)
      #expect((author["books"] as? NSSet)?.count == 1)
    }
  }

  @Test("Generated accessors add and remove members", arguments: StoreKind.withCustom)
  func accessors(_ kind: StoreKind) throws {
    let (books, chapters) = (ManagedKey("books"), ManagedKey("chapters"))
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      let all = (0..<4).map { context.new("Book", ["title": "\($0)"]) }
      author.addManagedMember(all[0], books)
      author.addManagedMembers(NSSet(array: [all[1], all[2]]), books)
      author.addManagedMembers(Set([all[3]]), books)
      #expect(author.objects("books") == Set(all))
      try context.save()
      context.refreshAllObjects()
      author.removeManagedMember(all[0], books)
      author.removeManagedMembers(Set([all[1]]), books)
      author.removeManagedMembers(NSSet(array: [all[1], all[2]]), books)
      #expect(author.objects("books") == [all[3]])
      #expect(all[2]["author"] == nil)
      let parts = (0..<5).map { context.new("Chapter", ["title": "\($0)"]) }
      let book = all[0]
      func order() -> [String] { book.list("chapters").compactMap { $0.string("title") } }
      book.addManagedMembers(NSOrderedSet(array: [parts[0], parts[1]]), chapters)
      book.insertManagedMember(parts[2], at: 0, chapters)
      #expect(order() == ["2", "0", "1"])
      book.replaceManagedMember(at: 1, with: parts[3], chapters)
      #expect(order() == ["2", "3", "1"])
      #expect(parts[0]["book"] == nil)
      book.insertManagedMembers(
        [parts[0], parts[4]], at: NSIndexSet(indexesIn: NSRange(location: 1, length: 2)), chapters)
      #expect(order() == ["2", "0", "4", "3", "1"])
      book.removeManagedMember(at: 0, chapters)
      book.removeManagedMembers(at: NSIndexSet(index: 3), chapters)
      #expect(order() == ["0", "4", "3"])
      try context.save()
      try stack.elsewhere { other throws in
        #expect(other.same(book).list("chapters").map { $0.string("title") } == ["0", "4", "3"])
      }
    }
  }

  @Test(
    "One to one: setting one end steals the destination from its former holder", arguments: StoreKind.withCustom
  )
  func oneToOne(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (a, b) = (context.new("Author"), context.new("Author"))
      let (p, q) = (context.new("Passport"), context.new("Passport"))
      a["passport"] = p
      #expect(p.object("holder") === a)
      b["passport"] = q
      try context.save()
      context.refreshAllObjects()
      a["passport"] = q
      #expect(q.object("holder") === a)
      #expect(p["holder"] == nil)
      #expect(b["passport"] == nil)
      try context.save()
      try stack.elsewhere { other throws in
        #expect(other.same(a).object("passport") === other.same(q))
        #expect(other.same(q).object("holder") === other.same(a))
        #expect(other.same(p)["holder"] == nil)
        #expect(other.same(b)["passport"] == nil)
      }
    }
  }

  @Test("Many to many: both sides know, through sets and saves", arguments: StoreKind.withCustom)
  func manyToMany(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let books = (0..<3).map { context.new("Book", ["title": "\($0)"]) }
      let tags = (0..<3).map { context.new("Tag", ["name": "\($0)"]) }
      books[0]["tags"] = Set(tags)
      #expect(tags.allSatisfy { $0.objects("books") == [books[0]] })
      tags[0].mutableSetValue(forKey: "books").add(books[1])
      #expect(books[1].objects("tags") == [tags[0]])
      try context.save()
      try stack.elsewhere { other throws in
        #expect(other.same(tags[0]).objects("books") == [other.same(books[0]), other.same(books[1])])
        #expect(other.same(books[0]).objects("tags").count == 3)
        other.same(books[0])["tags"] = Set([other.same(tags[1])])
        #expect(other.same(tags[0]).objects("books") == [other.same(books[1])])
        try other.save()
      }
      context.refreshAllObjects()
      #expect(books[0].objects("tags") == [tags[1]])
      #expect(tags[2].objects("books").isEmpty)
      #expect(tags[0].objects("books") == [books[1]])
    }
  }

  @Test(
    "An ordered relationship keeps its order, and takes members from the other side at its end",
    arguments: StoreKind.withCustom)
  func ordered(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book")
      let parts = "abcde".map { context.new("Chapter", ["title": String($0)]) }
      book["chapters"] = NSOrderedSet(array: [parts[2], parts[0], parts[1]])
      func order(_ book: NSManagedObject) -> String {
        book.list("chapters").compactMap { $0.string("title") }.joined()
      }
      #expect(order(book) == "cab")
      try context.save()
      parts[3]["book"] = book
      #expect(order(book) == "cabd")
      try context.save()
      try stack.elsewhere { other throws in #expect(order(other.same(book)) == "cabd") }
      let proxy = book.mutableOrderedSetValue(forKey: "chapters")
      proxy.insert(parts[4], at: 0)
      proxy.moveObjects(at: IndexSet(integer: 1), to: 4)
      #expect(order(book) == "eabdc")
      #expect(parts[4].object("book") === book)
      try context.save()
      context.refreshAllObjects()
      #expect(order(book) == "eabdc")
      proxy.remove(parts[1])
      #expect(order(book) == "eadc")
      proxy.exchangeObject(at: 0, withObjectAt: 3)
      #expect(order(book) == "cade")
      try context.save()
      try stack.elsewhere { other throws in #expect(order(other.same(book)) == order(book)) }
      context.delete(parts[3])
      try context.save()
      #expect(!order(book).contains("d"))
      try stack.elsewhere { other throws in #expect(order(other.same(book)) == order(book)) }
    }
  }

  @Test(
    "A member that leaves an ordered relationship and comes back stands at its end",
    arguments: StoreKind.withCustom)
  func comesBack(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book")
      let parts = "abc".map { context.new("Chapter", ["title": String($0)]) }
      book["chapters"] = NSOrderedSet(array: parts)
      try context.save()
      parts[0]["book"] = nil
      parts[0]["book"] = book
      #expect(book.list("chapters").compactMap { $0.string("title") } == ["b", "c", "a"])
      try context.save()
      try stack.elsewhere { other throws in
        #expect(other.same(book).list("chapters").compactMap { $0.string("title") } == ["b", "c", "a"])
      }
    }
  }

  @Test("Relationships without an inverse change one side only", arguments: StoreKind.withCustom)
  func withoutInverse(_ kind: StoreKind) throws {
    let (list, item) = (entity("List", [attribute("name")]), entity("Item", [attribute("name")]))
    relate(list, "first", .one, to: item)
    relate(list, "items", .many, to: item)
    relate(list, "ranking", .ordered, to: item)
    try withStack(kind, model([list, item])) { stack, context in
      let items = "abc".map { context.new("Item", ["name": String($0)]) }
      let one = context.new(
        "List",
        ["first": items[0], "items": Set(items), "ranking": NSOrderedSet(array: [items[2], items[0]])])
      // In a SQLite store a to-many without an inverse is a column of the destination, which one owner can have.
      let two = context.new("List", ["ranking": NSOrderedSet(array: [items[1]])])
      try context.save()
      #expect(items.allSatisfy { !$0.hasChanges })
      try stack.elsewhere { other throws in
        #expect(other.same(one).objects("items").count == 3)
        #expect(other.same(two).objects("items").isEmpty)
        #expect(other.same(two).list("ranking") == [other.same(items[1])])
        #expect(other.same(one).list("ranking").map { $0.string("name") } == ["c", "a"])
        #expect(other.same(one).object("first") === other.same(items[0]))
        other.same(one).mutableSetValue(forKey: "items").remove(other.same(items[1]))
        try other.save()
      }
      context.refreshAllObjects()
      #expect(one.objects("items") == [items[0], items[2]])
    }
  }

  @Test("An entity may be related to itself", arguments: StoreKind.withCustom)
  func reflexive(_ kind: StoreKind) throws {
    let node = entity("Node", [attribute("name")])
    join(
      relate(node, "children", .many, to: node, rule: .cascadeDeleteRule),
      relate(node, "parent", .one, to: node))
    let friends = relate(node, "friends", .many, to: node)
    friends.inverseRelationship = friends
    try withStack(kind, model([node])) { stack, context in
      let root = context.new("Node", ["name": "root"])
      let leaves = "ab".map { context.new("Node", ["name": String($0), "parent": root]) }
      leaves[0].mutableSetValue(forKey: "friends").add(leaves[1])
      #expect(leaves[1].objects("friends") == [leaves[0]])
      try context.save()
      try stack.elsewhere { other throws in
        #expect(other.same(root).objects("children").count == 2)
        #expect(other.same(leaves[1]).objects("friends") == [other.same(leaves[0])])
      }
      context.delete(root)
      try context.save()
      #expect(try context.all("Node").isEmpty)
    }
  }

  @Test("A relationship to an entity with subentities keeps the actual entity", arguments: StoreKind.withCustom)
  func polymorphic(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      context.new("Novel", ["author": author, "title": "Amerika"])
      context.new("Book", ["author": author, "title": "Essays"])
      context.new("Chapter", ["book": try context.only("Novel"), "title": "The Stoker"])
      try context.save()
      try stack.elsewhere { other throws in
        let chapter = try other.only("Chapter")
        #expect(chapter.object("book")?.entity.name == "Novel")
        #expect(chapter.object("book")?.object("author") === other.same(author))
        #expect(Set(other.same(author).objects("books").map { $0.entity.name }) == ["Novel", "Book"])
        #expect(try other.only("Novel").list("chapters") == [chapter])
      }
    }
  }

  @Test(
    "A destination in another context, or of another entity, is refused: thrown by the checked spelling, a trap else"
  )
  func refused() async throws {
    try withStack(.inMemory) { stack, context in
      let book = context.new("Book")
      try stack.elsewhere { other throws in
        let foreign = other.new("Author")
        #expect(failure { try book.setValue(foreign, checkedForKey: "author") } != nil)
      }
      let tag = context.new("Tag")
      #expect(failure { try book.setValue(tag, checkedForKey: "author") } != nil)
      #expect(failure { try book.setValue(Set([book]), checkedForKey: "tags") } != nil)
      #expect(book["author"] == nil)
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      try stack.context.performAndWait {
        let book = stack.context.new("Book")
        try stack.elsewhere { other throws in book["author"] = other.new("Author") }
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      words.contains(
        "Illegal attempt to establish a relationship \"author\" between objects in different contexts."))
  }

  @Test(
    "A change of the set counts as a change of both objects, and bumps the owner's version",
    arguments: StoreKind.withCustom)
  func versions(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (author, book) = (context.new("Author"), context.new("Book"))
      try context.save()
      book["author"] = author
      #expect(author.isUpdated && book.isUpdated)
      #expect(author.changedValues()["books"] as? NSSet == NSSet(array: [book]))
      #expect(context.updatedObjects == [author, book])
      try context.save()
      #expect(!author.hasChanges && !book.hasChanges)
    }
  }
}
