import CoreData
import DurabilitySupport
import Foundation
import Testing

/// The instrument itself: that it sees what it says.
@Suite("Faulty files", hasFaultyFiles)
struct FaultyFilesTests {
  @Test("Operations of Foundation and of SQLite's library are seen")
  func sees() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder.url) }
    let foundation = try folder.trace {
      try FileManager.default.createDirectory(
        at: folder.url.appendingPathComponent("a"), withIntermediateDirectories: false)
      let file = folder.url.appendingPathComponent("a/f")
      try Data(count: 10).write(to: file)
      try FileManager.default.moveItem(at: file, to: folder.url.appendingPathComponent("g"))
      try FileManager.default.removeItem(at: folder.url.appendingPathComponent("g"))
    }
    #expect(foundation.first == "mkdir a")
    #expect(foundation.contains("write a/f 10"))
    #expect(foundation.contains("rename a/f -> g"))
    #expect(foundation.last == "unlink g")
    #expect(folder.count == foundation.count)
    let sqlite = try folder.trace {
      let coordinator = try StoreSetup("sqlite,delete")!.open(in: folder.url)
      try coordinator.removeAllStores()
    }
    for operation in ["create S.sqlite", "write S.sqlite ", "sync S.sqlite", "unlink S.sqlite-journal"] {
      #expect(sqlite.contains { $0.hasPrefix(operation) }, "\(operation)")
    }
  }

  @Test("An operation fails when it is told to, and goes well again afterwards")
  func fails() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder.url) }
    let file = folder.url.appendingPathComponent("f")
    folder.fail(.write, with: ENOSPC)
    let error = failure { try Data(count: 10).write(to: file) }
    #expect(error?.code == CocoaError.fileWriteOutOfSpace.rawValue)
    folder.mend()
    try Data(count: 10).write(to: file)
    #expect(try Data(contentsOf: file) == Data(count: 10))
  }
}
