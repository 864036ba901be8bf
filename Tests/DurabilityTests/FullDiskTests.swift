import DurabilitySupport
import Foundation
import Testing

@testable import CoreData

@Suite("Full disks and refused files", hasFaultyFiles)
struct FullDiskTests {
  static let setups = StoreSetup.all(StoreSetup.Kind.thatExist)

  /// Lets the operations of saves fail one after the other, and looks at everything after each.
  private func failEach(
    _ setup: StoreSetup, _ operations: FaultyFolder.Operations, _ error: Int32, times: Int?
  ) throws -> Int {
    let stack = try FaultyStack(setup)
    var (failures, isPending) = (0, false)
    for skipped in 0..<400 {
      if !isPending { stack.prepare(withFile: setup.hasFiles) }
      let before = stack.look()
      var refusal: NSError?
      let trace = stack.folder.trace {
        stack.folder.fail(operations, with: error, skipping: skipped, times: times)
        refusal = failure { try stack.save() }
        stack.folder.mend()
      }
      isPending = refusal != nil
      if let refusal {
        failures += 1
        #expect(names(stack.folder.url, refusal), "\(refusal)")
        #expect(stack.look() == before)
      } else if !trace.contains(where: { $0.contains(" failed ") }) {
        break
      }
      // Behind a rename the new content is in place; only the disk's word for it is missing.
      if refusal != nil, trace.contains(where: { $0.contains("rename") }) { continue }
      #expect(try stack.linesOnDisk() == stack.saved, "after \(skipped)")
    }
    if isPending { try stack.save() }
    #expect(try stack.linesOnDisk() == stack.saved)
    return failures
  }

  @Test(
    "A full disk at any operation of a save: the error names a file, all is as before, and with room again it succeeds",
    arguments: setups)
  func fullDisk(_ setup: StoreSetup) throws {
    #expect(try failEach(setup, .filling, ENOSPC, times: nil) > 1)
  }

  @Test("A failure to sync fails the save, and leaves context and file as before", arguments: setups)
  func syncFailure(_ setup: StoreSetup) throws {
    let failures = try failEach(setup, .sync, EIO, times: 1)
    // Without `full`, SQLite syncs a log when it is moved into the database only.
    if setup.isFull || setup.journal != "wal" || setup.hasFiles { #expect(failures > 0) }
  }

  @Test("The code of a full disk is NSSQLiteError, with SQLite's own code beside it", arguments: ["wal", "delete"])
  func codes(_ journal: String) throws {
    let stack = try FaultyStack(StoreSetup("sqlite,\(journal)")!)
    stack.prepare()
    stack.folder.fail(.write, with: ENOSPC)
    let error = try #require(failure { try stack.save() })
    stack.folder.mend()
    #expect(error.code == NSSQLiteError)
    #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 13)
    #expect(error.userInfo[NSFilePathErrorKey] as? String == stack.url.path)
  }

  @Test("A store can't be made on a full disk; with room again it can", arguments: setups)
  func making(_ setup: StoreSetup) throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder.url) }
    var failures = 0
    for skipped in 0..<200 {
      folder.fail(.filling, with: ENOSPC, skipping: skipped)
      let error = failure { try setup.open(in: folder.url).removeAllStores() }
      folder.mend()
      guard let error else { break }
      failures += 1
      #expect(names(folder.url, error), "\(error)")
    }
    #expect(failures > 0)
    let coordinator = try setup.open(in: folder.url)
    #expect(try LedgerContext(coordinator).lines == ["saves 0"])
    try coordinator.removeAllStores()
  }

  @Test(
    "A folder that can't be written refuses new stores and opening, names the file, and stays as it was",
    arguments: setups, [EROFS, EACCES])
  func readOnlyFolder(_ setup: StoreSetup, _ code: Int32) throws {
    let empty = try makeFolder()
    defer { try? FileManager.default.removeItem(at: empty.url) }
    empty.fail(.changing, with: code)
    let refusal = try #require(failure { _ = try setup.open(in: empty.url) })
    #expect(names(empty.url, refusal), "\(refusal)")
    #expect(try contents(empty.url).isEmpty)

    let stack = try FaultyStack(setup)
    try stack.coordinator.removeAllStores()
    let before = try contents(stack.folder.url)
    stack.folder.fail(.changing, with: code)
    if let error = failure({ _ = try setup.open(in: stack.folder.url) }) {
      #expect(names(stack.folder.url, error), "\(error)")
    } else {
      // What is only read doesn't ask whether it may be written.
      #expect(setup.kind != .sqlite)
    }
    stack.folder.mend()
    #expect(try contents(stack.folder.url) == before)
    #expect(try stack.linesOnDisk() == stack.saved)
  }

  @Test("A folder that can't be written any more fails the save, and leaves the context as it was", arguments: setups)
  func readOnlySave(_ setup: StoreSetup) throws {
    let stack = try FaultyStack(setup)
    stack.prepare()
    let before = stack.look()
    stack.folder.fail([.changing, .filling], with: EROFS)
    let error = try #require(failure { try stack.save() })
    stack.folder.mend()
    #expect(names(stack.folder.url, error), "\(error)")
    #expect(stack.look() == before)
    try stack.save()
    #expect(try stack.linesOnDisk() == stack.saved)
  }

  @Test("A file without permission to read it is refused by name, and not changed", arguments: setups)
  func noPermission(_ setup: StoreSetup) throws {
    let stack = try FaultyStack(setup)
    try stack.coordinator.removeAllStores()
    let before = try contents(stack.folder.url)
    stack.folder.fail([.openToRead, .openToWrite], with: EACCES, suffix: stack.url.lastPathComponent)
    let error = try #require(failure { _ = try setup.open(in: stack.folder.url) })
    stack.folder.mend()
    #expect(names(stack.folder.url, error), "\(error)")
    #expect(try contents(stack.folder.url) == before)
    #expect(try stack.linesOnDisk() == stack.saved)
  }

  @Test("A locked database fails the save, which succeeds when the lock is gone", arguments: ["wal", "delete"])
  func locked(_ journal: String) throws {
    var setup = StoreSetup("sqlite,\(journal)")!
    setup.timeout = 0
    let stack = try FaultyStack(setup)
    stack.prepare()
    let before = stack.look()
    let other = try Connection(path: stack.url.path, options: Connection.Options())
    try other.begin(.immediate)
    let error = try #require(failure { try stack.save() })
    try other.commit()
    #expect(error.code == NSSQLiteError)
    #expect(error.userInfo[NSSQLiteErrorDomain] as? Int == 5)
    #expect(names(stack.folder.url, error), "\(error)")
    #expect(stack.look() == before)
    try stack.save()
    #expect(try stack.linesOnDisk() == stack.saved)
  }
}
