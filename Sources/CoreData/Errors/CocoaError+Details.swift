import Foundation

/// Typed access to an error's `userInfo`.
extension CocoaError {
  /// The object that failed validation.
  public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }

  /// The name of the property that failed validation.
  public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }

  /// The rule that failed, if it is a predicate.
  public var validationPredicate: NSPredicate? { userInfo[NSValidationPredicateErrorKey] as? NSPredicate }

  /// The value that failed validation; nil if the value was nil.
  public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }

  /// The stores that the failure concerns.
  public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }

  /// The objects that the failure concerns.
  public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }
}
