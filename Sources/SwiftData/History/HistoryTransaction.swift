import Foundation

/// A place in the history of stores: what has happened up to a transaction. May be written down.
public protocol HistoryToken: Codable, Comparable, Hashable, Sendable {}

/// What one save wrote to one store.
public protocol HistoryTransaction {
  /// The type of its token.
  associatedtype TokenType: HistoryToken
  /// The type of its number.
  associatedtype TransactionIdentifier: Hashable, Sendable

  /// When it was written.
  var timestamp: Date { get }
  /// What became of which models, in the order in which it was recorded.
  var changes: [HistoryChange] { get }
  /// The place in the history behind the transaction.
  var token: TokenType { get }
  /// Its number in its store; later ones have higher numbers.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The UUID of the store.
  var storeIdentifier: String { get }
  /// Who wrote it: see ``ModelContext/author``.
  var author: String? { get }
}

/// What became of a model.
public enum HistoryChange {
  /// It is new.
  case insert(any HistoryInsert)
  /// It has changed.
  case update(any HistoryUpdate)
  /// It is gone.
  case delete(any HistoryDelete)

  /// The identity of the model.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// A model is new.
public protocol HistoryInsert<Model> {
  /// The model's class.
  associatedtype Model: PersistentModel
  /// The type of the change's number.
  associatedtype ChangeIdentifier: Hashable, Sendable
  /// The type of the transaction's number.
  associatedtype TransactionIdentifier: Hashable, Sendable
  /// The number of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The number of its transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A model has changed.
public protocol HistoryUpdate<Model> {
  /// The model's class.
  associatedtype Model: PersistentModel
  /// The type of the change's number.
  associatedtype ChangeIdentifier: Hashable, Sendable
  /// The type of the transaction's number.
  associatedtype TransactionIdentifier: Hashable, Sendable
  /// The number of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The number of its transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that have other values than before.
  var updatedAttributes: [PartialKeyPath<Model>] { get }
}

/// A model is gone.
public protocol HistoryDelete<Model> {
  /// The model's class.
  associatedtype Model: PersistentModel
  /// The type of the change's number.
  associatedtype ChangeIdentifier: Hashable, Sendable
  /// The type of the transaction's number.
  associatedtype TransactionIdentifier: Hashable, Sendable
  /// The number of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The number of its transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity that the model had.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// What was kept of it.
  var tombstone: HistoryTombstone<Model> { get }
}

/// The values that the history keeps of a deleted model: those of attributes with `.preserveValueOnDeletion`.
public struct HistoryTombstone<Model: PersistentModel>: Sequence {
  private let values: [(key: PartialKeyPath<Model>, value: Any)]

  init(_ values: [(key: PartialKeyPath<Model>, value: Any)]) { self.values = values }

  /// The value of a property; nil if it was nil, or was not kept.
  public subscript<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
    values.first { $0.key == keyPath }?.value as? Value
  }

  /// The properties and their values, in the order of their declarations.
  public func makeIterator() -> IndexingIterator<[(key: PartialKeyPath<Model>, value: Any)]> { values.makeIterator() }
}

/// Which transactions of the stores' history are wanted.
public struct HistoryDescriptor<T: HistoryTransaction> {
  /// What is true of the transactions; all without one.
  public var predicate: Predicate<T>?
  /// How many at most; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// Their order, first key first; by time, then by number, without any.
  public var sortBy: [SortDescriptor<T>]

  /// The transactions that a predicate is true of, in an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
