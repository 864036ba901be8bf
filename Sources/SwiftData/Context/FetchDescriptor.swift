/// Which models are wanted, in which order, and how many.
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  // `@unchecked Sendable`: it is a value, and of what is in it only key paths are not `Sendable`; they never change.

  /// What is true of the models; all without one.
  public var predicate: Predicate<T>?
  /// Their order, first key first.
  public var sortBy: [SortDescriptor<T>]
  /// How many at most; nil for all.
  public var fetchLimit: Int?
  /// How many of the first are passed over.
  public var fetchOffset: Int?
  /// Whether changes that are not saved count.
  public var includePendingChanges = true
  /// A hint which properties will be read. It has no effect here: a row is read with all its properties. A key path
  /// that leads to no persistent property is refused.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships whose destinations are read with the fetch.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// The models of a class that a predicate is true of, in an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
