import CoreData
import DurabilitySupport
import Foundation
import Testing

/// What a save writes and syncs, in which order. A kill can't show a missing sync; the text does.
@Suite("The order of writes and syncs", hasFaultyFiles)
struct SyncOrderTests {
  /// The operations of a save that changes one row.
  private func update(_ name: String) throws -> String {
    let stack = try FaultyStack(StoreSetup(name)!)
    let context = stack.context
    return try context.performAndWait {
      let author = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Step"))[0]
      author.setValue(99, forKey: "number")
      return order(try stack.folder.trace { try context.save() })
    }
  }

  @Test("A write-ahead log: the log is written; synced only where the store asks for FULL")
  func log() throws {
    #expect(try update("sqlite,wal") == "write S.sqlite-wal")
    #expect(
      try update("sqlite,wal,full") == """
        write S.sqlite-wal
        sync S.sqlite-wal
        """)
  }

  @Test("A journal: written and synced with its folder before the store, which is synced before the journal goes")
  func journal() throws {
    #expect(
      try update("sqlite,delete") == """
        create S.sqlite-journal
        write S.sqlite-journal
        sync S.sqlite-journal
        sync .
        write S.sqlite
        sync S.sqlite
        unlink S.sqlite-journal
        """)
    // FULL: the number of the journal's pages is written when they are on the disk.
    #expect(
      try update("sqlite,delete,full") == """
        create S.sqlite-journal
        write S.sqlite-journal
        sync S.sqlite-journal
        sync .
        write S.sqlite-journal
        sync S.sqlite-journal
        write S.sqlite
        sync S.sqlite
        unlink S.sqlite-journal
        """)
  }

  @Test(
    "An atomic save: a new file is written and synced, takes the place of the old one, and the folder is synced",
    arguments: ["xml", "binary"])
  func atomic(_ name: String) throws {
    let uuid = try Regex("[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")
    let trace = try update(name).replacing(uuid, with: "UUID")
    let file = StoreSetup(name)!.url(in: URL(fileURLWithPath: "/")).lastPathComponent
    #expect(
      trace == """
        create .\(file).UUID.saving
        write .\(file).UUID.saving
        sync .\(file).UUID.saving
        rename .\(file).UUID.saving -> \(file)
        sync .
        """)
  }

  @Test(
    "A value's file is journalled, written and synced, and its folders are synced, before the commit that refers to it")
  func externalFile() throws {
    let file = """
      mkdir .S_SUPPORT
      mkdir .S_SUPPORT/_EXTERNAL_DATA
      create .S_SUPPORT/TEMPORARY
      sync .S_SUPPORT
      write .S_SUPPORT/TEMPORARY
      sync .S_SUPPORT/TEMPORARY
      create .S_SUPPORT/_EXTERNAL_DATA/UUID
      write .S_SUPPORT/_EXTERNAL_DATA/UUID
      sync .S_SUPPORT/_EXTERNAL_DATA/UUID

      """
    let folders = """
      sync .S_SUPPORT/_EXTERNAL_DATA
      sync .S_SUPPORT
      sync .

      """
    let settled = "\nwrite .S_SUPPORT/TEMPORARY"
    let orders = [
      "sqlite,wal,files": file + folders + "write S.sqlite-wal" + settled,
      "sqlite,delete,files": file
        + """
        create S.sqlite-journal
        write S.sqlite-journal

        """ + folders
          + """
          write S.sqlite-journal
          sync S.sqlite-journal
          sync .
          write S.sqlite
          sync S.sqlite
          unlink S.sqlite-journal
          """ + settled,
    ]
    for (name, expected) in orders {
      let stack = try FaultyStack(StoreSetup(name)!)
      let context = stack.context
      let trace = try context.performAndWait {
        let book = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))[0]
        book.setValue(Data(repeating: 1, count: 200_000), forKey: "cover")
        return order(try stack.folder.trace { try context.save() })
      }
      #expect(trace == expected)
    }
  }
}
