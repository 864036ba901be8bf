import CoreData
import Testing

@Suite("What logs show of objects")
struct ObjectDescriptionTests {
  /// Two people who are each other's friend by to-ones, and a club with both in a set and in an order.
  private func circle() -> NSManagedObjectModel {
    let person = entity("Person", [attribute("name"), attribute("code", optional: false)])
    let club = entity("Club", [attribute("name")])
    join(relate(person, "admires", .one, to: person), relate(person, "admirer", .one, to: person))
    join(relate(club, "members", .many, to: person), relate(person, "club", .one, to: club))
    join(relate(club, "board", .ordered, to: person), relate(person, "chairs", .one, to: club))
    return model([person, club])
  }

  @Test("Objects that lead to each other are printed with each other's ids", keepsRows, arguments: StoreKind.allCases)
  func cycle(_ kind: StoreKind) throws {
    try withStack(kind, circle()) { _, context in
      let a = context.new("Person", ["name": "A", "code": "1"])
      let b = context.new("Person", ["name": "B", "code": "2", "admires": a])
      a["admires"] = b
      let club = context.new("Club", ["name": "C", "members": Set([a, b]), "board": NSOrderedSet(array: [b, a])])
      for round in 0..<3 {
        let (text, debugText) = (a.description, a.debugDescription)
        #expect(text == debugText)
        #expect(text.contains("admires = \"\(b.objectID)\";") && text.contains("admirer = \"\(b.objectID)\";"))
        #expect(text.contains("club = \"\(club.objectID)\";") && text.contains("name = A;"))
        #expect(text.components(separatedBy: "name = ").count == 2, "No other object's values: \(text)")
        #expect(club.description.contains("members = (\"\(a.objectID)\", \"\(b.objectID)\");"), "\(club)")
        #expect(club.description.contains("board = (\"\(b.objectID)\", \"\(a.objectID)\");"), "\(club)")
        if round == 0 { try context.save() }
        if round == 1 {
          context.refreshAllObjects()
          #expect(a.description.contains("data: <fault>") && a.isFault)
          a.read()
          club.read()
          #expect(club.description.contains("members = \"<relationship fault>\";"))
          _ = (club.objects("members"), club.list("board"))
        }
      }
    }
  }

  @Test("Printing looks for no destination", arguments: StoreKind.allCases)
  func noFault(_ kind: StoreKind) throws {
    try withStack(kind, circle()) { stack, context in
      let a = context.new("Person", ["name": "A", "code": "1"])
      a["admires"] = context.new("Person", ["name": "B", "code": "2"])
      try context.save()
      let other = stack.newContext()
      try other.performAndWait {
        let mine = try #require(try other.all("Person").first { $0.string("name") == "A" })
        let count = other.registeredObjects.count
        #expect(mine.description.contains("admires = \"<x-coredata://"))
        #expect(other.registeredObjects.count == count)
      }
    }
  }

  @Test("A validation error of objects that lead to each other is printed", arguments: StoreKind.allCases)
  func validation(_ kind: StoreKind) throws {
    try withStack(kind, circle()) { _, context in
      let a = context.new("Person", ["name": "A"])
      let b = context.new("Person", ["name": "B", "admires": a])
      a["admires"] = b
      let club = context.new("Club", ["members": Set([a, b])])
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSValidationMultipleErrorsError)
      #expect("\(error)".contains("code"))
      let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
      #expect(details.allSatisfy { "\($0)".contains("admires = ") })
      #expect("\(club.objects("members"))".contains("name = A"))
    }
  }

  @Test("Snapshots of a conflict are printed in the order of their names, destinations as ids")
  func conflict() throws {
    try withStack(.inMemory) { stack, context in
      let author = context.new("Author", ["name": "A"])
      let book = context.new("Book", ["title": "T", "author": author, "isbn": "1", "pages": 7])
      try context.save()
      book.read()
      try stack.elsewhere { other in
        other.same(book)["title"] = "other"
        try other.save()
      }
      book["title"] = "mine"
      let error = try #require(failure { try context.save() })
      let conflict = try #require((error.userInfo["conflictList"] as? [NSMergeConflict])?.first)
      let text = conflict.description
      #expect(text.contains("{author = \(author.objectID); isbn = 1; pages = 7; title = T}"), "\(text)")
      #expect(text.contains("{author = \(author.objectID); isbn = 1; pages = 7; title = other}"), "\(text)")
      #expect("\(error)".contains("NSMergeConflict for Book"))
    }
  }
}
