import CoreData
import Foundation

let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true as NSNumber]

/// A stack over a SQLite store that keeps its history.
func tracked(_ model: NSManagedObjectModel = library(), at url: URL? = nil) throws -> Stack {
  try Stack(.sqlite, model, at: url, options: tracking)
}

extension NSManagedObjectContext {
  /// Executes a request for history.
  func answer(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
    try (execute(request) as! NSPersistentHistoryResult).result
  }

  func transactions(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryTransaction] {
    try answer(request) as! [NSPersistentHistoryTransaction]
  }

  /// All of the history, or what came after a token.
  func transactions(after token: NSPersistentHistoryToken? = nil) throws -> [NSPersistentHistoryTransaction] {
    try transactions(.fetchHistory(after: token))
  }

  func save(by author: String?) throws {
    transactionAuthor = author
    try save()
  }
}

extension NSPersistentHistoryTransaction {
  /// The changes as words: `insert Book`, `update Author books,name`.
  var words: [String] {
    (changes ?? []).map { change in
      let names = change.updatedProperties.map { " " + $0.map(\.name).sorted().joined(separator: ",") } ?? ""
      return "\(change.changeType) \(change.changedObjectID.entity.name!)\(names)"
    }.sorted()
  }
}
