import Foundation
import Synchronization
import Testing

@testable import CoreData

/// A save names the keys of its new rows and takes them with the rows. Others may take the same ones first.
@Suite("Keys of new rows")
struct SavedKeyTests {
  private func maximum(_ stack: Stack, _ table: String) throws -> String? {
    try Connection(path: stack.url.path, options: Connection.Options())
      .rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = '\(table)'").first?[0]
  }

  /// A context over the same file that knows nothing of the stack's, as one of another process.
  private func withStranger<Result>(
    _ stack: Stack, _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url)
    let stranger = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    stranger.persistentStoreCoordinator = coordinator
    return try stranger.performAndWait { try body(stranger) }
  }

  @Test("A save writes its rows and raises Z_MAX in one transaction")
  func oneTransaction() throws {
    try withStack(.sqlite) { stack, context in
      context.new("Book", ["title": "first"])
      try context.save()
      let trace = StatementTrace(level: 1, isRecording: true)
      (stack.store as! SQLiteStore).pool.write { $0.trace = trace }
      let author = context.new("Author", ["name": "Kafka"])
      context.new("Book", ["title": "second", "author": author])
      try context.save()
      let words = trace.takeRecorded().map { String($0.prefix(while: { $0 != " " })) }
      #expect(words.count { $0 == "BEGIN" } == 1 && words.count { $0 == "COMMIT" } == 1, "\(words)")
      // One Z_MAX for each table, and one row in each. Authors are asked for once, before the transaction.
      #expect(words.count { $0 == "UPDATE" } == 2 && words.count { $0 == "INSERT" } == 2, "\(words)")
      #expect(words.first == "SELECT" && words[words.firstIndex(of: "BEGIN")!...].contains("SELECT") == false)
      #expect(try (maximum(stack, "Book"), maximum(stack, "Author")) == ("2", "1"))
    }
  }

  @Test("Keys that another process takes first are named anew, and all that leads to the new objects with them")
  func takenByOthers() throws {
    try withStack(.sqlite) { stack, context in
      context.new("Book", ["title": "0"])
      context.new("Author", ["name": "0"])
      context.new("Tag", ["name": "0"])
      try context.save()
      try withStranger(stack) { stranger in
        for round in 1...5 {
          let before = try #require(Int64(maximum(stack, "Book") ?? ""))
          for other in [context, stranger] {
            let (book, author, tag) = (other.new("Book"), other.new("Author"), other.new("Tag"))
            book["title"] = "\(round) \(other === context)"
            author["name"] = book["title"]
            tag["name"] = book["title"]
            book["author"] = author
            book["tags"] = Set([tag])
            try other.save()
            #expect(!book.objectID.isTemporaryID && book.objectID.key > before)
          }
          #expect(
            try [maximum(stack, "Book"), maximum(stack, "Author"), maximum(stack, "Tag")]
              == Array(repeating: "\(round * 2 + 1)", count: 3))
        }
      }
      context.forget()
      let books = try context.all("Book")
      #expect(books.count == 11)
      for book in books where book.string("title") != "0" {
        #expect((book["author"] as? NSManagedObject)?.string("name") == book.string("title"))
        #expect((book["tags"] as? Set<NSManagedObject>)?.map { $0.string("name") } == [book.string("title")])
      }
    }
  }

  @Test("A save that fails gives its keys back, whether a conflict or the file refuses it", arguments: [true, false])
  func givenBack(isConflict: Bool) throws {
    try withStack(.sqlite) { stack, context in
      let book = context.new("Book", ["title": "first"])
      try context.save()
      func execute(_ sql: String) throws {
        try Connection(path: stack.url.path, options: Connection.Options()).execute(sql)
      }
      if isConflict {
        // First mine: a fault would be filled from what they have saved.
        book["title"] = "mine"
        try stack.elsewhere { other in
          other.same(book)["title"] = "theirs"
          try other.save()
        }
      } else {
        try execute("CREATE TRIGGER no BEFORE INSERT ON ZBOOK BEGIN SELECT RAISE(ABORT, 'no'); END")
      }
      let new = context.new("Book", ["title": "second"])
      #expect(failure { try context.save() } != nil)
      #expect(new.objectID.isTemporaryID)
      #expect(try maximum(stack, "Book") == "1")
      if isConflict { context.refresh(book, mergeChanges: false) } else { try execute("DROP TRIGGER no") }
      try context.save()
      #expect(new.objectID.key == 2)
      #expect(try maximum(stack, "Book") == "2")
    }
  }

  @Test(
    "While a conflict is settled, a policy may ask for permanent ids, or save: no key is given twice",
    arguments: [true, false])
  func askedMeanwhile(saves: Bool) throws {
    try withStack(.sqlite) { stack, context in
      let book = context.new("Book", ["title": "first"])
      try context.save()
      book["title"] = "mine"
      try stack.elsewhere { other in
        other.same(book)["title"] = "theirs"
        try other.save()
      }
      let new = context.new("Book", ["title": "second"])
      var isAsked = false
      context.mergePolicy = AskingPolicy {
        if isAsked { return }
        isAsked = true
        if saves { try context.save() } else { try context.obtainPermanentIDs(for: [new]) }
      }
      try context.save()
      #expect(isAsked && !new.objectID.isTemporaryID)
      let third = context.new("Book", ["title": "third"])
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["mine", "second", "third"])
      #expect(try maximum(stack, "Book") == "\(third.objectID.key)")
    }
  }

  @Test("A program that saves one object after the other raises Z_MAX ahead, and closing the store sets it right")
  func aheadOfRows() throws {
    try withStack(.sqlite) { stack, context in
      for number in 1...40 {
        context.new("Book", ["title": "\(number)"])
        try context.save()
      }
      #expect(try maximum(stack, "Book") == "80")
      // Another process counts on from there, and both go on.
      try withStranger(stack) { stranger in
        let book = stranger.new("Book", ["title": "theirs"])
        try stranger.save()
        #expect(book.objectID.key == 81)
      }
      let last = context.new("Book", ["title": "41"])
      try context.save()
      #expect(last.objectID.key == 41)
      try stack.coordinator.remove(stack.store)
      #expect(try maximum(stack, "Book") == "81")
    }
    try withStack(.sqlite) { stack, context in
      for number in 1...40 {
        context.new("Book", ["title": "\(number)"])
        try context.save()
      }
      try stack.coordinator.remove(stack.store)
      #expect(try maximum(stack, "Book") == "40")
    }
  }

  @Test("Closing a store whose file another process writes, or that is gone, neither waits nor fails")
  func closingBesideOthers() throws {
    for isGone in [false, true] {
      try withStack(.sqlite) { stack, context in
        for number in 1...20 {
          context.new("Book", ["title": "\(number)"])
          try context.save()
        }
        let other = try Connection(path: stack.url.path, options: Connection.Options())
        if isGone { try FileManager.default.removeItem(at: stack.url) } else { try other.begin(.exclusive) }
        try stack.coordinator.remove(stack.store)
        #expect(FileManager.default.fileExists(atPath: stack.url.path) != isGone)
        if isGone { return }
        other.rollback()
        #expect(try maximum(stack, "Book") == "80")
      }
    }
  }

  @Test("Ids that were asked for before the save are reserved in the file, and stay with their objects")
  func reserved() throws {
    try withStack(.sqlite) { stack, context in
      context.new("Book", ["title": "first"])
      try context.save()
      let reserved = context.new("Book", ["title": "reserved"])
      try context.obtainPermanentIDs(for: [reserved])
      #expect(reserved.objectID.key == 2)
      #expect(try maximum(stack, "Book") == "2")
      let named = context.new("Book", ["title": "named"])
      try withStranger(stack) { stranger in
        let book = stranger.new("Book", ["title": "theirs"])
        try stranger.save()
        #expect(book.objectID.key == 3)
      }
      try context.save()
      #expect(reserved.objectID.key == 2 && named.objectID.key == 4)
      // What was reserved and not saved leaves a gap.
      let lost = context.new("Book", ["title": "lost"])
      try context.obtainPermanentIDs(for: [lost])
      context.rollback()
      let last = context.new("Book", ["title": "last"])
      try context.save()
      #expect(last.objectID.key == 6)
    }
  }

  @Test("Threads and strangers that insert at once give every row a key of its own, and none is lost")
  func crowd() throws {
    try withStack(.sqlite) { stack, _ in
      let other = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
      try other.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url)
      let third = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
      try third.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url)
      nonisolated(unsafe) let coordinators = [stack.coordinator, other, third]
      let errors = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 6) { thread in
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinators[thread % 3]
        context.performAndWait {
          for round in 0..<40 {
            let title = "\(thread) \(round)"
            let author = context.new("Author", ["name": title])
            for _ in 0..<(round % 3 + 1) { context.new("Book", ["title": title, "author": author]) }
            if round % 7 == 3 { _ = failure { try context.obtainPermanentIDs(for: [author]) } }
            if let error = failure({ try context.save() }) { errors.withLock { $0.append("\(error)") } }
          }
        }
      }
      #expect(errors.withLock { $0 } == [])
      try stack.elsewhere { context in
        let books = try context.all("Book")
        #expect(books.count == 6 * (0..<40).reduce(0) { $0 + $1 % 3 + 1 })
        #expect(try context.all("Author").count == 240)
        #expect(books.allSatisfy { ($0["author"] as? NSManagedObject)?.string("name") == $0.string("title") })
        // Each of the three coordinators may have taken keys ahead.
        let last = books.map(\.objectID.key).max()!
        let maximum = try #require(Int64(maximum(stack, "Book") ?? ""))
        #expect(last <= maximum && maximum <= last + 3 * 63)
      }
    }
  }

  /// A policy that claims to have settled everything, and has done nothing.
  private final class IdlePolicy: NSMergePolicy {
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {}
  }

  @Test("A save that gives up because its conflicts stay gives its keys back, and the next one raises Z_MAX")
  func neverSettled() throws {
    try withStack(.sqlite) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      book.read()
      try stack.elsewhere { other in
        other.same(book)["title"] = "theirs"
        try other.save()
      }
      book["title"] = "mine"
      context.new("Book", ["title": "new"])
      context.mergePolicy = IdlePolicy(merge: .overwriteMergePolicyType)
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
      context.mergePolicy = NSMergePolicy.overwrite
      try context.save()
      #expect(try maximum(stack, "Book") == "2")
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["mine", "new"])
    }
  }
}

/// A policy that runs some code before it lets the object win.
private final class AskingPolicy: NSMergePolicy, @unchecked Sendable {
  private let code: () throws -> Void

  init(_ code: @escaping () throws -> Void) {
    self.code = code
    super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
  }

  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    try code()
    try super.resolve(optimisticLockingConflicts: list)
  }
}
