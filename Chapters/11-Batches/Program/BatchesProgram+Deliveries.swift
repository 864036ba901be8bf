import BatchesChapter
import ChapterSupport
import CoreData

/// What a batch insert still checks: mandatory attributes and uniqueness.
extension BatchesProgram {
  @MainActor func showDeliveries(_ stack: WeatherStack, _ file: WeatherFile) async throws {
    Output.heading("What is still checked")
    let importer = stack.newImporter(author: "archive")
    try await importer.perform {
      let archive = ArchiveImport(context: importer)
      //> missing-value
      var lines = Array(WeatherArchive(["NEW"], readingsEach: 3))
      lines[2].celsius = nil
      let before = try file.rowCount(of: "ZREADING")
      do {
        _ = try archive.byDictionaries(lines)
      } catch {
        Output.line("no value: \((error as NSError).code), \(error.localizedDescription)")
      }
      Output.line("  rows: \(before) before, \(try file.rowCount(of: "ZREADING")) after")
      //< missing-value

      //> second-delivery
      let corrected = WeatherArchive(["MWE"], readingsEach: 7, correction: 0.25)
      do {
        _ = try archive.byDictionaries(corrected)
      } catch {
        let error = error as NSError
        // The key has no constant of its own.
        let conflicts = error.userInfo["conflictList"] as? [NSConstraintConflict]
        let names = conflicts?.first?.constraint.joined(separator: ", ") ?? "none"
        Output.line("once more: \(error.code), the constraint is (\(names))")
      }
      importer.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      Output.line("by the policy: \(try archive.byDictionaries(corrected).count) rows")
      //< second-delivery
    }
    try file.showReadings(where: "ZSTATIONCODE = 'MWE'")
  }
}
