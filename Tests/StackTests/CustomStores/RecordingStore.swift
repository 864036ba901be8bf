import CoreData
import Foundation

/// A `DictionaryStore` that executes batch requests, keeps a history, and writes down which objects contexts have.
final class RecordingStore: DictionaryStore {
  private let lock = NSLock()
  private nonisolated(unsafe) var transactions: [(author: String?, changes: [Change])] = []
  private nonisolated(unsafe) var deletedTransactions = 0
  private nonisolated(unsafe) var news: [String] = []

  private typealias Change = (type: NSPersistentHistoryChangeType, id: NSManagedObjectID, properties: [String]?)

  private var server: DictionaryServer { DictionaryServer.at(url!) }

  override var type: String { "Recording" }

  override func canExecute(_ request: NSPersistentStoreRequest) -> Bool { true }

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    switch request {
    case let request as NSPersistentHistoryChangeRequest: return history(request)
    case let request as NSBatchInsertRequest:
      var ids: [NSManagedObjectID] = []
      for values in request.objectsToInsert ?? [] {
        let reference = server.newReference(for: request.entityName)
        server.write([reference: .init(entity: request.entityName, values: values)], deleting: [])
        ids.append(newObjectID(for: request.entity!, referenceObject: reference))
      }
      return request.resultType == .count ? ids.count : ids
    case let request as NSBatchUpdateRequest:
      let found = records(request.entityName)
      for (reference, var record) in found {
        for case (let name as String, let value) in request.propertiesToUpdate ?? [:] { record.values[name] = value }
        server.write([reference: record], deleting: [])
      }
      let ids = found.keys.sorted().map { newObjectID(for: request.entity, referenceObject: $0) }
      return request.resultType == .updatedObjectsCountResultType ? ids.count : ids
    case let request as NSBatchDeleteRequest:
      let found = records(request.fetchRequest.entity!.name!).keys.sorted()
      server.write([:], deleting: found)
      return request.resultType == .resultTypeCount
        ? found.count : found.map { newObjectID(for: request.fetchRequest.entity!, referenceObject: $0) }
    case let request as NSSaveChangesRequest:
      let result = try super.execute(request, with: context)
      note(request, context)
      return result
    default: return try super.execute(request, with: context)
    }
  }

  private func records(_ entity: String) -> [String: DictionaryServer.Record] {
    server.records.filter { $0.value.entity == entity }
  }

  // History.

  private func note(_ request: NSSaveChangesRequest, _ context: NSManagedObjectContext?) {
    var changes: [Change] = (request.insertedObjects ?? []).map { (.insert, $0.objectID, nil) }
    changes += (request.updatedObjects ?? []).map { (.update, $0.objectID, $0.changedValues().keys.sorted()) }
    changes += (request.deletedObjects ?? []).map { (.delete, $0.objectID, nil) }
    lock.withLock { transactions.append((context?.transactionAuthor, changes)) }
  }

  override func lastTransactionNumber() throws -> Int64 { lock.withLock { Int64(transactions.count) } }

  private func history(_ request: NSPersistentHistoryChangeRequest) -> Any {
    let (all, first) = lock.withLock { (transactions, deletedTransactions) }
    let place = request.transactionNumber(inStore: identifier!).map { Int($0) } ?? 0
    if request.requestType == .batchDeleteRequestType {
      lock.withLock { deletedTransactions = max(first, place - 1) }
      return max(0, place - 1 - first)
    }
    return (max(place, first)..<all.count).map { (index: Int) -> NSPersistentHistoryTransaction in
      var changes: [NSPersistentHistoryChange] = []
      for (number, change) in all[index].changes.enumerated() {
        changes.append(
          NSPersistentHistoryChange(
            changeID: Int64(index * 1000 + number), changeType: change.type, changedObjectID: change.id,
            updatedProperties: change.properties))
      }
      return NSPersistentHistoryTransaction(
        transactionNumber: Int64(index + 1), storeID: identifier!, timestamp: Date(), author: all[index].author,
        changes: changes)
    }
  }

  // Objects of contexts.

  /// "+" and "-" with the references of the objects that came and went since the last time.
  func takeNews() -> [String] {
    lock.withLock {
      defer { news = [] }
      return news
    }
  }

  override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
    lock.withLock { news += objectIDs.map { "+\($0.uriRepresentation().lastPathComponent)" } }
  }

  override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
    lock.withLock { news += objectIDs.map { "-\($0.uriRepresentation().lastPathComponent)" } }
  }
}
