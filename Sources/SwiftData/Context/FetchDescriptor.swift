/// Which models are wanted, in which order, and how many.
public struct FetchDescriptor<T: PersistentModel> {
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
  /// The properties whose values are read with the fetch; others follow when they are asked for. All where it is empty.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships whose destinations are read with the fetch.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// The models of a class that a predicate is true of, in an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
