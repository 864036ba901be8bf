import ArgumentParser
import CoreData
import DurabilitySupport
import TestDice

/// Records what a deed does to the disk, and checks what power cuts leave of it: the state before a step or after it,
/// never a third one.
struct PowerCuts: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Cuts the power while stores are made, saved and migrated, and looks at what is left.")

  @Argument(help: "How many cuts in all.")
  var count = 10_000
  @Option(help: "Where the random numbers begin: another number, other cuts.")
  var seed: UInt64 = 1
  @Option(help: "Only these deeds; may be given several times.")
  var deed: [Scenario.Deed] = []
  @Option(help: "Only these stores, such as \"sqlite,wal,files\"; may be given several times.")
  var store: [String] = []
  @Flag(help: "Prints the recording, and each cut.")
  var verbose = false
  @Flag(help: "Takes no sync for done: each of them has to be missed.")
  var withoutSyncs = false

  /// The number of cuts for one recording.
  private static let cutsOfRecording = 100

  func run() throws {
    setvbuf(stdout, nil, _IOLBF, 0)
    guard FaultyFolder.isAvailable else { throw ValidationError("A sanitizer is in the way.") }
    let chosen = Scenario.all.filter { scenario in
      (deed.isEmpty || deed.contains(scenario.deed)) && (store.isEmpty || store.contains("\(scenario.setup)"))
    }
    guard !chosen.isEmpty else { throw ValidationError("There is no such deed with such a store.") }
    let start = Date()
    var (cuts, complaints) = (0, 0)
    for (index, scenario) in chosen.enumerated() {
      // Equal shares, which add up to all cuts.
      let share = count * (index + 1) / chosen.count - count * index / chosen.count
      let rounds = PowerCutRounds(scenario.deed, scenario.setup, seed: seed)
      for first in stride(from: 0, to: share, by: PowerCuts.cutsOfRecording) {
        try rounds.run(
          min(PowerCuts.cutsOfRecording, share - first), isVerbose: verbose, hasSyncs: !withoutSyncs)
      }
      print(rounds.summary)
      cuts += rounds.cuts
      complaints += rounds.complaints.count
    }
    print("\(cuts) cuts in \(Int(Date().timeIntervalSince(start))) s, seed \(seed): \(complaints) complaints.")
    if complaints > 0 { throw ExitCode(1) }
  }
}

/// The cuts of one deed and one kind of store.
final class PowerCutRounds {
  private let deed: Scenario.Deed
  private let setup: StoreSetup
  private var random: Dice
  private(set) var cuts = 0
  private(set) var complaints: [String] = []
  /// How many steps that were acknowledged, or begun, a cut took away or left; and files without rows.
  private var missing = 0, further = 0, unreferenced = 0, operations = 0

  init(_ deed: Scenario.Deed, _ setup: StoreSetup, seed: UInt64) {
    (self.deed, self.setup) = (deed, setup)
    random = Dice(state: seed)
  }

  var summary: String {
    let title = "\(deed) \(setup)".padding(toLength: 44, withPad: " ", startingAt: 0)
    return
      ([
        "\(title) \(cuts) cuts, \(missing) without the last step, \(further) with one more; \(complaints.count) complaints"
      ]
      + complaints.prefix(5).map { "  " + $0 }).joined(separator: "\n")
  }

  /// Records the deed once more, from another seed, and cuts it `count` times.
  func run(_ count: Int, isVerbose: Bool, hasSyncs: Bool) throws {
    let scenario = Scenario(deed: deed, setup: setup, seed: random.next() >> 40)
    let place = try ScenarioPlace(scenario)
    let folder = try place.copy("recorded/store")
    let start = try Disk(folder)
    let watched = FaultyFolder(folder)
    let recording = try watched.record { try scenario.perform(in: folder) { watched.mark($0) } }
      .filter { if case .sync = $0.kind { hasSyncs } else { true } }
    if isVerbose { print(recording.map { "  \($0)" }.joined(separator: "\n")) }
    operations += recording.count
    let cuts = (0..<count).map { _ in
      (place: random.below(recording.count + 1), luck: Disk.Luck.allCases[random.below(Disk.Luck.allCases.count)])
    }.sorted { $0.place < $1.place }
    var disk = start
    var (done, acknowledged) = (0, 0)
    for cut in cuts {
      for operation in recording[done..<cut.place] {
        disk.perform(operation)
        if case .mark(let number) = operation.kind { acknowledged = number }
      }
      done = cut.place
      let left = place.url.appendingPathComponent("cut/store", isDirectory: true)
      try disk.cut(cut.luck, &random, into: left)
      let next = done < recording.count ? "\(recording[done])" : "the end"
      let title =
        "seed \(scenario.seed), before operation \(done) (\(next)), \(cut.luck), \(acknowledged) acknowledged: "
      if isVerbose { print(title) }
      self.cuts += 1
      do {
        try check(scenario, left, place.states, acknowledged)
      } catch {
        complaints.append(title + "\((error as NSError).code) \(error.localizedDescription)")
      }
    }
  }

  private func check(_ scenario: Scenario, _ folder: URL, _ states: [[String]], _ acknowledged: Int) throws {
    let found = try scenario.read(in: folder)
    guard let state = states.lastIndex(of: found) else {
      let difference = found.difference(from: states[acknowledged]).map { "\($0)".prefix(200) }.joined(separator: "; ")
      throw Complaint("a state that there never was: \(difference)")
    }
    let (lowest, highest) = (setup.certainSteps(of: acknowledged, states), acknowledged + 1)
    let possible = states.indices.filter { states[$0] == found }
    guard possible.contains(where: { lowest...highest ~= $0 }) else {
      throw Complaint("step \(state) is there, \(acknowledged) were acknowledged, \(lowest) are certain")
    }
    if !possible.contains(acknowledged) { if state < acknowledged { missing += 1 } else { further += 1 } }
    let checked = try scenario.check(in: folder)
    unreferenced += checked.unreferenced
    if let problem = checked.problems.first { throw Complaint(problem) }
  }
}

extension StoreSetup {
  /// How many of the acknowledged steps no power cut may take away.
  fileprivate func certainSteps(of acknowledged: Int, _ states: [[String]]) -> Int {
    guard kind == .sqlite else { return acknowledged }
    if journal == "wal" { return isFull || isExtra ? acknowledged : 0 }
    if isExtra || isFull && journal != "delete" { return acknowledged }
    // If the journal's removal is not on the disk, SQLite rolls the last commit back. A step that changes nothing has
    // none.
    return states[...acknowledged].lastIndex { $0 != states[acknowledged] } ?? 0
  }
}
