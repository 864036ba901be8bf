import ArgumentParser
import CoreData
import DurabilitySupport
import TestDice

/// The driver: each round is a process that is killed at some operation on the store's files.
struct Rounds: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Kills processes that save, and compares what is left with what they were told.")

  @Argument(help: "How many processes.")
  var count = 10_000
  @Option(help: "Where the random numbers begin.")
  var seed: UInt64 = 1
  @Option(help: "Only these stores, such as \"sqlite,wal,files\"; may be given several times.")
  var store: [String] = []
  @Option(help: "Kinds of stores: sqlite, xml, binary; may be repeated (default: all).")
  var kind: [String] = []
  @Option(help: "A folder to work in.")
  var folder: String?
  @Flag(help: "Prints no table.")
  var quiet = false

  /// The number of rounds for one store.
  private static let roundsOfLife = 8

  mutating func validate() throws {
    for name in store where StoreSetup(name) == nil { throw ValidationError("There is no store \"\(name)\".") }
    for name in kind where StoreSetup.Kind(rawValue: name) == nil {
      throw ValidationError("There is no kind \"\(name)\".")
    }
  }

  func run() throws {
    setvbuf(stdout, nil, _IOLBF, 0)
    guard FaultyFolder.isAvailable else { throw ValidationError("A sanitizer is in the way.") }
    let place = try workFolder()
    defer { try? FileManager.default.removeItem(at: place) }
    let kinds = kind.isEmpty ? StoreSetup.Kind.thatExist : kind.compactMap { StoreSetup.Kind(rawValue: $0) }
    let setups = store.isEmpty ? StoreSetup.all(kinds) : store.compactMap { StoreSetup($0) }
    var report = RoundReport()
    var random = Dice(state: seed)
    /// How many operations a process has that is not killed, by setup and by whether the folder is new.
    var usual: [String: Int] = [:]
    var round = 0
    while round < count {
      let setup = setups[(round / Rounds.roundsOfLife) % setups.count]
      let lifeSeed = random.next() >> 1
      var life = try Life(
        setup: setup, seed: lifeSeed, folder: place.appendingPathComponent("store"),
        log: place.appendingPathComponent("log"))
      for age in 0..<min(Rounds.roundsOfLife, count - round) {
        let key = "\(setup) \(age == 0)"
        var findings = Life.Findings()
        let plan = RoundPlan(&random, operations: usual[key])
        try perform(plan, &life, &findings)
        if let operations = findings.operations { usual[key] = operations }
        if age == Rounds.roundsOfLife - 1 || random.below(3) > 0 { life.check(&findings) }
        report.add(findings, plan)
        round += 1
        if !findings.isClean {
          report.complain(findings, "round \(round), \(setup), seed \(lifeSeed), \(plan)", keeping: place)
          break
        }
        if round % 1000 == 0, !quiet { FileHandle.standardError.write(Data("\(round) rounds\n".utf8)) }
      }
    }
    print(report.text(isLong: !quiet))
    if !report.isClean { throw ExitCode(1) }
  }

  private func perform(_ plan: RoundPlan, _ life: inout Life, _ findings: inout Life.Findings) throws {
    try Data().write(to: life.log)
    let child = try ChildProcess([
      "work", "--folder", life.folder.path, "--log", life.log.path, "--store", "\(life.setup)",
      "--seed", "\(life.seed)", "--saves", "\(plan.saves)", "--reopen", "\(plan.reopen)",
      "--at", "\(plan.operation ?? 0)", "--moment", "\(plan.moment)",
    ])
    if let delay = plan.delay {
      usleep(delay)
      child.kill()
    }
    try life.read(child.wait(), &findings)
  }

  /// In memory where the system has `/dev/shm`, so that no round waits for a disk.
  private func workFolder() throws -> URL {
    let base = folder ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path)
    let place = URL(fileURLWithPath: base).appendingPathComponent("store-crasher-\(getpid())", isDirectory: true)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    return place.resolvingSymlinksInPath()
  }
}

/// What one process does, and where it is killed.
struct RoundPlan: CustomStringConvertible {
  let saves: Int
  let reopen: Int
  /// The operation at which it is killed; nil if it may finish, unless `delay` ends before.
  var operation: Int?
  let moment: FaultyFolder.Moment
  /// In microseconds. After it the process is killed from outside, at any moment.
  var delay: UInt32?

  init(_ random: inout Dice, operations: Int?) {
    saves = random.below(3) == 0 ? 6 : 4
    reopen = random.below(3) == 0 ? 2 : 0
    moment = random.any(FaultyFolder.Moment.allCases)!
    let isFromOutside = random.below(12) == 0
    let place = Int(random.next() >> 40)
    let time = UInt32(random.below(30_000))
    guard let operations else { return }
    if isFromOutside { delay = time } else { operation = place % (operations * 5 / 4 + 1) + 1 }
  }

  var description: String {
    "\(saves) saves, reopened after \(reopen), killed \(moment) operation \(operation.map(String.init) ?? "-")"
      + (delay.map { ", after \($0) us" } ?? "")
  }
}
