import BatchesChapter
import ChapterSupport
import CoreData

/// `--break`: what a save would have refused, and what the file holds afterwards.
extension BatchesProgram {
  @MainActor func showBrokenRules(_ stack: WeatherStack, _ file: WeatherFile) async throws {
    try await breakLimit(stack, file)
    try breakDeleteRules(stack, file)
    try stack.close()
  }

  @MainActor private func breakLimit(_ stack: WeatherStack, _ file: WeatherFile) async throws {
    Output.heading("A value beyond its limits")
    let importer = stack.newImporter(author: "archive")
    //> broken-limit
    try await importer.perform {
      let archive = ArchiveImport(context: importer)
      _ = try archive.byDictionaries(WeatherArchive(["KIB", "MWE"], readingsEach: 2))
      for code in ["KIB", "MWE"] { _ = try archive.link(stationOf: code) }
      _ = try ReadingBatches(context: importer).calibrate("KIB", by: -500)
    }
    try file.showReadings()
    let view = stack.viewContext
    let reading = try readings(of: "KIB", view)[0]
    reading.isChecked = false
    do {
      try view.save()
    } catch {
      report(error)
    }
    //< broken-limit
    view.rollback()
  }

  @MainActor private func breakDeleteRules(_ stack: WeatherStack, _ file: WeatherFile) throws {
    Output.heading("A station with readings")
    let view = stack.viewContext
    let stations: NSFetchRequest<Station> = Station.fetchRequest()
    stations.predicate = NSPredicate(format: "code == 'MWE'")
    guard let station = try view.fetch(stations).first else { return }
    let visit = Visit(context: view)
    visit.technician = "Amani"
    visit.station = station
    try view.save()
    //> denied
    view.delete(station)
    do {
      try view.save()
    } catch {
      report(error)
      view.rollback()
    }
    Output.line("in the file: \(try file.counts())")
    //< denied

    //> not-denied
    let request = NSBatchDeleteRequest(objectIDs: [station.objectID])
    request.resultType = .resultTypeCount
    let result = try view.execute(request) as? NSBatchDeleteResult
    Output.line("the batch deletes \(result?.result as? Int ?? 0)")
    Output.line("in the file: \(try file.counts())")
    try file.showReadings(where: "ZSTATIONCODE = 'MWE'")
    Output.line("visits that lead nowhere: \(try file.lostVisits())")
    //< not-denied

    //> dangling
    view.reset()
    let visits = NSFetchRequest<Visit>(entityName: "Visit")
    guard let found = try view.fetch(visits).first, let lost = found.station else { return }
    do {
      _ = try view.existingObject(with: lost.objectID)
    } catch {
      report(error)
    }
    Output.line("its name: \(lost.name ?? "nil"), isDeleted \(lost.isDeleted)")
    do {
      try view.save()
    } catch {
      report(error)
    }
    Output.line("visits that lead nowhere: \(try file.lostVisits())")
    //< dangling
  }

  private func report(_ error: any Error) {
    let error = error as NSError
    Output.line("error \(error.code): \(error.localizedDescription)")
    if let key = error.userInfo[NSValidationKeyErrorKey] { Output.line("  \(NSValidationKeyErrorKey): \(key)") }
    if let value = error.userInfo[NSValidationValueErrorKey] as? Double {
      Output.line("  \(NSValidationValueErrorKey): \(value)")
    }
  }
}
