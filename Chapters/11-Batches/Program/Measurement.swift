import BatchesChapter
import ChapterSupport
import CoreData
import Foundation

/// `--measure`: the same work by saving and by batches, each time over a new store. The figures say something in
/// release only: a debug build prints none.
struct Measurement {
  let readings: Int
  let store: StoreOptions

  @MainActor func run() throws {
    //> no-figures
    #if DEBUG
    throw ChapterFailure(
      "THIS IS A DEBUG BUILD: its times mean nothing, and none were taken.",
      picture: "Measure with: swift run -c release Batches --measure \(readings)")
    //< no-figures
    #else
    let folder = try store.openFolder(for: "Batches", stores: [], announcing: false)
      .appendingPathComponent("Measured", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let measurement = ReleaseMeasurement(folder: folder, readings: readings)
    try table("Inserting", ReleaseMeasurement.inserts, measurement)
    try table("Updating all", ReleaseMeasurement.updates, measurement)
    try table("Deleting half", ReleaseMeasurement.deletes, measurement)
    try FileManager.default.removeItem(at: folder)
    #endif
  }

  #if !DEBUG
  /// Each way three times, the middle one counts.
  private func table(
    _ title: String, _ ways: [ReleaseMeasurement.Way], _ measurement: ReleaseMeasurement
  ) throws {
    var rows: [(String, Double)] = []
    for way in ways {
      rows.append((way.name, try (0..<3).map { _ in try measurement.seconds(way) }.sorted()[1]))
    }
    Output.heading("\(title), \(readings) readings")
    Output.table(
      [["", "seconds", "times as fast"]]
        + rows.map { [$0.0, String(format: "%.3f", $0.1), String(format: "%.1f", rows[0].1 / $0.1)] })
  }
  #endif
}
