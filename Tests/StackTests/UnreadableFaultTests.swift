import Foundation
import Synchronization
import Testing

@testable import CoreData

/// Here a store can't be read because another program has put its tables out of the way.
@Suite("Faults that can't be read")
struct UnreadableFaultTests {
  /// What a handler was asked, and what it does about it. A handler may be called on any queue.
  private final class Questions: Sendable {
    typealias Answer = NSManagedObjectContext.UnreadableFaultAnswer

    private let asked = Mutex<[(id: NSManagedObjectID, error: String)]>([])
    private let answer: @Sendable (Int) -> Answer

    /// - Parameter answer: is given the number of questions before.
    init(_ answer: @escaping @Sendable (Int) -> Answer) { self.answer = answer }

    var ids: [NSManagedObjectID] { asked.withLock { $0.map(\.id) } }
    var errors: [String] { asked.withLock { $0.map(\.error) } }

    func handler(_ id: NSManagedObjectID, _ error: any Error) -> Answer {
      let number = asked.withLock { asked in
        asked.append((id, error.localizedDescription))
        return asked.count - 1
      }
      return answer(number)
    }
  }

  /// Puts a table out of the way, or back.
  private static func rename(_ table: String, to name: String, in url: URL) throws {
    _ = try Connection(path: url.path, options: Connection.Options()).rows("ALTER TABLE \(table) RENAME TO \(name)")
  }

  /// A save ends the transactions of those who have read: what comes after it sees what others have done.
  private static func endReading(in stack: Stack) throws {
    try stack.elsewhere { other in
      other.new("Passport")
      try other.save()
    }
  }

  /// A book with an author and a tag, in a store that was opened again, so that nothing of it is in memory.
  private func withBook(
    _ body: (Stack, NSManagedObjectContext, NSManagedObject) throws -> Void
  ) throws {
    let folder = StoreFolder()
    let url = folder.file("Shelf")
    let id = try Stack(.sqlite, at: folder.file("Made")).elsewhere { other in
      let book = other.new("Book", ["title": "Amerika", "pages": 3])
      book["author"] = other.new("Author", ["name": "Kafka"])
      book["tags"] = NSSet(object: other.new("Tag", ["name": "Novel"]))
      try other.save()
      try other.persistentStoreCoordinator!.replacePersistentStore(
        at: url, withPersistentStoreFrom: folder.file("Made"), type: .sqlite)
      return book.objectID.uriRepresentation()
    }
    let stack = try Stack(.sqlite, at: url)
    try stack.context.performAndWait {
      let id = try #require(stack.coordinator.managedObjectID(forURIRepresentation: id))
      // What another program does to the tables is seen at once.
      stack.context.stalenessInterval = 0
      try body(stack, stack.context, stack.context.object(with: id))
    }
  }

  @Test("A handler that answers retry gets the value as soon as the store can be read")
  func retry() throws {
    try withBook { stack, context, book in
      try Self.rename("ZBOOK", to: "AWAY", in: stack.url)
      let url = stack.url
      let questions = Questions { number in
        if number == 2 { try? Self.rename("AWAY", to: "ZBOOK", in: url) }
        return .retry
      }
      context.unreadableFaultHandler = questions.handler
      #expect(book.string("title") == "Amerika")
      #expect(questions.ids == [book.objectID, book.objectID, book.objectID])
      #expect(questions.errors.allSatisfy { $0.contains("ZBOOK") }, "\(questions.errors)")
      #expect(!book.isFault && !book.hasChanges)
    }
  }

  @Test("A kept fault reads as empty, is not deleted, and is read as soon as the store can be")
  func kept() throws {
    try withBook { stack, context, book in
      try Self.rename("ZBOOK", to: "AWAY", in: stack.url)
      let questions = Questions { _ in .keepFault }
      context.unreadableFaultHandler = questions.handler
      #expect(book.string("title") == nil && book["pages"] == nil && book["author"] == nil)
      #expect(book.storedOptionalInteger(ManagedKey("pages")) == nil)
      #expect(book.isFault && !book.isDeleted && !book.isUpdated && !context.hasChanges)
      #expect(questions.ids.count == 4)
      try context.save()
      try Self.rename("AWAY", to: "ZBOOK", in: stack.url)
      #expect(book.string("title") == "Amerika" && book.object("author")?.string("name") == "Kafka")
    }
  }

  @Test("Members that can't be read are none, and are there as soon as the store can be read")
  func members() throws {
    try withBook { stack, context, book in
      #expect(book.string("title") == "Amerika")
      try Self.rename("Z_2TAGS", to: "AWAY", in: stack.url)
      try Self.endReading(in: stack)
      let questions = Questions { _ in .keepFault }
      context.unreadableFaultHandler = questions.handler
      #expect((book["tags"] as? NSSet)?.count == 0 && book.objectIDs(forRelationshipNamed: "tags").isEmpty)
      #expect(questions.ids == [book.objectID, book.objectID])
      #expect(book.hasFault(forRelationshipNamed: "tags"))
      try Self.rename("AWAY", to: "Z_2TAGS", in: stack.url)
      #expect((book["tags"] as? NSSet)?.count == 1)
    }
  }

