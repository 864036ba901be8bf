import TestDice
import Testing

@testable import CoreData

/// A list and the objects that its context has never seen, until another context's save makes them belong in it.
@Suite("Fetched results and what other contexts change")
struct FetchedResultsNewcomerTests {
  /// Short books, in a context that has fetched nothing else; and others, in the store alone.
  private func withList(
    _ kind: StoreKind, _ body: (Stack, NSManagedObjectContext, ListScreen) throws -> Void
  ) throws {
    let stack = try Stack(kind)
    try stack.elsewhere { other in
      for (title, pages) in [("a", 10), ("b", 200), ("c", 300)] {
        other.new("Book", ["title": title, "pages": pages])
      }
      other.new("Author", ["name": "A"])
      try other.save()
    }
    let context = stack.context
    let screen = try context.performAndWait {
      try ListScreen(context, predicate: NSPredicate(format: "pages < 100"))
    }
    #expect(context.performAndWait { screen.text } == "a")
    try body(stack, context, screen)
  }

  /// Changes all books with a title in another context, and returns what its save told.
  private func change(_ title: String, _ pages: Int, _ stack: Stack, ids: Bool = false) throws -> Notification {
    try stack.elsewhere { other in
      var told: Notification?
      let name: Notification.Name = ids ? .NSManagedObjectContextDidSaveObjectIDs : .NSManagedObjectContextDidSave
      let observer = NotificationCenter.default.addObserver(forName: name, object: other, queue: nil) { told = $0 }
      defer { NotificationCenter.default.removeObserver(observer) }
      for book in try other.all("Book") where book.string("title") == title { book["pages"] = pages }
      try other.save()
      return try #require(told)
    }
  }

