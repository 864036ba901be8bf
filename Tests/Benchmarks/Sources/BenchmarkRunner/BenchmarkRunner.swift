import ArgumentParser
import BenchmarkReport
import Foundation

/// Runs the drivers in interleaved rounds and sets medians of per-round ratios beside the goals.
@main
struct BenchmarkRunner: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares the stack with C and with GRDB, on the same data and with the same settings.",
    discussion: "Operations: \(Operation.all.map(\.name).joined(separator: ", "))."
      + "\nVariants: \(Variant.allCases.map(\.rawValue).joined(separator: ", ")).")

  @Option(help: "How many rounds; medians of fewer than 7 are a quick look. (default: 7; with --scaling 3)")
  var rounds: Int?

  @Option(
    parsing: .upToNextOption,
    help: "How many books; several numbers compare growth. (default: 100000; with --instructions 20000)")
  var size: [Int] = []

  @Option(parsing: .upToNextOption, help: "Run only these operations.")
  var only: [String] = []

  @Option(parsing: .upToNextOption, help: "Leave these variants out.")
  var without: [String] = []

  @Flag(help: "Count instructions with valgrind, once each, and fail when a gate is missed.")
  var instructions = false

  @Flag(help: "Measure processor time instead of wall time, for a machine that is busy with other work.")
  var processorTime = false

  @Flag(
    help:
      "Check only that the ratios to C of the operations on relationships stay the same from 1,000 to 1,000,000 objects."
  )
  var scaling = false

  @Flag(help: "At the end, set each row beside GRDB's fastest way of doing the same: faster, equal or slower.")
  var peers = false

  @Option(help: "The folder for store files, removed afterwards. (default: a new temporary folder)")
  var directory: String?

  @Option(help: "Also write all figures to this file, as JSON.")
  var json: String?

  func validate() throws {
    if json != nil, instructions { throw ValidationError("--json is for times, --instructions counts none.") }
    guard rounds ?? 1 > 0 else { throw ValidationError("--rounds must be at least 1.") }
    if let wrong = size.first(where: { $0 < 100 }) {
      throw ValidationError("--size \(wrong): at least 100 books.")
    }
    if let wrong = only.first(where: { name in !Operation.all.contains { $0.name == name } }) {
      throw ValidationError("There is no operation '\(wrong)'.")
    }
    if let wrong = without.first(where: { Variant(rawValue: $0) == nil }) {
      throw ValidationError("There is no variant '\(wrong)'.")
    }
  }

  func run() throws {
    let drivers = Drivers(folder: Bundle.main.bundleURL, measuresProcessorTime: processorTime || scaling)
    let variants = try chosenVariants(drivers)
    let operations = chosenOperations(variants)
    let report = Report(operations: operations, variants: variants)
    let sizes = size.isEmpty ? defaultSizes : size
    let folder = workingFolder()
    defer { try? FileManager.default.removeItem(at: folder) }

    if instructions {
      guard drivers.hasValgrind() else {
        throw BenchmarkFailure(
          "--instructions needs valgrind, which is not installed (apt-get install valgrind).")
      }
      var gatesHold = true
      for size in sizes {
        let stores = Stores(folder: folder, drivers: drivers, size: size)
        try stores.prepare(for: operations, writer: variants.contains(.strata) ? .strata : .c)
        let samples = try countInstructions(operations, variants, drivers, stores)
        gatesHold = report.printInstructions(samples) && gatesHold
      }
      if !gatesHold { throw ExitCode(1) }
      return
    }

    progress("load average \(loadAverage()); \(ProcessInfo.processInfo.activeProcessorCount) processors")
    let clock = drivers.measuresProcessorTime ? "processor" : "wall"
    let machine = BenchmarkReport.Machine(date: Date(), clock: clock)
    let roundCount = rounds ?? (scaling ? 3 : 7)
    var all: [Samples] = []
    var failure: (any Error)?
    for size in sizes where failure == nil {
      let stores = Stores(folder: folder, drivers: drivers, size: size)
      try stores.prepare(for: operations, writer: variants.contains(.strata) ? .strata : .c)
      let samples: Samples
      (samples, failure) = try Rounds(
        operations: operations, variants: variants, drivers: drivers, stores: stores,
        rounds: roundCount
      ).run(progress: progress)
      if !scaling { report.print(samples) }
      all.append(samples)
    }
    if let json { try write(all, report, machine, rounds: roundCount, to: json) }
    if scaling {
      let stays = report.printScaling(all)
      progress("load average \(loadAverage())")
      if let failure { throw failure }
      if !stays { throw ExitCode(1) }
      return
    }
    for samples in all { report.printSummary(samples) }
    if peers { for samples in all { report.printPeers(samples) } }
    if all.count > 1 { report.printGrowth(all) }
    progress("load average \(loadAverage())")
    // The figures above are of the rounds before.
    if let failure { throw failure }
  }

  private func write(
    _ all: [Samples], _ report: Report, _ machine: BenchmarkReport.Machine, rounds: Int, to path: String
  ) throws {
    var machine = machine
    machine.loadAfter = BenchmarkReport.Machine.load()
    let results = BenchmarkReport(
      machine: machine, rounds: rounds, runs: all.map(report.results), greatestGrowth: Goal.greatestGrowth)
    try results.json().write(to: URL(fileURLWithPath: path))
  }

  private var defaultSizes: [Int] {
    if scaling { return [1000, 10_000, 100_000, 1_000_000] }
    return [instructions ? 20_000 : 100_000]
  }

  private func chosenVariants(_ drivers: Drivers) throws -> Set<Variant> {
    let compared: [Variant] = scaling ? [.c, .strata] : Variant.allCases
    let chosen = compared.filter { !without.contains($0.rawValue) }
    guard drivers.isBuilt(.c) else {
      throw BenchmarkFailure("\(Variant.c.driver) is not beside the runner; Scripts/benchmark builds it.")
    }
    for driver in Set(chosen.filter { !drivers.isBuilt($0) }.map(\.driver)).sorted() {
      print("\(driver) is not built: its rows and the goals that need them are missing.")
    }
    return Set(chosen.filter(drivers.isBuilt)).union([.c])
  }

  private func chosenOperations(_ variants: Set<Variant>) -> [Operation] {
    let names = only.isEmpty && instructions ? Operation.countedByDefault : only
    return Operation.all.filter { operation in
      (!scaling || operation.isOfVolumes) && (names.isEmpty || names.contains(operation.name))
        && operation.variants.contains { variants.contains($0) }
    }
  }

  private func countInstructions(
    _ operations: [Operation], _ variants: Set<Variant>, _ drivers: Drivers, _ stores: Stores
  ) throws -> Samples {
    var samples = Samples(size: stores.size)
    for operation in operations where operation.isTimed {
      for variant in operation.variants where variants.contains(variant) {
        progress("\(operation.name) \(variant.title)")
        let store = try stores.store(for: operation, variant)
        let count = try drivers.countInstructions(
          variant, operation.name, size: stores.size, store: store)
        samples.record(Double(count), for: Figure(variant, operation.name), round: 0)
        stores.removeOwn(store)
      }
    }
    return samples
  }

  private func workingFolder() -> URL {
    let parent = directory.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    return parent.appendingPathComponent("strata-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
  }

  private func loadAverage() -> String {
    let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? "unknown"
    return text.split(separator: " ").first.map(String.init) ?? text
  }

  /// Tells on standard error how far the run is; tables go to standard output.
  private func progress(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
