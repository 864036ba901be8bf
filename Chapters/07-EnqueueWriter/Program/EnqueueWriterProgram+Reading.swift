import ChapterSupport
import CoreData
import EnqueueWriterChapter
import Foundation

extension EnqueueWriterProgram {
  //> reading
  @MainActor func showReading(_ manager: CoreDataManager, _ file: WriterFile) async throws {
    Output.heading("The view context reads while the writer writes")
    _ = try await manager.enqueue { try Tally.named("read", in: $0).total = 1 }
    let seen = try Tally.named("read", in: manager.viewContext)
    let gate = holdWriter(manager) { try Tally.named("read", in: $0).total = 2 }
    let found = try manager.viewContext.count(for: NSFetchRequest<Tally>(entityName: "Tally"))
    Output.line("the block has set 2: the view context sees \(seen.total)")
    Output.line("a fetch meanwhile finds \(Output.count(found, "tally", "tallies"))")
    gate.signal()
    manager.waitUntilWritten()
    let stored = try file.total("read")
    Output.line("committed: the file has \(stored), the view context sees \(seen.total)")
    // The merge is queued on the main queue during the save; what is queued now comes after it.
    await manager.viewContext.perform(schedule: .enqueued) {}
    Output.line("the main queue had its turn: the view context sees \(seen.total)")
  }
  //< reading

  /// Enqueues `change` in a block that does not return before the gate is signalled; waits until it has run.
  @MainActor private func holdWriter(
    _ manager: CoreDataManager, _ change: @escaping (NSManagedObjectContext) throws -> Void
  ) -> DispatchSemaphore {
    let changed = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    manager.enqueue { context in
      let result = Result { try change(context) }
      changed.signal()
      gate.wait()
      try result.get()
    }
    changed.wait()
    return gate
  }

  //> leaving
  @MainActor func showWhatLeavesABlock(_ manager: CoreDataManager) async throws {
    Output.heading("What may leave a block")
    var escaped: Entry?
    let id = try await manager.enqueue { context in
      let entry = Entry(context: context)
      entry.producer = -3
      entry.sequence = 1
      try context.obtainPermanentIDs(for: [entry])
      escaped = entry
      return entry.objectID
    }
    Output.line("the object, afterwards, has a context: \(escaped?.managedObjectContext != nil)")
    let again = try manager.viewContext.existingObject(with: id) as? Entry
    let (producer, sequence) = (again?.producer ?? 0, again?.sequence ?? 0)
    Output.line("its id finds it in the view context: producer \(producer), entry \(sequence)")
  }
  //< leaving

  @MainActor func showMisuse(_ manager: CoreDataManager) async {
    Output.heading("The view context off the main thread")
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let queue = OperationQueue()
      queue.name = "somewhere else"
      queue.addOperation {
        _ = manager.viewContext
        continuation.resume()
      }
    }
  }
}
