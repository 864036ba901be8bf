import ArgumentParser
import BatchesChapter
import ChapterSupport
import CoreData
import Foundation
import StepRecorder

/// What the book's stepper shows of this chapter.
extension BatchesProgram {
  enum Recording: String, CaseIterable, ExpressibleByArgument {
    case below
  }

  @MainActor func recordBatch(_ stack: WeatherStack, _ file: WeatherFile) throws {
    let view = stack.viewContext
    try ArchiveImport(context: view).bySaving(Array(WeatherArchive(["KIB"], readingsEach: 2))[0..<2])
    view.reset()
    let steps = try StepRecorder(
      "A batch below the objects", contexts: ["viewContext": view],
      objects: ["Reading": "time, celsius, isChecked"], file: file.url,
      tables: ["ZREADING": "Z_PK, Z_OPT, ZCELSIUS, ZISCHECKED"])
    let readings = try self.readings(of: "KIB", view)
    for reading in readings { _ = reading.celsius }
    try steps.frame("You fetch two readings.")
    let ids = try ReadingBatches(context: view).calibrate("KIB", by: 0.5)
    try steps.frame("A batch update adds half a degree to each row.")
    readings[0].celsius = -6
    try steps.frame("You set the first reading to -6.")
    do {
      try view.save()
      throw ChapterFailure("A stale reading was saved to \(file.url.path).")
    } catch let error as NSError where error.domain == NSCocoaErrorDomain {
      try steps.frame("You save, and `save()` throws \(error.code).")
    }
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [view])
    try steps.frame("You merge the ids that the batch returned.")
    try view.save()
    try steps.frame("You save again.")
    withExtendedLifetime(readings) {}
    try stack.close()
  }
}
