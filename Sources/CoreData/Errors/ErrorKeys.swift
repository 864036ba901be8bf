// The keys of the details in an error's `userInfo`.

/// The single failures of an `NSValidationMultipleErrorsError`: `[NSError]`.
public let NSDetailedErrorsKey: String = "NSDetailedErrors"
/// The object that failed validation.
public let NSValidationObjectErrorKey: String = "NSValidationErrorObject"
/// The name of the property that failed validation: `String`.
public let NSValidationKeyErrorKey: String = "NSValidationErrorKey"
/// The rule that failed: `NSPredicate`. Absent where the rule is not a predicate.
public let NSValidationPredicateErrorKey: String = "NSValidationErrorPredicate"
/// The value that failed. Absent when it is nil.
public let NSValidationValueErrorKey: String = "NSValidationErrorValue"
/// Whether an alert should offer a way out; set to true on a denied delete.
let NSValidationErrorShouldAttemptRecoveryKey: String = "NSValidationErrorShouldAttemptRecoveryKey"

/// The stores that a failure concerns: `[NSPersistentStore]`.
public let NSAffectedStoresErrorKey: String = "NSAffectedStoresErrorKey"
/// The objects that a failure concerns: `[NSManagedObject]`.
public let NSAffectedObjectsErrorKey: String = "NSAffectedObjectsErrorKey"
/// The conflicts that the merge policy left: `[NSMergeConflict]`.
public let NSPersistentStoreSaveConflictsErrorKey: String = "NSPersistentStoreSaveConflictsErrorKey"
/// SQLite's result code: `Int`. Also the domain of an underlying error that is SQLite's own.
public let NSSQLiteErrorDomain: String = "NSSQLiteErrorDomain"
/// The conflicts of `managedObjectMerge` and `managedObjectConstraintMerge`.
let NSConflictListErrorKey: String = "conflictList"
/// The metadata of a store that does not fit the model.
let NSStoreMetadataErrorKey: String = "metadata"
/// The reason as a sentence, under the key of older frameworks.
let NSReasonErrorKey: String = "reason"
