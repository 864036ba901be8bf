import DurabilitySupport
import Foundation
import TestDice
import Testing

/// One call on a file, or one allocation of SQLite's, that fails. `Scripts/power-cuts fail-once` does so with each of
/// them.
@Suite("Failing calls", hasFaultyFiles)
struct FailingCallTests {
  @Test(
    "Whichever call fails, the context is as before, the store is sound, nothing stays open, and the next try succeeds",
    arguments: [
      ["--deed", "making", "--deed", "saves", "--store", "sqlite,wal,files,full"],
      ["--deed", "saves", "--deed", "staged", "--store", "xml"],
      ["--deed", "automatic", "--store", "sqlite,wal,files,full", "--fault", "full", "--fault", "inputOutput"],
    ])
  func calls(_ what: [String]) throws {
    let (code, output) = try runCrasher(
      ["fail-once", "--every", "40", "--seed", "\(RandomTest.seed("STRATA_FAIL_SEED", 11))"] + what)
    #expect(code == 0, "\(output)")
  }

  @Test("A migration that lacks a descriptor for a long value fails, and loses no value")
  func noDescriptorForValue() throws {
    let (code, output) = try runCrasher([
      "fail-once", "--deed", "progressive", "--store", "sqlite,delete,files,full", "--fault", "descriptors",
    ])
    #expect(code == 0, "\(output)")
  }

  @Test("A value that SQLite has no memory for fails the save, and is no null")
  func noMemoryForValue() throws {
    let (code, output) = try runCrasher([
      "fail-once", "--deed", "saves", "--store", "sqlite,wal,files,full", "--fault", "memory", "--part", "save 2",
    ])
    #expect(code == 0, "\(output)")
  }

  @Test("A transaction that could not even be rolled back for lack of memory does not stand in the next one's way")
  func noMemoryForRollback() throws {
    let (code, output) = try runCrasher([
      "fail-once", "--deed", "saves", "--store", "sqlite,wal,files,full", "--fault", "noMemory", "--part", "save 2",
    ])
    #expect(code == 0, "\(output)")
  }
}
