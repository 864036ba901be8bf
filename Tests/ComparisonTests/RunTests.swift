import BuiltPrograms
import ChapterSetups
import Foundation
import PrivateServer
import Testing

@testable import Comparison

/// Runs real children. They are alone on the machine's main resources, one after the other; no time is tested closely.
@Suite("A run", .serialized)
struct RunTests {
  private func candidates(_ ids: [String]) throws -> [Candidate] {
    let program = try #require(BuiltProgram.url("compare"))
    return try ids.map { id in
      let type = try #require((ChapterSetups.all + ChapterSetups.later).first { $0.info.id == id })
      return Candidate(info: type.info, program: program)
    }
  }

  private func report(
    _ ids: [String], plant: PlantedFault? = nil, faults: Bool = false, measuringTime: Bool = false
  ) throws -> ComparisonReport {
    var options = ComparisonRun.Options()
    options.size = WorkloadSize(booksBefore: 200, books: 400, batch: 100, rounds: 1)
    options.faults = faults
    options.plant = plant
    options.measuresTime = measuringTime
    return try ComparisonRun(try candidates(ids), options: options).report(sources: nil)
  }

  private func value(_ measure: String, _ id: String, _ report: ComparisonReport) -> Double? {
    report.setup(id)?.values[measure]?.median
  }

