import ArgumentParser
import ChapterSetups
import Comparison
import Foundation

@main
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Runs one workload and the same faults through every set-up of the book, and prints the results.",
    discussion: """
      Each set-up runs in processes of its own, and starts with the same model and the same file. Times need a release \
      build: swift run -c release compare.

      Name two set-ups to see their code side by side, too: compare manual enqueue.

      Without names, the nine of chapter 8 run. Two others run when you name them: chapter 14's (compare background \
      swiftdata), and one on a PostgreSQL server, which compare starts by itself (compare background server).
      """)

  @Argument(help: ArgumentHelp("Run only these set-ups. Name two for a closer comparison.", valueName: "set-up"))
  var setups: [String] = []

  @Option(
    help: ArgumentHelp(
      "Build this file, which has a class that conforms to StackSetup, and run it beside the others.",
      valueName: "file.swift"))
  var with: String?

  @Option(help: "How many times to measure each set-up.")
  var rounds = WorkloadSize().rounds

  @Option(help: "How many books to import.")
  var books = WorkloadSize().books

  @Flag(help: "Print only what is the same on every machine: no times.")
  var facts = false

  @Flag(help: "Print the same as Markdown tables; set-ups with the same answers share a row.")
  var markdown = false

  @Flag(help: "Leave out the faults.")
  var noFaults = false

  @Flag(help: "Print one JSON document.")
  var json = false

  @Flag(help: "List the set-ups.")
  var list = false

  @OptionGroup var pages: PageOptions

  @Option(help: .hidden)
  var plant: PlantedFault?

  static func main() {
    MainActor.assumeIsolated { ComparisonChild.runIfAsked(ChapterSetups.all + ChapterSetups.later) }
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as ComparisonFailure {
      FileHandle.standardError.write(Data("Error: \(failure)\n".utf8))
      Foundation.exit(EXIT_FAILURE)
    } catch {
      exit(withError: error)
    }
  }

  func validate() throws {
    if rounds < 1 { throw ValidationError("--rounds must be at least 1.") }
    if books < 1 { throw ValidationError("--books must be at least 1.") }
  }

  func run() throws {
    if try pages.showBenchmarks() { return }
    let sources = SetupSources.find()
    if let report = try pages.savedReport() { return try show(report, sources) }
    var candidates = try chosen(list ? ChapterSetups.all + ChapterSetups.later : ChapterSetups.all)
    if list { return candidates.forEach { print("\($0.info.id): \($0.info.summary)") } }
    if let with { candidates += try readers(URL(fileURLWithPath: with), sources) }
    let run = try ComparisonRun(candidates, options: options, progress: Self.progress)
    if let omission = run.omission {
      FileHandle.standardError.write(Data("\(omission)\n".utf8))
      if run.candidates.isEmpty { throw ExitCode(EX_UNAVAILABLE) }
    }
    if try pages.refreshReport(with: { try run.report(sources: sources) }) { return }
    let report = try run.report(sources: sources)
    try show(report, sources)
    if report.setups.contains(where: { !$0.failures.isEmpty }) { throw ExitCode.failure }
    // As a chapter's program says it.
    if run.omission != nil { throw ExitCode(EX_UNAVAILABLE) }
  }

  private func show(_ report: ComparisonReport, _ sources: SetupSources?) throws {
    try pages.write(report)
    if json { return print(String(decoding: try report.json(), as: UTF8.self)) }
    if markdown { return print(ReportMarkdown(report).text) }
    print(ReportText(report, factsOnly: facts).text)
    if let pair = PairText(report, sources: sources) { print(pair.text) }
  }

  private var options: ComparisonRun.Options {
    var options = ComparisonRun.Options()
    options.size.rounds = rounds
    options.size.books = books
    options.faults = !noFaults
    options.factsOnly = facts || markdown || pages.refresh != nil
    options.plant = plant
    return options
  }

  private func readers(_ file: URL, _ sources: SetupSources?) throws -> [Candidate] {
    guard let sources else {
      throw ComparisonFailure(
        "Can't build \(file.lastPathComponent) here. Run compare in the checkout: swift run -c release compare.")
    }
    return try ReaderSetup(file: file, checkout: sources.root).candidates(progress: Self.progress)
  }

  /// Shows progress to a person at a terminal. Writes nothing if standard error is a file.
  private static func progress(_ line: String) {
    if isatty(STDERR_FILENO) == 1 { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
  }

  private func chosen(_ unnamed: [any ComparedSetup.Type]) throws -> [Candidate] {
    guard !setups.isEmpty else { return try Candidate.own(unnamed) }
    let candidates = try Candidate.own(ChapterSetups.all + ChapterSetups.later)
    return try setups.map { id in
      guard let candidate = candidates.first(where: { $0.info.id == id }) else {
        let known = candidates.map(\.info.id).joined(separator: ", ")
        throw ComparisonFailure("There is no set-up \"\(id)\". The set-ups are: \(known).")
      }
      return candidate
    }
  }
}

extension PlantedFault: ExpressibleByArgument {}
