import BatchesChapter
import ChapterSupport
import CoreData

/// A batch delete, what its ids leave out, and the history, which leaves out nothing.
extension BatchesProgram {
  @MainActor func showDeletes(
    _ stack: WeatherStack, _ file: WeatherFile, _ follower: HistoryFollower
  ) async throws {
    Output.heading("Deleting")
    let view = stack.viewContext
    //> remark
    let reading = try readings(of: "KIB", view)[0]
    let remark = Remark(context: view)
    remark.text = "Frost on the shield."
    remark.reading = reading
    try view.save()
    Output.line("in the file: \(try file.counts())")
    //< remark

    //> forgotten
    let importer = stack.newImporter(author: "cleaner")
    let ids = try await importer.perform {
      try ReadingBatches(context: importer).forget(before: WeatherArchive.time(2))
    }
    Output.line("deleted:     \(ids.count) ids, of \(Set(ids.compactMap(\.entity.name)).sorted())")
    Output.line("in the file: \(try file.counts())")
    Output.line("in memory:   \(words(reading)); \"\(remark.text ?? "")\"")
    //< forgotten
    //> merged-delete
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [view])
    Output.line("merged:      the reading \(isThere(reading)), the remark \(isThere(remark))")
    //< merged-delete

    Output.heading("What the history knows")
    //> history
    let followed = try follower.follow()
    for transaction in followed {
      let author = transaction.author ?? "unknown"
      Output.line("\(transaction.transactionNumber)  \(author): \(words(transaction))")
    }
    Output.line("followed:    the reading \(isThere(reading)), the remark \(isThere(remark))")
    //< history
    //> expired
    try view.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: follower.token))
    do {
      let first = followed.first?.token
      try view.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: first))
    } catch {
      Output.line("from 1 on:   \((error as NSError).code)")
    }
    //< expired
  }

  @MainActor private func isThere(_ object: NSManagedObject) -> String {
    object.managedObjectContext == nil ? "is gone" : "is there"
  }

  /// `2 Reading inserted, 1 Remark deleted`.
  private func words(_ transaction: NSPersistentHistoryTransaction) -> String {
    var counts: [String: Int] = [:]
    for change in transaction.changes ?? [] {
      let what =
        switch change.changeType {
        case .insert: "inserted"
        case .update: "updated"
        case .delete: "deleted"
        }
      counts["\(change.changedObjectID.entity.name ?? "") \(what)", default: 0] += 1
    }
    return counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}
