/// Describes a fetch: which models, in which order, and how many.
///
///     var descriptor = FetchDescriptor<Book>(
///       predicate: #Predicate { $0.pages > 300 }, sortBy: [SortDescriptor(\.title)])
///     descriptor.fetchLimit = 10
///     let books = try context.fetch(descriptor)
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  // `@unchecked Sendable`: it is a value, and of its parts only the key paths are not `Sendable`. They never change.

  /// The condition that models have to meet; nil for all models.
  public var predicate: Predicate<T>?
  /// The sort order. Later descriptors decide between models that are equal in the earlier ones. A `UInt` or `UInt64`
  /// from 2^63 on is stored by its bits, and comes before all smaller ones.
  public var sortBy: [SortDescriptor<T>]
  /// The greatest number of models to fetch; nil for all.
  public var fetchLimit: Int?
  /// How many models to skip at the beginning.
  public var fetchOffset: Int?
  /// Whether the fetch takes unsaved changes of the context into account.
  public var includePendingChanges = true
  /// The properties that you intend to read. Only a hint, without effect here, because a row is always read with all
  /// its properties. A key path that leads neither to a persistent property nor to the identity throws
  /// `SwiftDataError.unsupportedKeyPath`.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships whose destinations are fetched together with the models.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Describes a fetch of the models that meet a condition, in an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
