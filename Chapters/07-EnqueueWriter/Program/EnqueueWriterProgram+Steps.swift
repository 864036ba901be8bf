import ArgumentParser
import ChapterSupport
import CoreData
import EnqueueWriterChapter
import Foundation
import StepRecorder

/// What the book's stepper shows of this chapter.
extension EnqueueWriterProgram {
  enum Recording: String, CaseIterable, ExpressibleByArgument {
    case lost
  }

  @MainActor func recordLostUpdate(_ manager: CoreDataManager, _ file: WriterFile) throws {
    let contexts = UnqueuedWriters(manager).contexts(2)
    let (first, second) = (contexts[0], contexts[1])
    try first.performAndWait {
      try Tally.named("visits", in: first).total = 5
      try first.save()
      first.reset()
    }
    let steps = try StepRecorder(
      "A lost update", contexts: ["first": first, "second": second], objects: ["Tally": "name, total"],
      file: file.url, tables: ["ZTALLY": "Z_PK, Z_OPT, ZTOTAL"])
    let tallies = try contexts.map { context in
      try context.performAndWait {
        let tally = try Tally.named("visits", in: context)
        _ = tally.total
        return tally
      }
    }
    try steps.frame("Two writers read the tally.")
    first.performAndWait { tallies[0].total += 10 }
    second.performAndWait { tallies[1].total += 1 }
    try steps.frame("The first adds 10, the second adds 1.")
    try first.performAndWait { try first.save() }
    try steps.frame("The first saves.")
    let code = second.performAndWait {
      do {
        try second.save()
        return 0
      } catch {
        return (error as NSError).code
      }
    }
    try steps.frame("The second saves, and `save()` throws \(code).")
    try second.performAndWait {
      second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try second.save()
    }
    try steps.frame("The second saves again, with the policy `mergeByPropertyObjectTrump`.")
    withExtendedLifetime(tallies) {}
    try manager.close()
  }
}
