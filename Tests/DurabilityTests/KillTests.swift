import BuiltPrograms
import DurabilitySupport
import Foundation
import TestDice
import Testing

/// Programs that end in the middle of a save. `Scripts/kill-rounds` does the same thousands of times.
@Suite("Kills", hasFaultyFiles)
struct KillTests {
  /// Runs the program that kills and breaks; returns what it said.
  private func run(_ arguments: [String]) throws -> (code: Int32, output: String) {
    let process = Process()
    let program: URL = try #require(BuiltProgram.url("StoreCrasher"), "The program StoreCrasher was not built.")
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "COREDATA_STRESS" }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test("No acknowledged save is lost and none is there in part, wherever the program is killed")
  func rounds() throws {
    let (code, output) = try run(["rounds", "160", "--quiet", "--seed", "\(RandomTest.seed("STRATA_KILL_SEED", 11))"])
    #expect(code == 0, "\(output)")
    #expect(output.contains("Lost saves: 0. Extra saves: 0. Half saves and broken files: 0."), "\(output)")
  }

  @Test("Wherever a process that migrates is killed, the store is the old one or the new one, complete")
  func migrations() throws {
    let (code, output) = try run([
      "migrations", "6", "--store", "sqlite,wal,files", "--store", "xml", "--seed",
      "\(RandomTest.seed("STRATA_KILL_SEED", 11))",
    ])
    #expect(code == 0, "\(output)")
  }

  @Test("Broken files, rows and models give an error that names the file, or what can be read of them")
  func broken() throws {
    let (code, output) = try run(["broken", "60", "--seed", "\(RandomTest.seed("STRATA_KILL_SEED", 11))"])
    #expect(code == 0, "\(output)")
  }
}
