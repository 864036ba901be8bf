import CoreData
import DurabilitySupport
import Foundation
import TestDice
import Testing

/// What a power cut leaves. `Scripts/power-cuts` does the same thousands of times.
@Suite("Power cuts", hasFaultyFiles)
struct PowerCutTests {
  @Test(
    "A power cut at any moment leaves the state before a step or after it; with FULL no acknowledged step is missing")
  func cuts() throws {
    let count = RandomTest.count("STRATA_CUTS", 300)
    let (code, output) = try runCrasher([
      "power-cuts", "\(count)", "--seed", "\(RandomTest.seed("STRATA_CUT_SEED", 11))",
    ])
    #expect(code == 0, "\(output)")
    #expect(output.contains("\(count) cuts in "), "\(output)")
  }

  @Test(
    "What a journal undoes after a power cut leaves the files of the long values that were replaced",
    arguments: ["saves", "progressive"])
  func replacedFiles(_ deed: String) throws {
    // With this seed two of the cuts of each bring the journal back after the files would have gone.
    let (code, output) = try runCrasher([
      "power-cuts", "256", "--deed", deed, "--store", "sqlite,delete,files,full", "--seed", "20261126",
    ])
    #expect(code == 0, "\(output)")
  }

  @Test("If no sync counted, stores would be torn: the cuts see it", arguments: ["sqlite,wal,full", "binary"])
  func withoutSyncs(_ store: String) throws {
    let (code, output) = try runCrasher(["power-cuts", "40", "--deed", "saves", "--store", store, "--without-syncs"])
    #expect(code == 1, "\(output)")
    #expect(!output.contains(": 0 complaints."), "\(output)")
  }

  /// The beginning of a journal of a file that had no page yet, as SQLite's documentation of its format has it.
  private static let firstJournal: Data = {
    var data = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    for number in [0, 77, 0, 512, 4096] as [UInt32] {
      withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
    }
    return data + Data(count: 512 - data.count)
  }()

  @Test("Zeros beside the journal of a file's first transaction are made into a store as if there were no file")
  func firstTransaction() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder.url) }
    let setup = StoreSetup("sqlite,delete")!
    let url = setup.url(in: folder.url)
    try Data(count: 8192).write(to: url)
    try PowerCutTests.firstJournal.write(to: URL(fileURLWithPath: url.path + "-journal"))
    let coordinator = try setup.open(in: folder.url)
    #expect(try LedgerContext(coordinator).lines == ["saves 0"])
    try coordinator.removeAllStores()
  }

  @Test("Zeros without a journal are no database, and stay as they are")
  func zeros() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder.url) }
    let setup = StoreSetup("sqlite,delete")!
    try Data(count: 8192).write(to: setup.url(in: folder.url))
    let error = try #require(failure { _ = try setup.open(in: folder.url) })
    #expect(names(folder.url, error), "\(error)")
    #expect(try contents(folder.url) == ["S.sqlite": Data(count: 8192)])
  }
}
