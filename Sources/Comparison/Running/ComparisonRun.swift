import Foundation

/// Runs the workload and the faults with each set-up in child processes, and collects the results.
///
/// One thread at a time may use it.
public final class ComparisonRun {
  public struct Options: Sendable {
    public var size = WorkloadSize()
    /// Whether to bring about the faults.
    public var faults = true
    public var plant: PlantedFault?
    /// Whether to measure times, which only makes sense in optimized code.
    public var measuresTime = ComparisonRun.isReleaseBuild
    /// Whether to find out only what is the same on every machine and in every build: no times, and one round.
    public var factsOnly = false

    public init() {}
  }

  public static var isReleaseBuild: Bool {
    #if DEBUG
    false
    #else
    true
    #endif
  }

  /// The set-ups that run.
  public let candidates: [Candidate]
  let options: Options
  /// Called before each part of the work: `round 1 of 3: enqueue`.
  let progress: (String) -> Void
  let scratch: URL
  let fixtures: StoreFixtures
  private var stages: [String: ProgramStage] = [:]
  /// Nil without a set-up that needs one.
  let servers: ServerPlaces?
  /// Why set-ups that were asked for are left out, in a sentence; nil if none is.
  public let omission: String?

  public init(_ candidates: [Candidate], options: Options = Options(), progress: @escaping (String) -> Void = { _ in })
    throws
  {
    let onServer = candidates.filter { $0.info.isOnServer == true }
    do {
      servers = onServer.isEmpty ? nil : try ServerPlaces()
      (self.candidates, omission) = (candidates, nil)
    } catch let failure as ComparisonFailure {
      servers = nil
      self.candidates = candidates.filter { $0.info.isOnServer != true }
      let names = onServer.map(\.info.id).joined(separator: ", ")
      omission = "Left out: \(names). \(failure)"
    }
    self.options = options
    self.progress = progress
    scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
      "comparison-\(UUID().uuidString)", isDirectory: true)
    fixtures = try StoreFixtures(in: scratch.appendingPathComponent("Fixtures"))
  }

  deinit { try? FileManager.default.removeItem(at: scratch) }

  /// - Parameter sources: the checkout's sources, to count the lines of code; nil if there are none.
  public func report(sources: SetupSources?) throws -> ComparisonReport {
    let date = Date()
    var results = ResultsOfRounds()
    let rounds = options.factsOnly || !options.measuresTime ? 1 : options.size.rounds
    for round in 1...rounds {
      for candidate in candidates {
        progress("round \(round) of \(rounds): \(candidate.info.title)")
        results.add(try workload(candidate, countingStatements: false), of: candidate.info.id)
      }
    }
    for candidate in candidates {
      progress("statements: \(candidate.info.title)")
      results.add(statementsOf: candidate.info.id, try workload(candidate, countingStatements: true))
    }
    var size = options.size
    size.rounds = rounds
    let outcomes = options.faults ? try faultOutcomes() : [:]
    let measures = Measure.all.filter { options.measuresTime && !options.factsOnly || !$0.needsRelease }
    return ComparisonReport(
      machine: Machine(date: date), workload: size,
      setups: candidates.map { candidate in
        var report = results.report(candidate.info, sources: sources, measures: measures)
        report.outcomes = outcomes[candidate.info.id] ?? [:]
        if !options.measuresTime || options.factsOnly {
          report.timeline = []
          report.visibility?.delay = nil
        }
        return report
      }, measures: measures, faults: options.faults ? InjectedFault.all(for: candidates.map(\.info)).map(\.fault) : [])
  }

  // MARK: One child process

  /// The results of one run of the workload.
  struct WorkloadOutcome {
    var result: WorkloadResult?
    var statements = 0
    var failure: String?
  }

  private func workload(_ candidate: Candidate, countingStatements: Bool) throws -> WorkloadOutcome {
    let (folder, place) = try place(for: candidate, with: .books(options.size.booksBefore))
    defer { try? FileManager.default.removeItem(at: folder) }
    let answer = folder.appendingPathComponent("answer.json")
    let request = ComparisonChild.Request(
      task: .workload(options.size), setup: candidate.info.id, folder: folder.path, answer: answer.path,
      plant: options.plant)
    let child = try ChildProcess(
      try stage(for: candidate, hasModel: true).executable,
      arguments: try request.arguments() + (countingStatements ? ["-com.apple.CoreData.SQLDebug", "1"] : []),
      scratch: folder)
    var outcome = WorkloadOutcome()
    outcome.statements = child.standardError.split(separator: "\n").filter { $0.contains("CoreData: sql: ") }.count
    guard child.end == .exit(0), let data = try? Data(contentsOf: answer) else {
      outcome.failure = "It \(child.end.sentence). \(child.lastWords ?? "")".trimmingCharacters(in: .whitespaces)
      return outcome
    }
    let result = try JSONDecoder().decode(WorkloadResult.self, from: data)
    // The books before, the imported ones, and the one that `observeVisibility` makes.
    let expected = options.size.booksBefore + options.size.books + 1
    let file = place.state(rowsBefore: options.size.booksBefore)
    guard file.rowsAfter == expected, file.integrity == "ok" else {
      outcome.failure =
        "The file holds \(file.rowsAfter.map(String.init) ?? "no") books and should hold \(expected); integrity: \(file.integrity)."
      return outcome
    }
    outcome.result = result
    return outcome
  }

  /// Makes a folder with a copy of a store, or with the URL of a store on the server, under the name that the set-up
  /// expects.
  func place(
    for candidate: Candidate, with fixture: StoreFixtures.Fixture
  ) throws -> (folder: URL, store: any StorePlace) {
    let folder = scratch.appendingPathComponent("run-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if let servers, candidate.info.isOnServer == true {
      return (folder, try servers.place(fixture, in: folder, named: candidate.info.storeName))
    }
    let url = folder.appendingPathComponent(candidate.info.storeName)
    try FileManager.default.copyItem(at: try fixtures.file(fixture), to: url)
    return (folder, FilePlace(url: url))
  }

  func stage(for candidate: Candidate, hasModel: Bool) throws -> ProgramStage {
    let key = "\(candidate.program.path) \(hasModel)"
    if let stage = stages[key] { return stage }
    let models = candidates.filter { $0.program == candidate.program }.map(\.info.modelName).filter { !$0.isEmpty }
    let stage = try ProgramStage(
      program: candidate.program, in: scratch.appendingPathComponent("Stage-\(stages.count)"),
      models: hasModel ? models : [])
    stages[key] = stage
    return stage
  }
}
