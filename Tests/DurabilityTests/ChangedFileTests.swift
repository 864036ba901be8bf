import CoreData
import DurabilitySupport
import Foundation
import Testing

/// What becomes of a store whose file is taken away, or changed, while it is open.
@Suite("Files changed under an open store", hasFaultyFiles)
struct ChangedFileTests {
  enum Deed: String, CaseIterable { case removed, moved, replaced }

  private func perform(_ deed: Deed, _ url: URL) throws {
    let other = url.deletingLastPathComponent().appendingPathComponent("other")
    switch deed {
    case .removed: try FileManager.default.removeItem(at: url)
    case .moved: try FileManager.default.moveItem(at: url, to: other)
    case .replaced:
      try FileManager.default.copyItem(at: url, to: other)
      #expect(rename(other.path, url.path) == 0)
    }
  }

  @Test(
    "A save to a store whose file was removed, moved or replaced fails with the file's name, and makes nothing in its place",
    arguments: ["sqlite,wal", "sqlite,delete", "xml", "binary"], Deed.allCases)
  func save(_ store: String, _ deed: Deed) throws {
    let stack = try FaultyStack(StoreSetup(store)!)
    try perform(deed, stack.url)
    let bytes = FileManager.default.contents(atPath: stack.url.path)
    stack.prepare()
    let before = stack.look()
    let error = try #require(failure { try stack.save() })
    #expect(names(stack.folder.url, error), "\(error)")
    #expect(stack.look() == before)
    #expect(FileManager.default.contents(atPath: stack.url.path) == bytes)
  }

  @Test(
    "A save notices that the file is gone also when saves before it have found the folder at rest",
    arguments: Deed.allCases)
  func saveAfterOthers(_ deed: Deed) throws {
    let stack = try FaultyStack(StoreSetup("sqlite,wal")!)
    // A change that is as young as a tick of the file system's clock can't be told from the next one.
    for _ in 0..<3 {
      usleep(30_000)
      stack.prepare()
      try stack.save()
    }
    try perform(deed, stack.url)
    stack.prepare()
    let error = try #require(failure { try stack.save() })
    #expect(names(stack.folder.url, error), "\(error)")
  }

  @Test("A save to a store whose disk is full succeeds when there is room again, many times in a row")
  func filled() throws {
    let stack = try FaultyStack(StoreSetup("sqlite,wal,files")!)
    for _ in 0..<5 {
      stack.prepare(withFile: true)
      stack.folder.fail(.filling, with: ENOSPC)
      let error = try #require(failure { try stack.save() })
      stack.folder.mend()
      #expect(names(stack.folder.url, error), "\(error)")
      try stack.save()
    }
    #expect(try stack.linesOnDisk() == stack.saved)
  }
}
