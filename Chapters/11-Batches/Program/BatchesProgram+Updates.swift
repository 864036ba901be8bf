import BatchesChapter
import ChapterSupport
import CoreData

/// What a batch update does to objects in memory: nothing, until you tell their context.
extension BatchesProgram {
  @MainActor func showUpdates(_ stack: WeatherStack, _ file: WeatherFile) async throws {
    Output.heading("Behind the objects' backs")
    let view = stack.viewContext
    //> calibrated
    view.undoManager = UndoManager()
    let reading = try readings(of: "KIB", view)[0]
    Output.line("in memory:   \(words(reading))")
    let ids = try ReadingBatches(context: view).calibrate("KIB", by: 0.5)
    Output.line("calibrated:  \(Output.count(ids.count, "row"))")
    Output.line("in memory:   \(words(reading))")
    Output.line("in the file: \(try file.reading("KIB", "01-01 00:00"))")
    Output.line("hasChanges \(view.hasChanges), canUndo \(view.undoManager?.canUndo ?? false)")
    //< calibrated

    //> stale
    reading.celsius = -6
    do {
      try view.save()
    } catch {
      Output.line("save() says \((error as NSError).code)")
    }
    //< stale
    //> merged-update
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [view])
    Output.line("merged:      \(words(reading)), hasChanges \(view.hasChanges)")
    try view.save()
    Output.line("saved:       \(try file.reading("KIB", "01-01 00:00"))")
    //< merged-update
    view.undoManager = nil
  }

  @MainActor func readings(of code: String, _ context: NSManagedObjectContext) throws -> [Reading] {
    let request: NSFetchRequest<Reading> = Reading.fetchRequest()
    request.predicate = NSPredicate(format: "stationCode == %@", code)
    request.sortDescriptors = [NSSortDescriptor(key: "time", ascending: true)]
    return try context.fetch(request)
  }

  @MainActor func words(_ reading: Reading) -> String {
    "\(reading.celsius) degrees, checked \(reading.isChecked)"
  }
}
