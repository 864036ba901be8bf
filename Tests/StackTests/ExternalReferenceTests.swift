import Foundation
import Testing

@testable import CoreData

@Suite("References to files of long values")
struct ExternalReferenceTests {
  private let covers = Covers()

  @Test(
    "Without its file an object has everything but the value, which is nil, and an error where errors can be thrown")
  func missing() throws {
    try covers.fill(1, 2)
    let file = try covers.lose("1")
    try covers.open { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "title < '9' AND cover != nil")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      #expect(try context.fetch(request).map { $0.string("title") } == ["1", "2"])
      context.forget()
      let book = try context.book("1")
      #expect(book.string("title") == "1" && book["cover"] == nil)
      #expect(try context.book("2").cover == 2)
      let error = failure { _ = try book.value(checkedForKey: "cover") }
      #expect(error?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
      #expect(
        error?.localizedDescription
          == "Book.cover of the store \(covers.url.path) is kept in the file \(file.path), which "
          + "does not exist. Put the file back, or set the property again.")
      #expect(error?.userInfo[NSFilePathErrorKey] as? String == file.path)
      for format in ["cover == %@", "cover.length > 5 OR cover == %@"] {
        request.predicate = NSPredicate(format: format, Data([1]) as NSData)
        #expect(failure { _ = try context.fetch(request) }?.localizedDescription == error?.localizedDescription)
      }
      let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
      dictionaries.resultType = .dictionaryResultType
      dictionaries.propertiesToFetch = ["cover"]
      #expect(failure { _ = try context.fetch(dictionaries) }?.localizedDescription == error?.localizedDescription)
    }
  }

  @Test("A store without its files can be listed, changed, repaired and emptied")
  func repairing() throws {
    try covers.fill(1, 2, 3)
    for title in ["1", "2", "3"] { try covers.lose(title) }
    let column = try covers.column("1")
    try covers.open { context in
      let books = [try context.book("1"), try context.book("2"), try context.book("3")]
      books[0]["title"] = "one"
      books[1]["cover"] = Covers.cover(9)
      context.delete(books[2])
      try context.save()
      #expect(books[1].cover == 9)
    }
    #expect(try covers.column("one") == column)
    #expect(try covers.open { try $0.strings("Book", "title") } == ["2", "one"])
    #expect(try covers.open { try $0.book("2").cover } == 9)
    #expect(covers.names.count == 1)
    try FileManager.default.removeItem(at: covers.files.support)
    try covers.open { context in
      let all = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book"))
      _ = try context.execute(all)
      #expect(try context.all("Book").isEmpty)
    }
  }

  @Test("No fetch, no fault and no save of other properties opens a file")
  func lazy() throws {
    try covers.open { context in
      for number in 0..<300 { context.new("Book", ["title": "book \(number)"]) }
      try context.save()
    }
    try covers.fill(1)
    // All books have the same file, a pipe: to open it would be to wait for ever, and to read it an error.
    let name = try #require(try covers.column("1"))
    try covers.sql("UPDATE ZBOOK SET ZCOVER = (SELECT ZCOVER FROM ZBOOK WHERE ZCOVER NOT NULL)")
    try FileManager.default.removeItem(at: covers.files.file(name))
    #expect(mkfifo(covers.files.file(name).path, 0o600) == 0)
    try covers.open { context in
      let books = try context.all("Book")
      #expect(books.filter { $0.string("title") != nil }.count == 301)
      for book in books { book["title"] = "x" }
      try context.save()
      context.forget()
      #expect(books[7].string("title") == "x")
      let error = failure { _ = try books[7].value(checkedForKey: "cover") }
      #expect(error?.localizedDescription.contains("not a regular file and was not opened") == true)
      #expect(try context.all("Book").allSatisfy { !$0.description.isEmpty })
    }
    unlink(covers.files.file(name).path)
    #expect(
      try covers.sql("SELECT DISTINCT CAST(SUBSTR(ZCOVER, 2, 36) AS TEXT), Z_OPT FROM ZBOOK").map { $0[0] } == [name])
  }

  @Test("A fetch needs no file, though another context has the value itself in its row", keepsRows)
  func valueAtHand() throws {
    let coordinator = try covers.coordinator()
    let (first, second) = (coordinator.newContext(), coordinator.newContext())
    try first.performAndWait {
      let book = first.new("Book", ["title": "1", "cover": Covers.cover(1)])
      try first.save()
      try covers.lose("1")
      try second.performAndWait {
        let other = try second.book("1")
        let error = failure { _ = try other.value(checkedForKey: "cover") }
        #expect(other.string("title") == "1" && error?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
      }
      #expect(book.cover == 1)
    }
  }

  @Test("A value that is set to what it was leaves the file alone, and conflicts compare what is in the files")
  func equality() throws {
    try covers.fill(1)
    let column = try covers.column("1")
    let coordinator = try covers.coordinator()
    let (first, second) = (coordinator.newContext(), coordinator.newContext())
    first.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    try first.performAndWait {
      let book = try first.book("1")
      book["cover"] = Covers.cover(1)
      try first.save()
      #expect(try covers.column("1") == column)
      // From here on the first context's row has the bytes, and the file's has a reference.
      book["cover"] = Covers.cover(2)
      try first.save()
      try second.performAndWait {
        try second.book("1")["title"] = "two"
        try second.save()
      }
      book["cover"] = Covers.cover(3)
      try first.save()
      #expect(book.string("title") == "two" && book.cover == 3)
    }
    #expect(try covers.open { try $0.book("two").cover } == 3)
  }

  @Test("An overwriting save keeps the reference where the store's row has the same one")
  func overwriting() throws {
    try covers.fill(1)
    let column = try covers.column("1")
    let coordinator = try covers.coordinator()
    let (first, second) = (coordinator.newContext(), coordinator.newContext())
    first.mergePolicy = NSMergePolicy.overwrite
    try first.performAndWait {
      let book = try first.book("1")
      book.read()
      try second.performAndWait {
        try second.book("1")["title"] = "theirs"
        try second.save()
      }
      book["title"] = "ours"
      try first.save()
      #expect(book.cover == 1)
    }
    #expect(try covers.column("ours") == column)
  }

  @Test("Undo brings back a value whose file a save has replaced, and an object whose file a save has removed")
  func undo() throws {
    try covers.fill(1, 2)
    try covers.open { context in
      context.undoManager = UndoManager()
      let (changed, deleted) = (try context.book("1"), try context.book("2"))
      changed["cover"] = Covers.cover(8)
      context.delete(deleted)
      try context.save()
      Covers.settle()
      context.undoManager?.undo()
      #expect(changed.cover == 1)
      try context.save()
    }
    #expect(try covers.open { [try $0.book("1").cover, try $0.book("2").cover] } == [1, 2])
    #expect(covers.names.count == 2)
  }

  @Test("A child context passes references on, and its parent saves what it set")
  func children() throws {
    try covers.fill(1, 2)
    let column = try covers.column("1")
    try covers.open { parent in
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = parent
      parent.processPendingChanges()
      let books = (try parent.book("1").objectID, try parent.book("2").objectID)
      try child.performAndWait {
        let (first, second) = (child.object(with: books.0), child.object(with: books.1))
        #expect(first.cover == 1)
        first["title"] = "one"
        second["cover"] = Covers.cover(7)
        try child.save()
        #expect(first.cover == 1)
      }
      try parent.save()
    }
    #expect(try covers.column("one") == column)
    #expect(try covers.open { [try $0.book("one").cover, try $0.book("2").cover] } == [1, 7])
  }

  @Test(
    "A store of another type gets the values themselves; one that is missing is an error, and nothing is made",
    arguments: [StoreKind.xml, .binary, .inMemory])
  func otherTypes(_ kind: StoreKind) throws {
    try covers.fill(1, 2)
    func migrate(_ name: String) throws -> [UInt8?] {
      let coordinator = try covers.coordinator()
      try coordinator.migratePersistentStore(
        coordinator.persistentStores[0], to: covers.folder.file(name), type: .init(rawValue: kind.type))
      let context = coordinator.newContext()
      return try context.performAndWait { [try context.book("1").cover, try context.book("2").cover] }
    }
    #expect(try migrate("whole") == [1, 2])
    try covers.lose("2")
    let error = failure { _ = try migrate("broken") }
    #expect(error?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
    #expect(error?.localizedDescription.hasPrefix("Book.cover of the store") == true)
    #expect(!covers.folder.names.contains("broken"))
  }

  @Test("Replacing a store by one that lacks a file copies what there is")
  func copies() throws {
    try covers.fill(1, 2)
    try covers.lose("2")
    let copy = Covers()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: covers.model)
    try coordinator.replacePersistentStore(at: copy.url, withPersistentStoreFrom: covers.url, type: .sqlite)
    #expect(try copy.open { [try $0.book("1").cover, try $0.book("2").cover] } == [1, nil])
    #expect(copy.names.count == 1)
  }

  @Test("A copy that is made while another thread saves new values has the files that its own rows name")
  func copiesOfOneState() throws {
    try covers.fill(0)
    let source = covers.url
    nonisolated(unsafe) let saver = try covers.coordinator()
    nonisolated(unsafe) var savingError: NSError?
    nonisolated(unsafe) var copyingError: NSError?
    nonisolated(unsafe) var copied: [UInt8?] = []
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      if number == 0 {
        savingError = failure {
          let context = saver.newContext()
          try context.performAndWait { () throws -> Void in
            let book = try context.book("0")
            for byte in 1...100 {
              book["cover"] = Covers.cover(UInt8(byte))
              try context.save()
            }
          }
        }
      } else {
        copyingError = failure {
          for _ in 0..<12 {
            let copy = Covers()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: copy.model)
            try coordinator.replacePersistentStore(at: copy.url, withPersistentStoreFrom: source, type: .sqlite)
            let cover = try copy.open { try $0.book("0").cover }
            copied.append(cover)
          }
        }
      }
    }
    #expect(savingError == nil)
    #expect(copyingError == nil)
    #expect(copied.count == 12 && copied.allSatisfy { $0 != nil })
  }
}
