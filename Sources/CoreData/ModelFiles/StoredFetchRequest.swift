/// A fetch request as a model file holds it, for a template or a fetched property. The room Fetching makes an
/// `NSFetchRequest` of it on demand, since this room does not know that class.
final class StoredFetchRequest {
  let entityName: String
  /// The predicate, which may have variables, `$NAME`; nil for all objects.
  let predicate: PredicateNode?
  let fetchLimit: Int
  let fetchOffset: Int
  let fetchBatchSize: Int
  /// The raw value of `NSFetchRequestResultType`.
  let resultType: Int
  let includesSubentities: Bool
  let includesPropertyValues: Bool
  let includesPendingChanges: Bool
  let returnsObjectsAsFaults: Bool
  let returnsDistinctResults: Bool

  init(
    entityName: String, predicate: PredicateNode?, fetchLimit: Int, fetchOffset: Int, fetchBatchSize: Int,
    resultType: Int, includesSubentities: Bool, includesPropertyValues: Bool, includesPendingChanges: Bool,
    returnsObjectsAsFaults: Bool, returnsDistinctResults: Bool
  ) {
    self.entityName = entityName
    self.predicate = predicate
    self.fetchLimit = fetchLimit
    self.fetchOffset = fetchOffset
    self.fetchBatchSize = fetchBatchSize
    self.resultType = resultType
    self.includesSubentities = includesSubentities
    self.includesPropertyValues = includesPropertyValues
    self.includesPendingChanges = includesPendingChanges
    self.returnsObjectsAsFaults = returnsObjectsAsFaults
    self.returnsDistinctResults = returnsDistinctResults
  }
}
