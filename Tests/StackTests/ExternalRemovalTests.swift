import Foundation
import Testing

@testable import CoreData

@Suite("When files of long values are removed")
struct ExternalRemovalTests {
  private let covers = Covers()

  private func replace(_ title: String, _ byte: UInt8, in coordinator: NSPersistentStoreCoordinator) throws {
    let context = coordinator.newContext()
    try context.performAndWait {
      try context.book(title)["cover"] = Covers.cover(byte)
      try context.save()
    }
  }

  @Test("Contexts read covers while another one replaces them: each read gives a cover")
  func concurrency() throws {
    try covers.fill(1)
    let coordinator = try covers.coordinator()
    let lost = LostReads()
    let group = DispatchGroup()
    for _ in 0..<3 {
      DispatchQueue.global().async(group: group) {
        for _ in 0..<100 {
          let context = coordinator.newContext()
          context.performAndWait {
            do {
              for book in try context.all("Book") where try book.value(checkedForKey: "cover") == nil { lost.add() }
            } catch {
              lost.add()
            }
          }
        }
      }
    }
    for byte in 0..<60 { try replace("1", UInt8(byte), in: coordinator) }
    group.wait()
    #expect(lost.value == 0)
    Covers.settle(until: covers.names.count == 1)
    #expect(covers.names.count == 1)
  }

  @Test("A fault of another coordinator fires after the cover was replaced, and reads what is there now")
  func twoCoordinators() throws {
    try covers.fill(1)
    let (reading, writing) = (try covers.coordinator(), try covers.coordinator())
    let context = reading.newContext()
    try context.performAndWait {
      let book = try context.book("1")
      context.refresh(book, mergeChanges: false)
      for byte in 2..<6 { try replace("1", UInt8(byte), in: writing) }
      #expect(book.string("title") == "1")
      #expect(book.cover == 5)
    }
  }

  @Test("A row that a context still has keeps the old cover readable, and lets go of the file with it")
  func heldRows() throws {
    try covers.fill(1)
    let coordinator = try covers.coordinator()
    let context = coordinator.newContext()
    try context.performAndWait {
      let book = try context.book("1")
      book.read()
      try replace("1", 2, in: coordinator)
      #expect(covers.names.count == 2)
      #expect(book.cover == 1)
      context.refresh(book, mergeChanges: false)
      #expect(book.cover == 2)
    }
    Covers.settle(until: covers.names.count == 1)
    #expect(covers.names.count == 1)
  }

  @Test("A row of an object that another context has deleted still gives its cover")
  func deletedElsewhere() throws {
    try covers.fill(1)
    let coordinator = try covers.coordinator()
    let context = coordinator.newContext()
    try context.performAndWait {
      let book = try context.book("1")
      book.read()
      let other = coordinator.newContext()
      try other.performAndWait {
        other.delete(try other.book("1"))
        try other.save()
      }
      #expect(book.cover == 1)
      context.reset()
    }
    Covers.settle(until: covers.names == [])
    #expect(covers.names == [])
  }

  @Test("A context that is pinned to an older state fetches and reads it, after a replacement and after a deletion")
  func pinned() throws {
    try covers.fill(1, 2)
    let coordinator = try covers.coordinator()
    let context = coordinator.newContext()
    try context.performAndWait {
      try context.setQueryGenerationFrom(.current)
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 2)
      try replace("1", 9, in: coordinator)
      let other = coordinator.newContext()
      try other.performAndWait {
        other.delete(try other.book("2"))
        try other.save()
      }
      #expect(try context.all("Book").map(\.cover).sorted { $0! < $1! } == [1, 2])
      context.reset()
      try context.setQueryGenerationFrom(nil)
      #expect(try context.all("Book").map(\.cover) == [9])
      context.reset()
    }
    Covers.settle(until: covers.names.count == 1)
    #expect(covers.names.count == 1)
  }

  @Test(
    "An older transaction of another connection keeps the files, with a log and without", arguments: ["WAL", "DELETE"])
  func olderReaders(_ mode: String) throws {
    let options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["journal_mode": mode]]
    try covers.open(options) { context in
      context.new("Book", ["title": "1", "cover": Covers.cover(1)])
      try context.save()
    }
    let coordinator = try covers.coordinator(options)
    let reader = try Connection(path: covers.url.path, options: Connection.Options())
    if mode == "WAL" {
      try reader.begin(.deferred)
      #expect(try reader.rows("SELECT COUNT(*) FROM ZBOOK") == [["1"]])
    }
    let old = try covers.column("1") ?? ""
    try replace("1", 2, in: coordinator)
    Covers.settle()
    #expect(covers.names.contains(old) == (mode == "WAL"))
    if mode == "WAL" { try reader.commit() }
    // The next save tries again.
    try replace("1", 3, in: coordinator)
    Covers.settle(until: !covers.names.contains(old))
    #expect(!covers.names.contains(old))
    try coordinator.remove(coordinator.persistentStores[0])
    #expect(covers.names.count == 1)
    #expect(try covers.open { try $0.book("1").cover } == 3)
  }

  @Test("A store that is closed while an older state is being read leaves the files to the next one that opens it")
  func handingOver() throws {
    try covers.fill(1)
    let reader = try Connection(path: covers.url.path, options: Connection.Options())
    try reader.begin(.deferred)
    _ = try reader.rows("SELECT COUNT(*) FROM ZBOOK")
    try covers.open { context in
      try context.book("1")["cover"] = Covers.cover(2)
      try context.save()
    }
    #expect(covers.names.count == 2)
    try covers.open { _ = try $0.all("Book") }
    #expect(covers.names.count == 2)
    try reader.commit()
    #expect(try covers.open { try $0.book("1").cover } == 2)
    #expect(covers.names.count == 1)
    #expect(covers.folder.names.allSatisfy { !$0.contains("Pending-") })
  }

  @Test("A store that is moved aside, and an older copy, keep their files while others of their name come and go")
  func movedAside() throws {
    try covers.fill(1, 2)
    let (aside, copy) = (covers.folder.file("aside"), covers.folder.file("copy"))
    let files = covers.names
    try FileManager.default.copyItem(at: covers.url, to: copy)
    try FileManager.default.moveItem(at: covers.url, to: aside)
    for byte in [5, 6] as [UInt8] { try covers.fill(byte) }
    try FileManager.default.removeItem(at: covers.url)
    try FileManager.default.copyItem(at: copy, to: covers.url)
    #expect(try covers.open { try $0.book("2").cover } == 2)
    try FileManager.default.removeItem(at: covers.url)
    try FileManager.default.moveItem(at: aside, to: covers.url)
    #expect(try covers.open { [try $0.book("1").cover, try $0.book("2").cover] } == [1, 2])
    #expect(Set(covers.names).isSuperset(of: files))
  }

  @Test("What was removed is not journalled any more, and a store that is closed leaves no journal")
  func journals() throws {
    func journals() -> [String] { covers.folder.names.filter { $0.contains("Pending-") } }
    try covers.open { context in
      for round in 0..<3 {
        for byte in 0..<20 as Range<UInt8> { context.new("Book", ["title": "\(round)", "cover": Covers.cover(byte)]) }
        try context.save()
        #expect(journals().count == 1)
      }
      for book in try context.all("Book") { context.delete(book) }
      try context.save()
    }
    #expect(covers.names == [])
    #expect(journals() == [])
  }
}

private final class LostReads: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0
  func add() { lock.withLock { count += 1 } }
  var value: Int { lock.withLock { count } }
}
