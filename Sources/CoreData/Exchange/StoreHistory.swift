/// The author of a change, as the history of a store keeps it.
package struct ChangeOrigin {
  package var author: String?
  package var contextName: String?
}

/// A place in the history of one store.
package enum HistoryBound {
  /// Before the first transaction.
  case start
  case number(Int64)
  /// Seconds since 2001-01-01 00:00 UTC.
  case time(Double)
}

/// One transaction of a store's history, without its changes.
package struct HistoryTransactionRow {
  package let number: Int64
  /// Seconds since 2001-01-01 00:00 UTC.
  package let time: Double
  package var author: String?
  package var contextName: String?
  package var bundleID: String?
  package var processID: String?

  package init(
    number: Int64, time: Double, author: String? = nil, contextName: String? = nil, bundleID: String? = nil,
    processID: String? = nil
  ) {
    self.number = number
    self.time = time
    self.author = author
    self.contextName = contextName
    self.bundleID = bundleID
    self.processID = processID
  }
}

/// One change of a transaction.
package struct HistoryChangeRow {
  package let number: Int64
  /// 0 insert, 1 update, 2 delete.
  package let type: Int
  package let row: RowReference
  /// The properties that an update changed; nil for other changes, and if the store does not say.
  package var updated: [LayoutProperty]?
  /// The boxed values that a deletion preserved, by attribute.
  package var tombstone: [String: Any] = [:]

  /// Puts the preserved values of elements together where their composite attribute asks for them.
  package mutating func composeTombstone(_ layout: EntityLayout) {
    if tombstone.isEmpty || !layout.model.hasComposites { return }
    for property in layout.properties
    where property.kind == .composite && property.attribute.preservesValueInHistoryOnDeletion {
      let value = property.composed { tombstone[$0.name] }
      for leaf in property.leaves { tombstone[leaf.name] = nil }
      if let value { tombstone[property.name] = value }
    }
  }

  package init(
    number: Int64, type: Int, row: RowReference, updated: [LayoutProperty]? = nil, tombstone: [String: Any] = [:]
  ) {
    self.number = number
    self.type = type
    self.row = row
    self.updated = updated
    self.tombstone = tombstone
  }
}

/// The history that a store keeps of its changes. Any thread.
package protocol StoreHistory: AnyObject {
  /// The number of the last transaction, even if it was deleted since; 0 if there was none yet.
  func lastNumber() throws -> Int64

  /// The number of the last transaction that this store wrote itself; 0 if there was none yet.
  var lastWritten: Int64 { get }

  /// Reads the transactions after a place, in the order of their numbers, and passes each to `take`. If that returns
  /// true, it passes its changes as well. Everything is read from one state of the store.
  ///
  /// Throws `historyTokenExpired` if transactions after a number are gone.
  func read(
    after bound: HistoryBound, take: (HistoryTransactionRow) throws -> Bool,
    changes: (HistoryTransactionRow, [HistoryChangeRow]) throws -> Void) throws

  /// Whether `delete` can choose among the transactions.
  var deletesChosen: Bool { get }

  /// Deletes the transactions before a place, only those that `chosen` accepts unless it is nil. Returns how many.
  func delete(before bound: HistoryBound, chosen: ((HistoryTransactionRow) throws -> Bool)?) throws -> Int
}

extension StoreHistory {
  /// The place of the history after a write of this store. One that has recorded nothing yet, because it has written
  /// metadata only, leaves the history where it was.
  var placeAfterWriting: Int64 {
    let own = lastWritten
    return own > 0 ? own : (try? lastNumber()) ?? 0
  }

  package var deletesChosen: Bool { true }
}
