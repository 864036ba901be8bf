// The error codes of NSCocoaErrorDomain that a persistence stack reports, as the plain integers that
// `NSError.code` holds. `CocoaError.Code` has the same ones by their Swift names.

/// The first code of a file's error.
public let NSFileErrorMinimum: Int = 0
/// The last code of a file's error.
public let NSFileErrorMaximum: Int = 1023
/// The first code of a failed validation.
public let NSValidationErrorMinimum: Int = 1024
/// The last code of a failed validation.
public let NSValidationErrorMaximum: Int = 2047

/// A value fails a rule that has no code of its own.
public let NSManagedObjectValidationError: Int = 1550
/// Two objects have the same values for a uniqueness constraint.
public let NSManagedObjectConstraintValidationError: Int = 1551
/// Several failures, listed under `NSDetailedErrorsKey`.
public let NSValidationMultipleErrorsError: Int = 1560
/// A mandatory property is nil.
public let NSValidationMissingMandatoryPropertyError: Int = 1570
/// A to-many relationship has fewer objects than `minCount`.
public let NSValidationRelationshipLacksMinimumCountError: Int = 1580
/// A to-many relationship has more objects than `maxCount`.
public let NSValidationRelationshipExceedsMaximumCountError: Int = 1590
/// An object with the delete rule Deny still has destinations.
public let NSValidationRelationshipDeniedDeleteError: Int = 1600
/// A number is above its maximum.
public let NSValidationNumberTooLargeError: Int = 1610
/// A number is below its minimum.
public let NSValidationNumberTooSmallError: Int = 1620
/// A date is after its maximum.
public let NSValidationDateTooLateError: Int = 1630
/// A date is before its minimum.
public let NSValidationDateTooSoonError: Int = 1640
/// A value is not a date.
public let NSValidationInvalidDateError: Int = 1650
/// A string is longer than its maximum.
public let NSValidationStringTooLongError: Int = 1660
/// A string is shorter than its minimum.
public let NSValidationStringTooShortError: Int = 1670
/// A string does not match its pattern.
public let NSValidationStringPatternMatchingError: Int = 1680
/// A value is not a URI.
public let NSValidationInvalidURIError: Int = 1690
/// A context could not be locked (historical).
public let NSManagedObjectContextLockingError: Int = 132000
/// A coordinator could not be locked (historical).
public let NSPersistentStoreCoordinatorLockingError: Int = 132010
/// A fault refers to a row that is gone.
public let NSManagedObjectReferentialIntegrityError: Int = 133000
/// A relationship leads to an object in another store.
public let NSManagedObjectExternalRelationshipError: Int = 133010
/// A row changed in the store since the object was fetched.
public let NSManagedObjectMergeError: Int = 133020
/// A uniqueness constraint is violated in the store.
public let NSManagedObjectConstraintMergeError: Int = 133021
/// No store class is registered under that type.
public let NSPersistentStoreInvalidTypeError: Int = 134000
/// The store found is not of the type asked for.
public let NSPersistentStoreTypeMismatchError: Int = 134010
/// The tables of the store do not fit the model.
public let NSPersistentStoreIncompatibleSchemaError: Int = 134020
/// A store could not be written.
public let NSPersistentStoreSaveError: Int = 134030
/// Some of several stores could not be written.
public let NSPersistentStoreIncompleteSaveError: Int = 134040
/// Conflicts were left unresolved by the merge policy.
public let NSPersistentStoreSaveConflictsError: Int = 134050
/// Any failure without a code of its own.
public let NSCoreDataError: Int = 134060
/// A store could not carry out an operation.
public let NSPersistentStoreOperationError: Int = 134070
/// A store could not be opened.
public let NSPersistentStoreOpenError: Int = 134080
/// A store did not answer in time.
public let NSPersistentStoreTimeoutError: Int = 134090
/// A store does not know that kind of request.
public let NSPersistentStoreUnsupportedRequestTypeError: Int = 134091
/// The store was written with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError: Int = 134100
/// A migration failed.
public let NSMigrationError: Int = 134110
/// A migration would violate a uniqueness constraint.
public let NSMigrationConstraintViolationError: Int = 134111
/// A migration was canceled.
public let NSMigrationCancelledError: Int = 134120
/// No model fits the store that is to be migrated.
public let NSMigrationMissingSourceModelError: Int = 134130
/// No mapping model leads from the source to the destination model.
public let NSMigrationMissingMappingModelError: Int = 134140
/// The source store of a migration fails.
public let NSMigrationManagerSourceStoreError: Int = 134150
/// The destination store of a migration fails.
public let NSMigrationManagerDestinationStoreError: Int = 134160
/// A migration policy failed.
public let NSEntityMigrationPolicyError: Int = 134170
/// SQLite reports a failure; its number is under `NSSQLiteErrorDomain`.
public let NSSQLiteError: Int = 134180
/// No mapping can be inferred between two models.
public let NSInferredMappingModelError: Int = 134190
/// An external record could not be read.
public let NSExternalRecordImportError: Int = 134200
/// Transactions after a token were deleted.
public let NSPersistentHistoryTokenExpiredError: Int = 134301
/// A model reference leads to no model, or no stage of a migration has the store's version.
public let NSManagedObjectModelReferenceNotFoundError: Int = 134504
/// A staged migration can't be carried out as it was described.
public let NSStagedMigrationFrameworkVersionMismatchError: Int = 134505
/// The store is newer than the last stage.
public let NSStagedMigrationBackwardMigrationError: Int = 134506
