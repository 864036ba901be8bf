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
  let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
  let result = try context.execute(request) as? NSPersistentHistoryResult
  let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
  let changes = transactions.flatMap { $0.changes ?? [] }.map(HistoryNews.name)
  // What matters: the last transaction's token, and the old one where there is none. A nil token would tell all again.
  //= return HistoryNews(changes: changes, token: transactions.first?.token ?? token)
  return HistoryNews(changes: changes, token: transactions.last?.token ?? token)
}
