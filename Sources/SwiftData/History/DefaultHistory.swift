import CoreData

/// A place in the history of a container's stores.
///
///     let after = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
///     let news = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > after })
public struct DefaultHistoryToken: HistoryToken {
  /// The numbers of the last transactions, by the stores' UUIDs.
  public let tokenValue: [String: Int64]?

  init(_ numbers: [String: Int64]) { tokenValue = numbers }

  /// Whether it is the place of an earlier transaction. Only stores that both know count; a token that knows fewer
  /// stores, and else the same places, is the earlier one.
  public static func < (left: Self, right: Self) -> Bool {
    let (mine, theirs) = (left.tokenValue ?? [:], right.tokenValue ?? [:])
    let common = Set(mine.keys).intersection(theirs.keys)
    let (a, b) = (common.reduce(0) { $0 + (mine[$1] ?? 0) }, common.reduce(0) { $0 + (theirs[$1] ?? 0) })
    return a == b ? mine.count < theirs.count : a < b
  }
}

/// What one save wrote to one store of a container.
public struct DefaultHistoryTransaction: HistoryTransaction, Identifiable {
  /// When it was written.
  public let timestamp: Date
  /// What became of which models, in the order in which it was recorded.
  public let changes: [HistoryChange]
  /// The place in the history behind the transaction.
  public let token: DefaultHistoryToken
  /// Its number in its store; later ones have higher numbers.
  public let transactionIdentifier: Int64
  /// The UUID of the store.
  public let storeIdentifier: String
  /// Who wrote it: see ``ModelContext/author``.
  public let author: String?
  /// The bundle of the program that wrote it; the program's name where it has none.
  public let bundleIdentifier: String
  /// The name of the program that wrote it.
  public let processIdentifier: String

  /// The store and the number.
  public var id: String { "\(storeIdentifier)/\(transactionIdentifier)" }

  init(_ transaction: NSPersistentHistoryTransaction, token: DefaultHistoryToken, _ types: [String: ModelType]) {
    timestamp = transaction.timestamp
    self.token = token
    transactionIdentifier = transaction.transactionNumber
    storeIdentifier = transaction.storeID
    author = transaction.author
    bundleIdentifier = transaction.bundleID
    processIdentifier = transaction.processID
    changes = (transaction.changes ?? []).compactMap { change in
      types[change.changedObjectID.entity.name ?? ""].map {
        DefaultHistoryTransaction.change(change, of: $0.type, transaction.transactionNumber)
      }
    }
  }

  private static func change<M: PersistentModel>(
    _ change: NSPersistentHistoryChange, of _: M.Type, _ transaction: Int64
  ) -> HistoryChange {
    let identifier = PersistentIdentifier(change.changedObjectID)
    switch change.changeType {
    case .insert:
      return .insert(
        DefaultHistoryInsert<M>(
          changeIdentifier: change.changeID, transactionIdentifier: transaction,
          changedPersistentIdentifier: identifier))
    case .update:
      let names = Set(change.updatedProperties?.map(\.name) ?? [])
      return .update(
        DefaultHistoryUpdate<M>(
          changeIdentifier: change.changeID, transactionIdentifier: transaction,
          changedPersistentIdentifier: identifier,
          updatedAttributes: ModelType.of(M.self).properties.filter { names.contains($0.name) }
            .compactMap { $0.keyPath as? PartialKeyPath<M> }))
    case .delete:
      return .delete(
        DefaultHistoryDelete<M>(
          changeIdentifier: change.changeID, transactionIdentifier: transaction,
          changedPersistentIdentifier: identifier, tombstone: HistoryTombstone(kept: change.tombstone ?? [:])))
    }
  }
}

/// A model is new.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of its transaction.
  public let transactionIdentifier: Int64
  /// The identity of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
}

/// A model has changed.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of its transaction.
  public let transactionIdentifier: Int64
  /// The identity of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that have other values than before, in the order of their declarations.
  public let updatedAttributes: [PartialKeyPath<Model>]
}

/// A model is gone.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of its transaction.
  public let transactionIdentifier: Int64
  /// The identity that the model had.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// What was kept of it.
  public let tombstone: HistoryTombstone<Model>
}

extension HistoryTombstone {
  /// The values that a change has, by the properties' names.
  fileprivate init(kept: [AnyHashable: Any]) {
    self.init(
      ModelType.of(Model.self).properties.compactMap { property in
        guard let stored = kept[property.name], let keyPath = property.keyPath as? PartialKeyPath<Model>,
          let value = property.value(fromStored: stored)
        else { return nil }
        return (keyPath, value)
      })
  }
}

extension ModelProperty {
  /// A simple value in the property's type; others as the store has them.
  fileprivate func value(fromStored stored: Any) -> Any? {
    func open<V>(_: V.Type) -> Any? { AttributeTypes.value(V.self, from: stored) }
    guard case .attribute = kind else { return stored }
    return _openExistential(type, do: open)
  }
}