  @Test("A context that merges by itself gets the object that belongs in its list now", arguments: StoreKind.allCases)
  func automatic(_ kind: StoreKind) throws {
    try withList(kind) { stack, context, screen in
      context.automaticallyMergesChangesFromParent = true
      _ = try change("b", 20, stack)
      context.performAndWait {
        #expect(screen.text == "a b")
        #expect(screen.told == ["will", "insert b - 0.1", "did"])
      }
      _ = try change("b", 500, stack)
      context.performAndWait { #expect(screen.text == "a") }
    }
  }

  @Test(
    "So does one that merges a save by hand, from its objects or its ids, or from ids of a batch or another process",
    arguments: StoreKind.allCases)
  func byHand(_ kind: StoreKind) throws {
    try withList(kind) { stack, context, screen in
      let first = try change("b", 20, stack)
      context.performAndWait {
        context.mergeChanges(fromContextDidSave: first)
        #expect(screen.text == "a b")
      }
      let second = try change("c", 30, stack, ids: true)
      context.performAndWait {
        context.mergeChanges(fromContextDidSave: second)
        #expect(screen.text == "a b c")
      }
      // What a batch request or another process did comes as ids, or as their URIs.
      try stack.elsewhere { other in
        other.new("Book", ["title": "d", "pages": 900])
        try other.save()
      }
      let third = try change("d", 40, stack, ids: true)
      let uris = (third.userInfo![NSUpdatedObjectIDsKey] as! Set<NSManagedObjectID>).map { $0.uriRepresentation() }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectIDsKey: uris], into: [context])
      #expect(context.performAndWait { screen.text } == "a b c d")
    }
  }

  @Test("A child's list gets what its parent has merged", arguments: StoreKind.allCases)
  func child(_ kind: StoreKind) throws {
    try withList(kind) { stack, context, _ in
      context.automaticallyMergesChangesFromParent = true
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      child.automaticallyMergesChangesFromParent = true
      let screen = try child.performAndWait { try ListScreen(child, predicate: NSPredicate(format: "pages < 100")) }
      _ = try change("c", 30, stack)
      context.performAndWait {}
      child.performAndWait { #expect(screen.text == "a c") }
    }
  }

  @Test("What no list could take does not come in", arguments: StoreKind.allCases)
  func others(_ kind: StoreKind) throws {
    try withList(kind) { stack, context, screen in
      let author = try stack.elsewhere { other in
        var told: Notification?
        let observer = NotificationCenter.default.addObserver(
          forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { told = $0 }
        defer { NotificationCenter.default.removeObserver(observer) }
        try other.only("Author")["name"] = "B"
        try other.save()
        return try #require(told)
      }
      let log = NotificationLog(context)
      let before = context.performAndWait { context.registeredObjects }
      context.performAndWait { context.mergeChanges(fromContextDidSave: author) }
      #expect(context.performAndWait { context.registeredObjects } == before)
      #expect(log.all.isEmpty)
      // Nor does anything without a list that follows.
      screen.controller.delegate = nil
      let book = try change("b", 20, stack)
      context.performAndWait { context.mergeChanges(fromContextDidSave: book) }
      #expect(context.performAndWait { context.registeredObjects } == before)
    }
  }

  @Test("After each of 150 saves elsewhere a list is what a fetch finds", arguments: StoreKind.allCases, [true, false])
  func random(_ kind: StoreKind, _ automatic: Bool) throws {
    try withList(kind) { stack, context, _ in
      context.automaticallyMergesChangesFromParent = automatic
      let sorted = try context.performAndWait {
        try ListScreen(
          context, by: ["pages", "title"], predicate: NSPredicate(format: "pages < 50 AND title != 'x'"))
      }
      let sectioned = try context.performAndWait {
        try ListScreen(
          context, by: ["isbn", "pages", "title"], sections: "isbn", predicate: NSPredicate(format: "pages < 50"))
      }
      var dice = Dice(state: 17)
      for step in 0..<150 {
        let told = try stack.elsewhere { other in
          var told: Notification?
          let observer = NotificationCenter.default.addObserver(
            forName: step % 2 == 0 ? .NSManagedObjectContextDidSave : .NSManagedObjectContextDidSaveObjectIDs,
            object: other, queue: nil
          ) { told = $0 }
          defer { NotificationCenter.default.removeObserver(observer) }
          let books = try other.all("Book").sorted { $0.objectID.key < $1.objectID.key }
          for _ in 0...dice.roll(3) {
            switch dice.roll(6) {
            case 0: other.new("Novel", ["title": "n\(step)", "pages": dice.roll(100), "isbn": "\(dice.roll(3))"])
            case 1: other.new("Book", ["title": "b\(step)", "pages": dice.roll(100), "isbn": "\(dice.roll(3))"])
            case 2 where books.count > 5: other.delete(books[dice.roll(books.count)])
            case 3: books[dice.roll(books.count)]["title"] = dice.roll(2) == 0 ? "x" : "t\(step)"
            case 4: books[dice.roll(books.count)]["isbn"] = "\(dice.roll(3))"
            default: books[dice.roll(books.count)]["pages"] = dice.roll(100)
            }
          }
          try other.save()
          return told
        }
        try context.performAndWait {
          if !automatic, let told { context.mergeChanges(fromContextDidSave: told) }
          for screen in [sorted, sectioned] {
            let found = try context.fetch(screen.controller.fetchRequest)
            let listed = screen.shown.flatMap(\.objects)
            #expect(Set(listed) == Set(found) && listed.count == found.count, "after save \(step)")
          }
          let pages = sorted.shown[0].objects.map { $0.int("pages")! }
          #expect(pages == pages.sorted())
        }
      }
    }
  }

  @Test(
    "An object that came over a relationship before its insertion was merged is listed", arguments: StoreKind.allCases)
  func early(_ kind: StoreKind) throws {
    try withList(kind) { stack, context, screen in
      let told = try stack.elsewhere { other in
        var told: Notification?
        let observer = NotificationCenter.default.addObserver(
          forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { told = $0 }
        defer { NotificationCenter.default.removeObserver(observer) }
        other.new("Book", ["title": "d", "pages": 1, "author": try other.only("Author")])
        try other.save()
        return try #require(told)
      }
      try context.performAndWait {
        let book = try #require(context.only("Author").objects("books").first)
        #expect(book.string("title") == "d")
        context.mergeChanges(fromContextDidSave: told)
        #expect(screen.text == "a d")
      }
    }
  }

  @Test("The order may be left to the store: what comes is at the end", arguments: StoreKind.allCases)
  func unordered(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for title in ["b", "a"] { context.new("Book", ["title": title]) }
      try context.save()
      let screen = try ListScreen(context, by: [])
      let was = screen.shown[0].objects
      #expect(Set(was.map { $0.string("title") }) == ["a", "b"])
      context.new("Book", ["title": "0"])
      context.processPendingChanges()
      #expect(screen.shown[0].objects.dropLast() == was[...] && screen.shown[0].objects.last?.string("title") == "0")
      context.delete(was[0])
      was[1]["title"] = "z"
      context.processPendingChanges()
      #expect(screen.text == "z 0")
    }
  }

  /// Notes how many objects a section that goes has.
  private final class SectionCounts: NSObject, NSFetchedResultsControllerDelegate {
    var deleted: [Int] = []
    var inserted: [Int] = []
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
      for type: NSFetchedResultsChangeType
    ) {
      #expect(sectionInfo.objects?.count == sectionInfo.numberOfObjects)
      if type == .delete { deleted.append(sectionInfo.numberOfObjects) }
      if type == .insert { inserted.append(sectionInfo.numberOfObjects) }
    }
  }

  @Test("A section that is told as deleted has no objects", arguments: StoreKind.allCases)
  func deletedSections(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "a", "isbn": "1"])
      context.new("Book", ["title": "b", "isbn": "2"])
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "isbn", cacheName: nil)
      let counts = SectionCounts()
      controller.delegate = counts
      try controller.performFetch()
      book["isbn"] = "3"
      context.processPendingChanges()
      context.delete(book)
      context.processPendingChanges()
      #expect(counts.deleted == [0, 0] && counts.inserted == [1])
    }
  }

  @Test(
    "A list of a new author's books goes on after the save, in which the author gets another id",
    arguments: StoreKind.allCases)
  func savedMeanwhile(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let context = stack.context
    try context.performAndWait {
      let author = context.new("Author", ["name": "A"])
      let lists = try ["author == %@", "author IN %@"].map { format in
        let argument: Any = format.contains("IN") ? [author] : author
        return try ListScreen(context, predicate: NSPredicate(format: format, argumentArray: [argument]))
      }
      let book = context.new("Book", ["title": "a", "author": author])
      try context.save()
      for screen in lists { #expect(screen.text == "a") }
      book["pages"] = 5
      context.processPendingChanges()
      context.new("Book", ["title": "b", "author": author])
      context.processPendingChanges()
      for screen in lists { #expect(screen.text == "a b") }
      book["author"] = nil
      try context.save()
      for screen in lists { #expect(screen.text == "b") }
    }
  }
}
