import CoreData
import Foundation

/// The history of a store on a server, as Core Data reads it: there, the tables keep values in the protocol's form.
extension TransactionList {
  static func read(_ server: ServerTables, _ file: StoreFile, _ limit: Int?) throws -> ([Transaction], Int) {
    guard let context = file.context, let id = file.store?.identifier, try HistoryTables(server) != nil else {
      throw none(file)
    }
    let total = try server.rowCount(of: "ATRANSACTION")
    let request = NSPersistentHistoryChangeRequest.fetchHistory(
      after: try limit.flatMap(server.numberBefore).map { NSPersistentHistoryToken([id: $0]) })
    let transactions = try context.performAndWait { () -> [Transaction] in
      do {
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction] ?? []).map(Transaction.init)
      } catch {
        throw InspectionFailure("The history of the store \(file.url.inWords) cannot be read", because: error)
      }
    }
    return (transactions, total - transactions.count)
  }
}

extension TransactionList.Transaction {
  fileprivate init(_ transaction: NSPersistentHistoryTransaction) {
    func text(_ text: String?) -> String? { text?.isEmpty == true ? nil : text }
    self.init(
      number: transaction.transactionNumber, time: transaction.timestamp.timeIntervalSinceReferenceDate,
      author: transaction.author, context: transaction.contextName, process: text(transaction.processID),
      bundle: text(transaction.bundleID), changes: (transaction.changes ?? []).map(TransactionList.Change.init))
  }
}

extension TransactionList.Change {
  fileprivate init(_ change: NSPersistentHistoryChange) {
    let (id, attributes) = (change.changedObjectID, change.changedObjectID.entity.attributesByName)
    let tombstone = (change.tombstone ?? [:]).compactMap { name, value -> (name: String, value: JSONValue)? in
      guard let name = name as? String else { return nil }
      return (name, attributes[name].map { JSONValue(value, of: $0) } ?? .string("\(value)"))
    }
    self.init(
      kind: change.changeType.rawValue, entity: id.entity.name ?? "-", key: id.number,
      properties: change.updatedProperties.map { $0.map(\.name).sorted() },
      tombstone: tombstone.sorted { $0.name < $1.name })
  }
}

extension ServerTables {
  /// The number of the newest transaction that is not among the last `count`; nil if there is none.
  fileprivate func numberBefore(_ count: Int) throws -> Int64? {
    try store.texts("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1 OFFSET \(count)").first?[0]
      .flatMap { Int64($0) }
  }
}
