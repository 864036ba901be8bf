import CoreData
import ExerciseSupport

/// What has happened to a store's objects between two questions.
struct HistoryNews {
  /// The changes in their order, as `insert Book`, `update Book`, `delete Author`.
  let changes: [String]
  /// Where to go on with the next question; nil while the store has no history.
  let token: NSPersistentHistoryToken?

  /// What a change is called in `changes`.
  static func name(of change: NSPersistentHistoryChange) -> String {
    let type = ["insert", "update", "delete"][change.changeType.rawValue]
    return "\(type) \(change.changedObjectID.entity.name ?? "")"
  }
}

/// What has happened since `token`, or since the store was made if it is nil.
func historyNews(since token: NSPersistentHistoryToken?, in context: NSManagedObjectContext) throws -> HistoryNews {
  // TODO: Read the history after the token, so that the next question goes on where this one ended.
  throw Unfinished("every change since the token is told once")
}
