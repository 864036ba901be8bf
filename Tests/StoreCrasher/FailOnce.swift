import ArgumentParser
import CoreData
import DurabilitySupport
import FaultyFiles
import TestDice

/// Lets the calls of a scenario fail one after the other, each in an attempt of its own.
struct FailOnce: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fail-once",
    abstract: "Lets each call on files and each allocation of SQLite's fail, and looks at what is left.")

  @Option(help: "Lets one in so many calls fail, chosen by dice; 1 for all of them.")
  var every = 1
  @Option(help: "Where the random numbers begin.")
  var seed: UInt64 = 1
  @Option(help: "Only these deeds; may be given several times.")
  var deed: [Scenario.Deed] = []
  @Option(help: "Only these stores, such as \"sqlite,wal,files\"; may be given several times.")
  var store: [String] = []
  @Option(help: "Only these faults; may be given several times.")
  var fault: [Fault] = []
  @Option(help: "Only this part, such as \"save 2\".")
  var part: String?
  @Option(help: "Adds each finished pair of scenario and fault to this file, and passes over those that it has.")
  var kept: String?
  @Flag(help: "Prints each failure.")
  var verbose = false

  func run() throws {
    setvbuf(stdout, nil, _IOLBF, 0)
    guard FaultyFolder.isAvailable else { throw ValidationError("A sanitizer is in the way.") }
    guard faulty_take_memory() == 0 else { throw ValidationError("SQLite keeps its own allocator.") }
    let chosen = Scenario.all.filter { scenario in
      (deed.isEmpty || deed.contains(scenario.deed)) && (store.isEmpty || store.contains("\(scenario.setup)"))
    }
    guard !chosen.isEmpty else { throw ValidationError("There is no such deed with such a store.") }
    let start = Date()
    var finished = try FinishedPairs(kept)
    for (deed, setup) in chosen {
      let scenario = Scenario(deed: deed, setup: setup, seed: seed)
      let faults = (fault.isEmpty ? Fault.allCases : fault).filter { !finished.contains(title(scenario, $0)) }
      if faults.isEmpty { continue }
      let place = try ScenarioPlace(scenario)
      for fault in faults {
        let rounds = FailingRounds(place, fault, every: every, seed: seed, part: part, isVerbose: verbose)
        try rounds.run()
        print(rounds.summary)
        try finished.add(
          title(scenario, fault), failures: rounds.failures, complaints: rounds.complaints.count)
      }
    }
    let seconds = Int(Date().timeIntervalSince(start))
    print("\(finished.failures) failed calls, \(seconds) s in this run: \(finished.complaints) complaints.")
    if finished.complaints > 0 { throw ExitCode(1) }
  }

  /// What a kept pair was run with: a run of fewer calls, of one part or from another seed is another pair.
  private func title(_ scenario: Scenario, _ fault: Fault) -> String {
    "\(scenario) \(fault.rawValue) seed \(seed) every \(every)" + (part.map { " only \($0)" } ?? "")
  }
}

/// What fails.
enum Fault: String, CaseIterable, ExpressibleByArgument {
  /// The disk is full from one call on.
  case full
  case quota, inputOutput, interrupted, descriptors
  /// One allocation of SQLite's fails, or all of them from one on.
  case memory, noMemory

  func begin(_ folder: FaultyFolder, skipping skipped: Int) {
    switch self {
    case .full: folder.fail(.filling, with: ENOSPC, skipping: skipped)
    case .quota: folder.fail(.filling, with: EDQUOT, skipping: skipped, times: 1)
    case .inputOutput: folder.fail(.all, with: EIO, skipping: skipped, times: 1)
    case .interrupted: folder.fail(.all, with: EINTR, skipping: skipped, times: 1)
    case .descriptors:
      folder.fail([.create, .openToRead, .openToWrite], with: EMFILE, skipping: skipped, times: 1)
    case .memory: faulty_fail_memory(skipped, 1)
    case .noMemory: faulty_fail_memory(skipped, -1)
    }
  }

  /// Ends the fault, and returns how many calls have failed.
  func end(_ folder: FaultyFolder) -> Int {
    switch self {
    case .memory, .noMemory: return faulty_mend_memory()
    default:
      folder.mend()
      return folder.failures
    }
  }
}

