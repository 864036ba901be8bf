import Foundation

/// A position in the history of stores. You can encode it.
public protocol HistoryToken: Codable, Comparable, Hashable, Identifiable, Sendable {
  /// The type of what the token says.
  associatedtype TokenType: Codable, Hashable, Sendable
  /// What the token says; nil if it says nothing.
  var tokenValue: TokenType? { get }
}

/// The changes that one save made in one store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of the token.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of the transaction's number.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When the transaction was written.
  var timestamp: Date { get }
  /// The changes, in the order in which they were recorded.
  var changes: [HistoryChange] { get }
  /// The position right after this transaction.
  var token: TokenType { get }
  /// The transaction's number in its store. Later transactions have higher numbers.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The UUID of the store.
  var storeIdentifier: String { get }
  /// The author of the changes: see ``ModelContext/author``.
  var author: String? { get }
}

/// One change of one model.
public enum HistoryChange: Sendable {
  /// The model was inserted.
  case insert(any HistoryInsert)
  /// The model was updated.
  case update(any HistoryUpdate)
  /// The model was deleted.
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

/// A model was inserted.
public protocol HistoryInsert<Model>: Sendable {
  /// The model's class.
  associatedtype Model: PersistentModel
  /// The type of the change's number.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The type of the transaction's number.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The number of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The number of its transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A model was updated.
public protocol HistoryUpdate<Model>: Sendable {
  /// The model's class.
  associatedtype Model: PersistentModel
  /// The type of the change's number.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The type of the transaction's number.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// A property that changed.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable
  /// The number of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The number of its transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that changed.
  var updatedAttributes: [any PropertyUpdate] { get }
}

/// A model was deleted.
public protocol HistoryDelete<Model>: Sendable {
  /// The model's class.
  associatedtype Model: PersistentModel
  /// The type of the change's number.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The type of the transaction's number.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The number of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The number of its transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identity of the deleted model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values that the history kept.
  var tombstone: HistoryTombstone<Model> { get }
}

/// The values that the history keeps of a deleted model: those of attributes with the option
/// `.preserveValueOnDeletion`.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, @unchecked Sendable {
  // `@unchecked Sendable`: key paths of models capture no values, and what a property keeps was read out of the store
  // for this tombstone alone.

  /// A kept property and its value.
  public typealias Element = (key: PartialKeyPath<Model>, value: any Sendable)
  private let values: [Element]

  init(_ values: [Element]) { self.values = values }

  /// The value of a property. Nil if it was nil, or if the history doesn't keep it.
  ///
  ///     let number = deletion.tombstone[\.number] as? Int
  public subscript(_ keyPath: PartialKeyPath<Model>) -> (any Sendable)? { values.first { $0.key == keyPath }?.value }

  /// Iterates over the kept properties and their values, in the order of their declaration.
  public func makeIterator() -> IndexingIterator<[Element]> { values.makeIterator() }
}

/// Describes which transactions of the history to read or delete.
///
///     var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
///     let known = try context.fetchHistory(descriptor).last!.token
///     context.insert(Book(title: "Solaris"))
///     try context.save()
///     descriptor.predicate = #Predicate { $0.token > known }
///     print(try context.fetchHistory(descriptor).map(\.changes.count))  // [1]
public struct HistoryDescriptor<T: HistoryTransaction>: Sendable {
  /// The condition that transactions have to meet; nil for all.
  public var predicate: Predicate<T>?
  /// The greatest number of transactions; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// The sort order. If it is empty, each store's transactions are in the order in which they were written, and those
  /// of several stores are ordered by time.
  public var sortBy: [SortDescriptor<T>]

  /// Describes the transactions that meet a condition, in an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
