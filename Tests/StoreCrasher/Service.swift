import ArgumentParser
import CoreData
import DurabilitySupport
import TestDice

/// A process that saves and fetches for a long time, as a service does. Its memory, descriptors and threads must not
/// grow.
struct Service: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service", abstract: "Saves and fetches for long, and watches memory, descriptors and threads.")

  @Argument(help: "For how many seconds.")
  var seconds = 3600
  @Option(help: "The store, such as \"sqlite,wal,files\".")
  var store = "sqlite,wal,files"
  @Option(help: "Where the random numbers begin.")
  var seed: UInt64 = 1

  /// The number of measurements.
  private static let samples = 40
  /// How much memory may grow from the second quarter to the last, in kilobytes.
  private static let slack = 4096

  func run() throws {
    setvbuf(stdout, nil, _IOLBF, 0)
    guard let setup = StoreSetup(store) else { throw ValidationError("There is no store \"\(store)\".") }
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    let folder = URL(fileURLWithPath: base).appendingPathComponent("store-crasher-\(getpid())-service")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let coordinator = try setup.open(in: folder)
    var ledger = Ledger(seed: seed, hasFiles: setup.hasFiles)
    let writer = try LedgerContext(coordinator)
    let start = Date()
    var measured: [Measure] = []
    var fetches = 0
    while Date().timeIntervalSince(start) < Double(seconds) {
      try autoreleasepool {
        writer.apply(ledger.advance(), save: ledger.saves)
        try writer.save()
        // As a service answers a request: with a context of its own that reads everything and is released.
        if ledger.saves % 3 == 0 {
          fetches += 1
          let reader = try LedgerContext(coordinator)
          if reader.lines != ledger.lines { throw Complaint("after \(ledger.saves) saves the store has other values") }
        }
        if ledger.saves % 50 == 0 { try setup.open(in: folder).removeAllStores() }
      }
      if Date().timeIntervalSince(start) >= Double(seconds) * Double(measured.count + 1) / Double(Service.samples) {
        measured.append(try Measure())
      }
    }
    try coordinator.removeAllStores()
    print("\(ledger.saves) saves, \(fetches) fetches of everything in \(seconds) s.")
    try judge(measured)
  }

  /// Compares the last quarter with the second. In the first, caches still fill.
  private func judge(_ measured: [Measure]) throws {
    guard measured.count >= 8 else { throw ValidationError("That was too short to measure.") }
    let quarter = measured.count / 4
    let (early, late) = (measured[quarter..<(2 * quarter)], measured.suffix(quarter))
    var problems: [String] = []
    for (name, value, slack) in [
      ("memory in kB", \Measure.memory, Service.slack), ("descriptors", \.descriptors, 2), ("threads", \.threads, 2),
    ] {
      let (before, after) = (early.map { $0[keyPath: value] }.max()!, late.map { $0[keyPath: value] }.max()!)
      print("\(name): at most \(before) in the second quarter, \(after) in the last")
      if after > before + slack { problems.append("\(name) grow") }
    }
    if !problems.isEmpty {
      print(problems.joined(separator: "; ") + ".")
      throw ExitCode(1)
    }
    print("Nothing grows.")
  }

  /// The process's memory, descriptors and threads, read from the kernel.
  private struct Measure {
    let memory: Int
    let descriptors: Int
    let threads: Int

    init() throws {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
      func number(_ name: String) -> Int {
        status.first { $0.hasPrefix(name + ":") }
          .flatMap { $0.split(whereSeparator: { $0 == "\t" || $0 == " " }).dropFirst().first }.flatMap { Int($0) } ?? 0
      }
      (memory, threads) = (number("VmRSS"), number("Threads"))
      descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      if memory == 0 || threads == 0 { throw Complaint("The kernel does not say what the process needs.") }
    }
  }
}
