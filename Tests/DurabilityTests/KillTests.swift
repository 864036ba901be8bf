import DurabilitySupport
import Foundation
import TestDice
import Testing

/// Programs that end in the middle of a save. `Scripts/kill-rounds` does the same thousands of times.
@Suite("Kills", hasFaultyFiles)
struct KillTests {
  @Test("No acknowledged save is lost and none is there in part, wherever the program is killed")
  func rounds() throws {
    let (code, output) = try runCrasher([
      "rounds", "160", "--quiet", "--seed", "\(RandomTest.seed("STRATA_KILL_SEED", 11))",
    ])
    #expect(code == 0, "\(output)")
    #expect(output.contains("Lost saves: 0. Extra saves: 0. Half saves and broken files: 0."), "\(output)")
  }

  @Test("Wherever a process that migrates is killed, the store is the old one or the new one, complete")
  func migrations() throws {
    let (code, output) = try runCrasher([
      "migrations", "6", "--store", "sqlite,wal,files", "--store", "xml", "--seed",
      "\(RandomTest.seed("STRATA_KILL_SEED", 11))",
    ])
    #expect(code == 0, "\(output)")
  }

  @Test("Broken files, rows and models give an error that names the file, or what can be read of them")
  func broken() throws {
    let (code, output) = try runCrasher(["broken", "60", "--seed", "\(RandomTest.seed("STRATA_KILL_SEED", 11))"])
    #expect(code == 0, "\(output)")
  }
}
