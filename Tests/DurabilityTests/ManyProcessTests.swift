import CoreData
import DurabilitySupport
import Foundation
import TestDice
import Testing

/// Several processes on one store. `Scripts/many-processes` lets them work for half an hour.
@Suite("Many processes", hasFaultyFiles)
struct ManyProcessTests {
  @Test(
    "Eight processes on one store that is migrated first: all sums are right at any moment, no save and no change of the history is lost, whoever is killed"
  )
  func bank() throws {
    let seconds = RandomTest.count("STRATA_BANK_SECONDS", 3)
    let (code, output) = try runCrasher([
      "many-processes", "\(seconds)", "--seed", "\(RandomTest.seed("STRATA_BANK_SEED", 11))",
    ])
    #expect(code == 0, "\(output)")
    #expect(output.contains(": 0 complaints."), "\(output)")
  }

  @Test(
    "Two processes that make the same new store at once both have it, and what each saves is there",
    arguments: ["sqlite,wal", "sqlite,delete"])
  func sameNewStore(_ store: String) throws {
    for round in 0..<4 {
      let folder = try makeFolder()
      defer { try? FileManager.default.removeItem(at: folder.url) }
      let setup = StoreSetup(store)!
      let start = folder.url.appendingPathComponent("start").path
      let processes = try (1...2).map { number in
        try startCrasher(["make-at-once", "--folder", folder.url.path, "--store", store, "--number", "\(number)"])
      }
      // Both wait for this file, so that neither is through before the other has begun.
      usleep(UInt32(100_000 + round * 20_000))
      try Data().write(to: URL(fileURLWithPath: start))
      for process in processes {
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
      }
      let coordinator = try setup.open(in: folder.url)
      let lines = try LedgerContext(coordinator).lines
      #expect(lines.count == 3, "\(lines)")
      try coordinator.removeAllStores()
    }
  }

  @Test("Processes that migrate the same store at once all have it, whoever does the work")
  func sameMigration() throws {
    for _ in 0..<5 {
      let folder = try makeFolder()
      defer { try? FileManager.default.removeItem(at: folder.url) }
      #expect(try runCrasher(["make-bank", folder.url.path]).code == 0)
      let processes = try (1...4).map { number in
        try startCrasher(["make-at-once", "--folder", folder.url.path, "--store", "bank", "--number", "\(number)"])
      }
      usleep(150_000)
      try Data().write(to: folder.url.appendingPathComponent("start"))
      for process in processes {
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
      }
    }
  }
}