/// One scenario and one fault: each part is tried with the first call failing, then with the second, until a part needs
/// no more calls.
final class FailingRounds: Attempts {
  private let place: ScenarioPlace
  private let fault: Fault
  private let every: Int
  private let part: String?
  private let isVerbose: Bool
  private var random: Dice
  private var next: [String: Int] = [:]
  private var isThrough: Set<String> = []
  private var watched: FaultyFolder
  private var folder: URL
  private var reached = 0
  private var hasFailed = false
  private var tolerated = 0
  private(set) var failures = 0
  private(set) var complaints: [String] = []

  init(_ place: ScenarioPlace, _ fault: Fault, every: Int, seed: UInt64, part: String?, isVerbose: Bool) {
    (self.place, self.fault, self.every, self.part, self.isVerbose) = (place, fault, every, part, isVerbose)
    random = Dice(state: seed)
    folder = place.url
    watched = FaultyFolder(folder)
  }

  var summary: String {
    let title = "\(place.scenario) \(fault.rawValue)".padding(toLength: 52, withPad: " ", startingAt: 0)
    return
      (["\(title) \(failures) failed, \(tolerated) without consequence; \(complaints.count) complaints"]
      + complaints.prefix(5).map { "  " + $0 }).joined(separator: "\n")
  }

  func run() throws {
    repeat {
      hasFailed = false
      reached = 0
      folder = try place.copy("tried/store")
      watched = FaultyFolder(folder.deletingLastPathComponent())
      do {
        try autoreleasepool { try place.scenario.perform(in: folder, attempts: self) { reached = $0 } }
        let found = try place.scenario.read(in: folder)
        if found != place.states.last {
          complain("at the end", "other values: \(found.difference(from: place.states.last!))".prefix(400))
        }
        if let problem = try place.scenario.check(in: folder).problems.first { complain("at the end", problem) }
      } catch {
        complain("at the end", "\((error as NSError).code) \(error.localizedDescription)")
      }
      checkDescriptors("at the end")
    } while hasFailed && complaints.count < 20
  }

  func run<Result>(_ name: String, _ context: LedgerContext?, _ body: () throws -> Result) throws -> Result {
    while !isThrough.contains(name), part ?? name == name {
      let skipped = next[name] ?? (every > 1 ? random.below(every) : 0)
      let before = context?.look()
      fault.begin(watched, skipping: skipped)
      let outcome = Swift.Result { try body() }
      let count = fault.end(watched)
      if count == 0 {
        isThrough.insert(name)
      } else {
        failures += 1
        hasFailed = true
        next[name] = skipped + (every > 1 ? 1 + random.below(2 * every - 1) : 1)
      }
      let title = "\(name), call \(skipped)"
      if isVerbose { print("  \(title): \(outcome)".prefix(300)) }
      switch outcome {
      case .success(let value):
        if count > 0 { tolerated += 1 }
        return value
      case .failure(let error):
        if count == 0 { throw error }
        check(error as NSError, title)
        if let before, context?.look() != before { complain(title, "the context is not as before") }
        do { try checkState() } catch { complain(title, "\((error as NSError).code) \(error.localizedDescription)") }
        if context == nil, ["open", "migrate"].contains(name) { checkDescriptors(title) }
        if complaints.count >= 20 { throw error }
      }
    }
    return try body()
  }

  func didFetch(_ context: LedgerContext) {
    if context.lines != place.states[reached] { complain("fetch", "other values than the store's") }
  }

  private func check(_ error: NSError, _ title: String) {
    if error.domain != NSCocoaErrorDomain { complain(title, "an error of \(error.domain): \(error)") }
    let file = error.userInfo[NSFilePathErrorKey] as? String ?? error.localizedDescription
    if !file.contains(place.url.path) { complain(title, "the error names no file: \(error.localizedDescription)") }
  }

  /// Checks that the store is as before the part that failed, or as after it.
  private func checkState() throws {
    // Reading a store that does not exist would make it.
    if place.scenario.deed == .making, reached == 0 { return }
    let found = try place.scenario.read(in: folder)
    let expected = place.states[reached...min(reached + 1, place.states.count - 1)]
    if !expected.contains(found) {
      throw Complaint("a state that there never was: \(found.difference(from: place.states[reached]))")
    }
  }

  /// Checks that no file of the store is open. A thread of the module's own may take up to two seconds to close one.
  private func checkDescriptors(_ title: String) {
    for _ in 0..<200 {
      if place.descriptors.isEmpty { return }
      usleep(10_000)
    }
    complain(title, "still open: \(place.descriptors.sorted())")
  }

  private func complain(_ title: String, _ text: some StringProtocol) {
    complaints.append("\(title): \(text.prefix(400))")
  }
}
