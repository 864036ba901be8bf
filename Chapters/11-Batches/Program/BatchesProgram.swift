import ArgumentParser
import BatchesChapter
import ChapterSupport
import CoreData
import Foundation

@main
struct BatchesProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "Batches",
    abstract: "Many rows at once, past the objects: batch inserts, updates and deletes, and who hears of them.")

  @OptionGroup var store: StoreOptions

  @Flag(name: .customLong("break"), help: "Let batches write what a save would have refused.")
  var breaksRules = false

  @Option(
    name: .customLong("measure"),
    help: ArgumentHelp("Compare batches with saves over so many readings; in release only.", valueName: "readings"))
  var measured: Int?

  @Option(name: .customLong("steps"), help: "Print the frames of the book's stepper: below.")
  var recording: Recording?

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether(["--measure": measured != nil, "--break": breaksRules, "--steps": recording != nil])
  }

  @MainActor func perform() async throws {
    if let measured { return try Measurement(readings: measured, store: store).run() }
    let folder = try store.openFolder(for: "Batches", stores: [WeatherStack.storeName])
    let stack = try WeatherStack(folder: folder)
    let file = WeatherFile(url: folder.appendingPathComponent(WeatherStack.storeName))
    let view = stack.viewContext
    view.transactionAuthor = "keeper"
    let follower = HistoryFollower(view)
    try addStations(view)
    if recording != nil { return try recordBatch(stack, file) }
    if breaksRules { return try await showBrokenRules(stack, file) }

    try await showInserts(stack, file)
    try await showDeliveries(stack, file)
    try await showUpdates(stack, file)
    try await showDeletes(stack, file, follower)
    try stack.close()
    Output.line("the closed file holds \(try file.counts())")
  }

  @MainActor private func addStations(_ context: NSManagedObjectContext) throws {
    let all: NSFetchRequest<Station> = Station.fetchRequest()
    guard try context.count(for: all) == 0 else {
      throw ChapterFailure("An earlier run has filled this store. Start over with --fresh.")
    }
    for (code, name) in [("KIB", "Kibo Hut"), ("MWE", "Mweka Gate"), ("HOR", "Horombo Hut")] {
      let station = Station(context: context)
      station.code = code
      station.name = name
    }
    try context.save()
  }

  @MainActor private func showInserts(_ stack: WeatherStack, _ file: WeatherFile) async throws {
    Output.heading("Four ways in")
    //> four-ways
    let lines = Array(WeatherArchive(["KIB", "MWE", "HOR"], readingsEach: 6))
    let importer = stack.newImporter(author: "archive")
    try await importer.perform {
      let archive = ArchiveImport(context: importer)
      try archive.bySaving(lines[0..<2])
      importer.reset()
      let ids = try archive.byDictionaries(lines[2..<6])
      Output.line("dictionaries:       \(ids.count) ids, the first is \(ids[0])")
      Output.line("dictionary handler: \(try archive.byDictionaryHandler(lines[6..<12])) rows")
      Output.line("object handler:     \(try archive.byObjectHandler(lines[12..<18])) rows")
      Output.line("in the context:     \(importer.registeredObjects.count) objects")
    }
    //< four-ways
    try file.showReadings()
    try await showLinking(importer, file)
  }

  private func showLinking(_ importer: NSManagedObjectContext, _ file: WeatherFile) async throws {
    //> linking
    try await importer.perform {
      let archive = ArchiveImport(context: importer)
      for code in ["HOR", "KIB", "MWE"] {
        Output.line("linked to \(code): \(try archive.link(stationOf: code)) readings")
      }
    }
    //< linking
    try file.showReadings(where: "ZSTATIONCODE = 'KIB'")
  }
}
