import Foundation
import Inspection
import Testing

@testable import CoreData

@Suite("Names of files that a hostile row has")
struct HostileFileNameTests {
  private let covers = Covers()

  private var outside: URL { covers.folder.file("outside") }

  /// 36 characters that lead out of the folder of values: to a file, and to a folder.
  private func paths() throws -> [String] {
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: outside.appendingPathComponent("file"))
    let here = "./"
    return [
      "../../" + String(repeating: here, count: 9) + "outside/file",
      "../../" + String(repeating: here, count: 11) + "outside/",
    ]
  }

  private func craft(_ name: String) throws {
    let hex = name.utf8.map { String(format: "%02X", $0) }.joined()
    try covers.sql("UPDATE ZBOOK SET ZCOVER = X'02\(hex)00' WHERE ZTITLE = '1'")
  }

  @Test("Only what spells a UUID is a name")
  func names() {
    func uuid(_ text: String) -> UUID? { ExternalReference(name: text, source: 0).uuid }
    let name = UUID()
    #expect(uuid(name.uuidString) == name)
    #expect(uuid(name.uuidString.lowercased()) == name)
    let text = name.uuidString
    let others: [String] = [
      "", "../../../../../../../.././etc/passwd", String(text.dropLast()), text + "0",
      text.replacingOccurrences(of: "-", with: "/"), String(text.dropLast()) + "\0", String(text.dropLast()) + "G",
      String(repeating: "-", count: 36), String(repeating: "A", count: 36),
    ]
    for other in others { #expect(uuid(other) == nil, "\(other)") }
  }

  @Test("A path for a name is never read: the value is nil, and a plain error where errors can be thrown")
  func reading() throws {
    try covers.fill(1)
    let path = "../../../../../../../.././etc/passwd"
    for name in [path] + (try paths()) {
      #expect(name.utf8.count == 36)
      try craft(name)
      try covers.open { context in
        let book = try context.book("1")
        #expect(book["cover"] == nil)
        let error = failure { _ = try book.value(checkedForKey: "cover") }
        #expect(error?.code == CocoaError.Code.fileReadInvalidFileName.rawValue)
        #expect(
          error?.localizedDescription
            == "Book.cover of the store \(covers.url.path) can't be read: its row names the file "
            + "\"\(name)\". The store gives no value's file such a name, so it was not opened. Set the property again, "
            + "or restore the store from a copy.")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "cover == %@", Data([1]) as NSData)
        #expect(failure { _ = try context.fetch(request) }?.localizedDescription == error?.localizedDescription)
      }
    }
    let check = try StoreCheck(covers.url, covers.model)
    #expect(check.problems.contains { $0.contains("for the name of a file") })
  }

  /// What may forget the name that a row has.
  enum Deed: CaseIterable {
    case delete, setNil, setShort, setLong, batchDelete, batchUpdate, replace, destroy
  }

  @Test("A path for a name is never removed, whatever happens to its row", arguments: Deed.allCases)
  func removing(_ deed: Deed) throws {
    try covers.fill(1, 2)
    for path in try paths() {
      try covers.fill(1)
      try craft(path)
      try perform(deed)
      Covers.settle()
      #expect(try Data(contentsOf: outside.appendingPathComponent("file")) == Data("mine".utf8))
    }
  }

  private func perform(_ deed: Deed) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: covers.model)
    switch deed {
    case .delete: try change { $0.managedObjectContext?.delete($0) }
    case .setNil: try change { $0["cover"] = nil }
    case .setShort: try change { $0["cover"] = Data([1]) }
    case .setLong: try change { $0["cover"] = Covers.cover(7) }
    case .batchDelete:
      try covers.open { _ = try $0.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book"))) }
    case .batchUpdate:
      try covers.open { context in
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.propertiesToUpdate = ["cover": NSNull()]
        _ = try context.execute(request)
      }
    case .replace:
      let other = Covers()
      try other.fill(5)
      try coordinator.replacePersistentStore(at: covers.url, withPersistentStoreFrom: other.url, type: .sqlite)
    case .destroy: try coordinator.destroyPersistentStore(at: covers.url, type: .sqlite)
    }
  }

  private func change(_ body: (NSManagedObject) -> Void) throws {
    try covers.open { context in
      for book in try context.all("Book") where book.string("title") == "1" { body(book) }
      try context.save()
    }
  }

  /// What a link may stand for.
  enum Link: CaseIterable { case support, folder }

  @Test(
    "A link in the place of the folder is not followed: reads and saves of long values say so, and nothing behind it goes",
    arguments: Link.allCases)
  func linkedFolders(_ link: Link) throws {
    try covers.fill(1)
    let place = link == .support ? covers.files.support : covers.files.folder
    let behind = covers.folder.file("behind")
    try FileManager.default.moveItem(at: place, to: behind)
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: behind)
    func content() -> [String] { covers.folder.names.filter { $0.hasPrefix("behind") } }
    let before = content()
    try covers.open { context in
      let book = try context.book("1")
      #expect(book["cover"] == nil)
      let error = failure { _ = try book.value(checkedForKey: "cover") }
      #expect(error?.localizedDescription.contains("\(place.path) is a link, or not a folder") == true)
      book["cover"] = Covers.cover(2)
      #expect(failure { try context.save() }?.localizedDescription.contains("is a link, or not a folder") == true)
      context.rollback()
      context.delete(book)
      try context.save()
    }
    #expect(content() == before)
    try? NSPersistentStoreCoordinator(managedObjectModel: covers.model)
      .destroyPersistentStore(at: covers.url, type: .sqlite)
    #expect(content() == before)
  }

  @Test("A link, a folder and a pipe in the place of a value's file are not opened, and stay")
  func otherFiles() throws {
    for kind in 0..<3 {
      try covers.fill(1)
      let file = try covers.lose("1")
      let target = covers.folder.file("target\(kind)")
      try Data("mine".utf8).write(to: target)
      switch kind {
      case 0: try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
      case 1:
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: file.appendingPathComponent("file"))
      default: #expect(mkfifo(file.path, 0o600) == 0)
      }
      try covers.open { context in
        let book = try context.book("1")
        #expect(book["cover"] == nil)
        let error = failure { _ = try book.value(checkedForKey: "cover") }
        #expect(error?.localizedDescription.contains("not a regular file") == true)
        context.delete(book)
        try context.save()
      }
      var status = stat()
      #expect(lstat(file.path, &status) == 0)
      if kind == 1 { #expect(FileManager.default.fileExists(atPath: file.appendingPathComponent("file").path)) }
      #expect(try Data(contentsOf: target) == Data("mine".utf8))
      unlink(file.path)
    }
  }

  @Test("Destroying a store removes its values' files and its empty folders, and nothing else in them")
  func destroying() throws {
    try covers.fill(1, 2)
    let other = covers.files.support.appendingPathComponent("notes")
    try Data("mine".utf8).write(to: other)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: covers.model)
    try coordinator.destroyPersistentStore(at: covers.url, type: .sqlite)
    #expect(covers.folder.names == [".Books_SUPPORT", ".Books_SUPPORT/notes", "Books.sqlite"])
    try FileManager.default.removeItem(at: other)
    try coordinator.destroyPersistentStore(at: covers.url, type: .sqlite)
    #expect(covers.folder.names == ["Books.sqlite"])
  }
}