  @Test("All set-ups get through the workload, and the file has every book")
  func workload() throws {
    let report = try self.report(ChapterSetups.all.map { $0.info.id })
    for setup in report.setups {
      #expect(setup.failures == [], "\(setup.info.id)")
      #expect(setup.visibility?.changedObject == .atOnce, "\(setup.info.id)")
      #expect(setup.timeline.isEmpty, "no times in a debug build")
    }
    #expect(report.measures.allSatisfy { !$0.needsRelease })
    // One context: the import's save writes the user's edit along, and leaves the user nothing to save.
    #expect(value("mainSaves", "manual", report) == 4)
    #expect(value("unasked", "manual", report) == 4)
    #expect(value("unasked", "background", report) == 0)
    #expect(value("conflicts", "background", report) == 0)
    #expect(
      report.setup("enqueue")?.contexts.contains(ContextFact(role: "writes", queue: "private queue", count: 4)) == true)
    #expect(
      report.setup("actor")?.contexts.contains(ContextFact(role: "writes", queue: "private queue", count: 1)) == true)
    #expect(report.setup("child")?.contexts.contains { $0.role == "passes saves on" } == true)
  }

  @Test("The set-up with model classes gets through the workload; its main context saves the user's edits unasked")
  func models() throws {
    let report = try self.report(["swiftdata"], faults: true)
    let setup = try #require(report.setup("swiftdata"))
    #expect(setup.failures == [] && setup.visibility?.changedObject == .atOnce)
    #expect(value("unasked", "swiftdata", report) == 4)
    #expect(setup.contexts.contains(ContextFact(role: "writes", queue: "private queue", count: 1)))
    func outcome(_ fault: InjectedFault) throws -> FaultOutcome { try #require(setup.outcomes[fault.rawValue]) }
    #expect(
      try outcome(.unreadable).surface == .thrown
        && outcome(.unreadable).error?.contains("over NSCocoaErrorDomain 259") == true)
    #expect(try outcome(.modelMissing).surface == .notApplicable)
    #expect(try outcome(.olderModel).surface == .none && outcome(.otherModel).surface == .thrown)
    // The main context has saved the user's value by itself before the writer's came.
    #expect(try outcome(.conflict).surface == .none && outcome(.conflict).file.detail == "the writer's value")
    // The tenth book takes the place of the stored one with its ISBN.
    #expect(try outcome(.constraint).surface == .none && outcome(.constraint).file.rowsAfter == 110)
    #expect(try outcome(.thrown).surface == .thrown && outcome(.thrown).file.rowsAfter == 101)
    #expect(try outcome(.trap).surface == .ended && outcome(.trap).file.rowsAfter == 100)
    #expect(try outcome(.killed).place == "SIGKILL" && outcome(.killed).file.rowsAfter == 100)
    #expect(try outcome(.full).surface == .thrown && outcome(.full).canWriteAfterwards == true)
  }

  @Test("The facts are the same in two runs")
  func repeatable() throws {
    let (first, second) = (try self.report(["manual", "background"]), try self.report(["manual", "background"]))
    #expect(ReportText(first, factsOnly: true).text == ReportText(second, factsOnly: true).text)
  }

  @Test("A planted save on the main queue is in the table")
  func saveOnMain() throws {
    let (sound, planted) = (try self.report(["enqueue"]), try self.report(["enqueue"], plant: .saveOnMain))
    #expect(value("mainSaves", "enqueue", sound) == 4)
    #expect(
      planted.setup("enqueue")?.contexts == [ContextFact(role: "reads and writes", queue: "main queue", count: 1)])
    #expect(value("unasked", "enqueue", planted) == 4)
  }

  @Test("A planted lack of merging shows in conflicts and in what a reader sees")
  func noMerge() throws {
    let report = try self.report(["background", "actor"], plant: .noMerge)
    for setup in report.setups {
      #expect(setup.visibility?.changedObject == .afterRefresh)
      #expect(value("conflicts", setup.info.id, report) == 4)
    }
  }

  @Test("A planted lack of saving fails, for the file is counted by somebody else")
  func noSave() throws {
    let report = try self.report(["background"], plant: .noSave)
    let failures = try #require(report.setup("background")).failures
    #expect(!failures.isEmpty)
    #expect(report.setup("background")?.values["saves"] == nil)
  }

  @Test("A planted stall of the main queue is measured")
  func stall() throws {
    let report = try self.report(["background"], plant: .stall, measuringTime: true)
    #expect(try #require(value("stall", "background", report)) > 200)
    let stalls = try #require(report.setup("background")).timeline.filter { $0.kind == .stalled }
    // Each of the four is of 300 ms; a busy machine may add shorter ones.
    #expect(stalls.filter { $0.end - $0.start > 250 }.count == 4)
  }

  @Test("Faults come to light where each set-up lets them, and leave no broken file")
  func faults() throws {
    let report = try self.report(["manual", "callback", "awaited", "enqueue"], faults: true)
    func outcome(_ fault: InjectedFault, _ id: String) throws -> FaultOutcome {
      try #require(report.setup(id)?.outcomes[fault.rawValue])
    }
    #expect(try outcome(.unreadable, "manual").surface == .property)
    #expect(try outcome(.unreadable, "callback").surface == .handler)
    #expect(try outcome(.unreadable, "awaited").surface == .thrown)
    #expect(try outcome(.unreadable, "callback").error?.hasPrefix("NSCocoaErrorDomain 259") == true)
    #expect(try outcome(.modelMissing, "manual").surface == .ended)
    #expect(try outcome(.modelMissing, "manual").message?.contains("SingleViewCoreData") == true)
    // The container goes on with an empty model, to which a store is not migrated.
    #expect(try outcome(.modelMissing, "enqueue").surface == .property)
    #expect(try outcome(.modelMissing, "enqueue").error?.hasPrefix("NSCocoaErrorDomain 134140") == true)
    #expect(try outcome(.modelMissing, "enqueue").file.rowsAfter == 100)
    #expect(try outcome(.olderModel, "callback").surface == .handler)
    #expect(try outcome(.olderModel, "enqueue").surface == .none)
    #expect(try outcome(.otherModel, "enqueue").surface == .property)
    #expect(try outcome(.constraint, "enqueue").error?.hasPrefix("NSCocoaErrorDomain 133021") == true)
    // A context that is thrown away takes the half-done block with it; the only context there is keeps it.
    #expect(try outcome(.thrown, "manual").file.rowsAfter == 111)
    #expect(try outcome(.thrown, "enqueue").file.rowsAfter == 101)
    #expect(try outcome(.constraint, "manual").canWriteAfterwards == false)
    #expect(try outcome(.constraint, "enqueue").canWriteAfterwards == true)
    for id in ["manual", "callback", "awaited", "enqueue"] {
      #expect(try outcome(.killed, id).place == "SIGKILL")
      #expect(try outcome(.trap, id).surface == .ended)
      #expect(try outcome(.full, id).surface == .thrown)
      for fault in [InjectedFault.killed, .trap] { #expect(try outcome(fault, id).file.rowsAfter == 100) }
      for fault in InjectedFault.all(for: report.setups.map(\.info)) where !fault.isMetAtOpening {
        #expect(try outcome(fault, id).file.integrity == "ok")
      }
    }
  }

  @Test(
    "A set-up on a server gets through the workload and the faults, its books counted by psql, a file's faults left out",
    .enabled(if: (try? PrivateServer()) != nil, "Install the package postgresql."))
  func server() throws {
    let report = try self.report(["background", "server"], faults: true)
    let setup = try #require(report.setup("server"))
    #expect(setup.failures == [] && setup.visibility?.changedObject == .atOnce)
    func outcome(_ fault: InjectedFault, of id: String = "server") throws -> FaultOutcome {
      try #require(report.setup(id)?.outcomes[fault.rawValue])
    }
    for fault in [InjectedFault.unreadable, .full] {
      let outcome = try outcome(fault)
      #expect(outcome.surface == .notApplicable && outcome.note == "A file's fault: does not apply.")
    }
    let elsewhere = try outcome(.serverStops, of: "background")
    #expect(elsewhere.surface == .notApplicable && elsewhere.note == "A server's fault: does not apply.")
    #expect(ReportText(report, factsOnly: true).text.contains("a file's fault: does not apply"))
    let stopped = try outcome(.serverStops)
    #expect(stopped.surface == .thrown && stopped.canWriteAfterwards == true && stopped.file.rowsAfter == 101)
    #expect(stopped.message?.contains("08006") == true, "\(stopped)")
    let killed = try outcome(.killed)
    #expect(killed.place == "SIGKILL" && killed.file.rowsAfter == 100)
    #expect(try outcome(.thrown).surface == .thrown && outcome(.thrown).file.rowsAfter == 101)
    #expect(try outcome(.trap).surface == .ended && outcome(.trap).file.rowsAfter == 100)
    #expect(try outcome(.constraint).error?.hasPrefix("NSCocoaErrorDomain 133021") == true)
    #expect(try outcome(.conflict).file.detail == "the user's value")
    #expect(try outcome(.olderModel).surface == .none && outcome(.otherModel).surface == .thrown)
  }

  @Test("A planted lack of saving fails on a server too", .enabled(if: (try? PrivateServer()) != nil))
  func noSaveOnServer() throws {
    let report = try self.report(["server"], plant: .noSave)
    #expect(report.setup("server")?.failures.contains { $0.contains("books and should hold") } == true)
  }

  @Test("Where no server can be started its set-up is left out, with what to install")
  func noServer() async {
    await #expect(processExitsWith: .success) {
      // In a process of its own, nobody else reads it.
      setenv("STRATA_POSTGRESQL", "/nowhere", 1)
      let run = try ComparisonRun(try RunTests().candidates(["background", "server"]))
      #expect(run.candidates.map(\.info.id) == ["background"])
      #expect(run.omission?.contains("install the package postgresql") == true)
    }
  }

  @Test("A set-up that is not there is an error, not an empty row")
  func unknownSetup() throws {
    let program = try #require(BuiltProgram.url("compare"))
    let info = SetupInfo(id: "nobody", title: "Nobody", summary: "", modelName: "Nobody", storeName: "Nobody.sqlite")
    var options = ComparisonRun.Options()
    options.faults = false
    let report = try ComparisonRun([Candidate(info: info, program: program)], options: options).report(sources: nil)
    #expect(report.setups[0].failures.contains { $0.contains("nobody") })
  }
}
