import ChapterSupport
import CoreData
import Foundation
import OneServerChapter
import PostgreSQLStore
import PrivateServer

extension OneServerProgram {
  /// Two stacks that know nothing of each other stand for two machines.
  @MainActor func showConflict(_ server: PrivateServer) throws {
    let url = server.url(schema: "conflict")
    let options = [PostgreSQLNotificationsOption: false as NSNumber]
    let contexts = try (0..<2).map { _ in try ServerLibrary(at: url, options: options).container.viewContext }
    let tally = Tally(context: contexts[0])
    (tally.name, tally.total) = ("visits", 5)
    try contexts[0].save()
    contexts[0].reset()

    Output.heading("Two machines, one after the other")
    //> collide
    let tallies = try contexts.map { try Tally.named("visits", in: $0) }
    for tally in tallies { tally.total += 1 }
    try contexts[0].save()
    do {
      try contexts[1].save()
    } catch let error as NSError where error.code == NSManagedObjectMergeError {
      // The key has no constant of its own.
      let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict]
      for conflict in conflicts ?? [] { show(conflict) }
    }
    //< collide
  }

  private func show(_ conflict: NSMergeConflict) {
    let read = conflict.objectSnapshot?["total"] ?? "none"
    let wanted = (conflict.sourceObject as? Tally)?.total ?? 0
    let stored = conflict.persistedSnapshot?["total"] ?? "none"
    Output.table([
      ["", "read", "to be saved", "on the server"],
      ["total", "\(read)", "\(wanted)", "\(stored)"],
      ["version", "\(conflict.oldVersionNumber)", "", "\(conflict.newVersionNumber)"],
    ])
  }
}
