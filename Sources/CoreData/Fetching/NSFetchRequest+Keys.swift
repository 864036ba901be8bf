import Foundation

// Key-value coding of a request's settings, for programs that keep settings by their names.

extension NSFetchRequest: KeyedDescription {
  /// The value of a setting, such as `fetchLimit`. An unknown key is a misuse.
  public final func value(forKey key: String) -> Any? { DescriptionKeys.value(of: self, key) }

  final func described(_ key: String) -> Any?? {
    switch key {
    case "entity": .some(entity)
    case "entityName": .some(entityName)
    case "predicate": .some(predicate)
    case "sortDescriptors": .some(sortDescriptors)
    case "fetchLimit": fetchLimit
    case "fetchOffset": fetchOffset
    case "fetchBatchSize": fetchBatchSize
    case "resultType": resultType.rawValue
    case "includesSubentities": includesSubentities
    case "includesPropertyValues": includesPropertyValues
    case "returnsObjectsAsFaults": returnsObjectsAsFaults
    case "includesPendingChanges": includesPendingChanges
    case "returnsDistinctResults": returnsDistinctResults
    case "propertiesToFetch": .some(propertiesToFetch)
    case "propertiesToGroupBy": .some(propertiesToGroupBy)
    case "havingPredicate": .some(havingPredicate)
    case "relationshipKeyPathsForPrefetching": .some(relationshipKeyPathsForPrefetching)
    case "shouldRefreshRefetchedObjects": shouldRefreshRefetchedObjects
    case "affectedStores": .some(affectedStores)
    default: nil
    }
  }

  /// Sets the value of a setting, such as `returnsObjectsAsFaults`; limits and switches by numbers. An unknown key, or
  /// a value of another type, is a misuse.
  public final func setValue(_ value: Any?, forKey key: String) {
    switch key {
    case "entity": entity = object(value, for: key)
    case "predicate": predicate = object(value, for: key)
    case "sortDescriptors": sortDescriptors = object(value, for: key)
    case "fetchLimit": fetchLimit = number(value, for: key).intValue
    case "fetchOffset": fetchOffset = number(value, for: key).intValue
    case "fetchBatchSize": fetchBatchSize = number(value, for: key).intValue
    case "resultType":
      let bits = (value as? NSFetchRequestResultType)?.rawValue ?? number(value, for: key).uintValue
      resultType = NSFetchRequestResultType(rawValue: bits)
    case "includesSubentities": includesSubentities = number(value, for: key).boolValue
    case "includesPropertyValues": includesPropertyValues = number(value, for: key).boolValue
    case "returnsObjectsAsFaults": returnsObjectsAsFaults = number(value, for: key).boolValue
    case "includesPendingChanges": includesPendingChanges = number(value, for: key).boolValue
    case "returnsDistinctResults": returnsDistinctResults = number(value, for: key).boolValue
    case "propertiesToFetch": propertiesToFetch = object(value, for: key)
    case "propertiesToGroupBy": propertiesToGroupBy = object(value, for: key)
    case "havingPredicate": havingPredicate = object(value, for: key)
    case "relationshipKeyPathsForPrefetching": relationshipKeyPathsForPrefetching = object(value, for: key)
    case "shouldRefreshRefetchedObjects": shouldRefreshRefetchedObjects = number(value, for: key).boolValue
    case "affectedStores": affectedStores = object(value, for: key)
    default: misuse("A fetch request has no setting for the key \"\(key)\".")
    }
  }

  private func object<Setting>(_ value: Any?, for key: String) -> Setting? {
    guard let value else { return nil }
    guard let setting = value as? Setting else { refuse(value, for: key) }
    return setting
  }

  private func number(_ value: Any?, for key: String) -> NSNumber {
    guard let number = PredicateConstant(any: value).anyValue as? NSNumber else { refuse(value ?? "nil", for: key) }
    return number
  }

  private func refuse(_ value: Any, for key: String) -> Never {
    misuse("The setting \(key) of a fetch request can't be \(value).")
  }
}