  @Test("fulfil throws the store's error; afterwards nothing is asked, neither for rows nor for members")
  func fulfil() throws {
    try withBook { stack, context, book in
      try Self.rename("ZBOOK", to: "AWAY", in: stack.url)
      let questions = Questions { _ in .keepFault }
      context.unreadableFaultHandler = questions.handler
      #expect(failure { try context.fulfil([book]) }?.localizedDescription.contains("ZBOOK") == true)
      #expect(book.isFault && questions.ids.isEmpty)
      try Self.rename("AWAY", to: "ZBOOK", in: stack.url)
      try context.fulfil([book], relationshipKeyPaths: ["author", "tags"])
      #expect(!book.isFault)
      for table in ["ZBOOK", "ZAUTHOR", "ZTAG", "Z_2TAGS"] {
        try Self.rename(table, to: "AWAY\(table)", in: stack.url)
      }
      #expect(book.string("title") == "Amerika" && book.object("author")?.string("name") == "Kafka")
      #expect((book["tags"] as? Set<NSManagedObject>)?.first?.string("name") == "Novel")
      #expect(questions.ids.isEmpty)
    }
  }

  @Test("fulfil reads many faults, and is error 133000 for a row that is gone", arguments: StoreKind.allCases)
  func fulfilGone(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let ids = try stack.elsewhere { other in
        let tags = (0..<100).map { other.new("Tag", ["name": "\($0)"]) }
        try other.save()
        return tags.map(\.objectID)
      }
      let tags = ids.map { context.object(with: $0) }
      try context.fulfil(tags)
      #expect(tags.allSatisfy { !$0.isFault })
      try context.fulfil(tags)
      context.refreshAllObjects()
      try stack.elsewhere { other in
        other.delete(other.object(with: ids[50]))
        try other.save()
      }
      #expect(failure { try context.fulfil(tags) }?.code == NSManagedObjectReferentialIntegrityError)
      #expect(!tags[50].isDeleted)
    }
  }

  @Test("A child without a handler asks its parent's")
  func child() throws {
    try withBook { stack, context, book in
      try Self.rename("ZBOOK", to: "AWAY", in: stack.url)
      let questions = Questions { _ in .keepFault }
      context.unreadableFaultHandler = questions.handler
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait {
        let mine = child.object(with: book.objectID)
        #expect(mine.string("title") == nil && mine.isFault && !mine.isDeleted)
        #expect(questions.ids.count == 1)
        try Self.rename("AWAY", to: "ZBOOK", in: stack.url)
        #expect(mine.string("title") == "Amerika")
      }
    }
  }

  @Test("With a handler, the error of a store by another author is no deletion either")
  func customStore() throws {
    try withStack(.dictionary) { stack, context in
      context.new("Tag", ["name": "a"])
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.includesPropertyValues = false
      let tag = try #require(try context.fetch(request).first)
      let questions = Questions { _ in .retry }
      context.unreadableFaultHandler = questions.handler
      context.refresh(tag, mergeChanges: false)
      DictionaryServer.at(stack.url).refuse("values", with: NSError(domain: "Network", code: 60))
      #expect(tag.string("name") == "a")
      #expect(questions.ids.count == 1 && !tag.isDeleted)
    }
  }

  // What ends the program.

  private func words(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test("Without a handler the report names the error and the ways out")
  func stop() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try UnreadableFaultTests().withBook { stack, context, book in
        try UnreadableFaultTests.rename("ZBOOK", to: "AWAY", in: stack.url)
        _ = book.string("title")
      }
    }
    let words = words(result)
    #expect(words.contains(" could not be read.\n  Error: "))
    #expect(words.contains("fulfil(_:)") && words.contains("unreadableFaultHandler"))
  }

  @Test("A change of what could not be read ends the program, since it could not be saved", arguments: [false, true])
  func change(ofMembers: Bool) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [ofMembers = ofMembers as Bool] in
      try UnreadableFaultTests().withBook { stack, context, book in
        // Whether a new tag is a member needs no reading.
        let tag = context.new("Tag")
        try context.save()
        context.refreshAllObjects()
        if ofMembers { _ = book.string("title") }
        try UnreadableFaultTests.rename(ofMembers ? "Z_2TAGS" : "ZBOOK", to: "AWAY", in: stack.url)
        context.unreadableFaultHandler = { _, _ in .keepFault }
        try UnreadableFaultTests.endReading(in: stack)
        if ofMembers {
          book.mutableSetValue(forKey: "tags").add(tag)
        } else {
          book["title"] = "Other"
        }
      }
    }
    #expect(words(result).contains("could not be read, and the object is to be changed."))
  }

  @Test("A change of the other side of a one-to-one relationship needs what could not be read, too")
  func otherSide() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try UnreadableFaultTests().withBook { stack, context, _ in
        let (passport, holder) = (context.new("Passport"), context.new("Author"))
        passport["holder"] = context.new("Author")
        try context.save()
        context.refreshAllObjects()
        try UnreadableFaultTests.rename("ZPASSPORT", to: "AWAY", in: stack.url)
        context.unreadableFaultHandler = { _, _ in .keepFault }
        try stack.elsewhere { other in
          other.new("Tag")
          try other.save()
        }
        // The former holder would have to be told.
        holder["passport"] = passport
      }
    }
    #expect(words(result).contains("could not be read, and the object is to be changed."))
  }
}
