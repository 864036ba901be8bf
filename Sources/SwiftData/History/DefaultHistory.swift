import CoreData

/// A position in the history of a container's stores. You can encode it and continue from there after a restart.
///
///     let after = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
///     let news = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > after })
public struct DefaultHistoryToken: HistoryToken {
  /// The number of the last transaction, by the UUID of its store.
  public let tokenValue: [String: Int64]?

  init(_ numbers: [String: Int64]) { tokenValue = numbers }

  /// A number that equal tokens share while the program runs.
  public var id: Int { hashValue }

  /// Whether this position is earlier. Only stores that both tokens know are compared; if those are equal, the token
  /// that knows fewer stores is earlier.
  public static func < (left: Self, right: Self) -> Bool {
    let (mine, theirs) = (left.tokenValue ?? [:], right.tokenValue ?? [:])
    let common = Set(mine.keys).intersection(theirs.keys)
    // A token from elsewhere may have any numbers, so their sum has more bits.
    func sum(_ numbers: [String: Int64]) -> Int128 { common.reduce(0) { $0 + Int128(numbers[$1] ?? 0) } }
    let (a, b) = (sum(mine), sum(theirs))
    return a == b ? mine.count < theirs.count : a < b
  }
}

/// The changes that one save made in one store of a container.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// When the transaction was written.
  public let timestamp: Date
  /// The changes, in the order in which they were recorded.
  public let changes: [HistoryChange]
  /// The position right after this transaction.
  public let token: DefaultHistoryToken
  /// The transaction's number in its store. Later transactions have higher numbers.
  public let transactionIdentifier: Int64
  /// The UUID of the store.
  public let storeIdentifier: String
  /// The author of the changes: see ``ModelContext/author``.
  public let author: String?
  /// The bundle identifier of the program that wrote it, or the program's name if it has none.
  public let bundleIdentifier: String
  /// The name of the program that wrote it.
  public let processIdentifier: String

  /// The transaction's number in its store. Transactions of different stores may have the same.
  public var id: Int64 { transactionIdentifier }

  /// Whether both are the same transaction of the same store.
  public static func == (left: Self, right: Self) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier && left.storeIdentifier == right.storeIdentifier
  }
  /// Hashes the number and the store.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }

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

/// A model was inserted.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable {
  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of its transaction.
  public let transactionIdentifier: Int64
  /// The identity of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
}

/// A model was updated.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable {
  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of its transaction.
  public let transactionIdentifier: Int64
  /// The identity of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// A property that changed.
  public typealias PropertyUpdate = PartialKeyPath<Model> & Sendable
  /// The properties that changed, in the order of their declaration.
  public let updatedAttributes: [any PropertyUpdate]

  /// Whether both are the same change of the same store.
  public static func == (left: Self, right: Self) -> Bool { left.place == right.place }
  /// Hashes the number of the change, and the model.
  public func hash(into hasher: inout Hasher) { hasher.combine(place) }
  private var place: ChangePlace { ChangePlace(changeIdentifier, changedPersistentIdentifier) }
}

/// A model was deleted.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable {
  /// The number of the change in its store.
  public let changeIdentifier: Int64
  /// The number of its transaction.
  public let transactionIdentifier: Int64
  /// The identity of the deleted model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values that the history kept.
  public let tombstone: HistoryTombstone<Model>

  /// Whether both are the same change of the same store.
  public static func == (left: Self, right: Self) -> Bool { left.place == right.place }
  /// Hashes the number of the change, and the model.
  public func hash(into hasher: inout Hasher) { hasher.combine(place) }
  private var place: ChangePlace { ChangePlace(changeIdentifier, changedPersistentIdentifier) }
}

/// What tells a change from all others: its number in its store, which the model's identity names.
private struct ChangePlace: Hashable {
  let number: Int64
  let model: PersistentIdentifier

  init(_ number: Int64, _ model: PersistentIdentifier) { (self.number, self.model) = (number, model) }
}

extension HistoryTombstone {
  /// Makes a tombstone from the values of a recorded change, by property name.
  fileprivate init(kept: [AnyHashable: Any]) {
    self.init(
      ModelType.of(Model.self).properties.compactMap { property in
        guard let stored = kept[property.name], let keyPath = property.keyPath as? PartialKeyPath<Model>,
          let value = property.value(fromStored: stored)
        else { return nil }
        // Made from what the store keeps, and not shared.
        return (keyPath, value as any Sendable)
      })
  }
}

extension ModelProperty {
  /// A stored value in the type of the property; nil if it is no value of that type. Values of transformers are
  /// returned as they are stored.
  fileprivate func value(fromStored stored: Any) -> Any? {
    func simple<V>(_: V.Type) -> Any? { AttributeTypes.value(V.self, from: stored) }
    func decoded<V: Decodable>(_: V.Type) -> Any? {
      if case .composite(let shape) = kind {
        return (stored as? [String: Any]).flatMap { try? shape.value(V.self, from: $0) }
      }
      let data = stored as? Data ?? (stored as? NSData).map { Data(referencing: $0) }
      return data.flatMap { try? StoredJSON.value(V.self, $0) }
    }
    switch kind {
    case .attribute: return _openExistential(type, do: simple)
    case .composite, .archive: return (type as? any Decodable.Type).flatMap { decoded($0) }
    case .transformable, .toOne, .toMany: return stored
    }
  }
}
