// The codes by their Swift names, so that `catch CocoaError.managedObjectMerge` and
// `error.code == .validationMultipleErrors` read as on Apple's platforms.

extension CocoaError.Code {
  /// A value fails a rule that has no code of its own.
  public static var managedObjectValidation: Self { .init(rawValue: NSManagedObjectValidationError) }
  /// Two objects have the same values for a uniqueness constraint.
  public static var managedObjectConstraintValidation: Self {
    .init(rawValue: NSManagedObjectConstraintValidationError)
  }
  /// Several failures, listed under `NSDetailedErrorsKey`.
  public static var validationMultipleErrors: Self { .init(rawValue: NSValidationMultipleErrorsError) }
  /// A mandatory property is nil.
  public static var validationMissingMandatoryProperty: Self {
    .init(rawValue: NSValidationMissingMandatoryPropertyError)
  }
  /// A to-many relationship has fewer objects than `minCount`.
  public static var validationRelationshipLacksMinimumCount: Self {
    .init(rawValue: NSValidationRelationshipLacksMinimumCountError)
  }
  /// A to-many relationship has more objects than `maxCount`.
  public static var validationRelationshipExceedsMaximumCount: Self {
    .init(rawValue: NSValidationRelationshipExceedsMaximumCountError)
  }
  /// An object with the delete rule Deny still has destinations.
  public static var validationRelationshipDeniedDelete: Self {
    .init(rawValue: NSValidationRelationshipDeniedDeleteError)
  }
  /// A number is above its maximum.
  public static var validationNumberTooLarge: Self { .init(rawValue: NSValidationNumberTooLargeError) }
  /// A number is below its minimum.
  public static var validationNumberTooSmall: Self { .init(rawValue: NSValidationNumberTooSmallError) }
  /// A date is after its maximum.
  public static var validationDateTooLate: Self { .init(rawValue: NSValidationDateTooLateError) }
  /// A date is before its minimum.
  public static var validationDateTooSoon: Self { .init(rawValue: NSValidationDateTooSoonError) }
  /// A value is not a date.
  public static var validationInvalidDate: Self { .init(rawValue: NSValidationInvalidDateError) }
  /// A string is longer than its maximum.
  public static var validationStringTooLong: Self { .init(rawValue: NSValidationStringTooLongError) }
  /// A string is shorter than its minimum.
  public static var validationStringTooShort: Self { .init(rawValue: NSValidationStringTooShortError) }
  /// A string does not match its pattern.
  public static var validationStringPatternMatching: Self {
    .init(rawValue: NSValidationStringPatternMatchingError)
  }
  /// A value is not a URI.
  public static var validationInvalidURI: Self { .init(rawValue: NSValidationInvalidURIError) }
  /// A context could not be locked (historical).
  public static var managedObjectContextLocking: Self { .init(rawValue: NSManagedObjectContextLockingError) }
  /// A coordinator could not be locked (historical).
  public static var persistentStoreCoordinatorLocking: Self {
    .init(rawValue: NSPersistentStoreCoordinatorLockingError)
  }
  /// A fault refers to a row that is gone.
  public static var managedObjectReferentialIntegrity: Self {
    .init(rawValue: NSManagedObjectReferentialIntegrityError)
  }
  /// A relationship leads to an object in another store.
  public static var managedObjectExternalRelationship: Self {
    .init(rawValue: NSManagedObjectExternalRelationshipError)
  }
  /// A row changed in the store since the object was fetched.
  public static var managedObjectMerge: Self { .init(rawValue: NSManagedObjectMergeError) }
  /// A uniqueness constraint is violated in the store.
  public static var managedObjectConstraintMerge: Self {
    .init(rawValue: NSManagedObjectConstraintMergeError)
  }
  /// No store class is registered under that type.
  public static var persistentStoreInvalidType: Self { .init(rawValue: NSPersistentStoreInvalidTypeError) }
  /// The store found is not of the type asked for.
  public static var persistentStoreTypeMismatch: Self { .init(rawValue: NSPersistentStoreTypeMismatchError) }
  /// The tables of the store do not fit the model.
  public static var persistentStoreIncompatibleSchema: Self {
    .init(rawValue: NSPersistentStoreIncompatibleSchemaError)
  }
  /// A store could not be written.
  public static var persistentStoreSave: Self { .init(rawValue: NSPersistentStoreSaveError) }
  /// Some of several stores could not be written.
  public static var persistentStoreIncompleteSave: Self {
    .init(rawValue: NSPersistentStoreIncompleteSaveError)
  }
  /// Conflicts were left unresolved by the merge policy.
  public static var persistentStoreSaveConflicts: Self {
    .init(rawValue: NSPersistentStoreSaveConflictsError)
  }
  /// Any failure without a code of its own.
  public static var coreData: Self { .init(rawValue: NSCoreDataError) }
  /// A store could not carry out an operation.
  public static var persistentStoreOperation: Self { .init(rawValue: NSPersistentStoreOperationError) }
  /// A store could not be opened.
  public static var persistentStoreOpen: Self { .init(rawValue: NSPersistentStoreOpenError) }
  /// A store did not answer in time.
  public static var persistentStoreTimeout: Self { .init(rawValue: NSPersistentStoreTimeoutError) }
  /// A store does not know that kind of request.
  public static var persistentStoreUnsupportedRequestType: Self {
    .init(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
  }
  /// The store was written with another version of the model.
  public static var persistentStoreIncompatibleVersionHash: Self {
    .init(rawValue: NSPersistentStoreIncompatibleVersionHashError)
  }
  /// A migration failed.
  public static var migration: Self { .init(rawValue: NSMigrationError) }
  /// A migration would violate a uniqueness constraint.
  public static var migrationConstraintViolation: Self {
    .init(rawValue: NSMigrationConstraintViolationError)
  }
  /// A migration was cancelled.
  public static var migrationCancelled: Self { .init(rawValue: NSMigrationCancelledError) }
  /// No model fits the store that is to be migrated.
  public static var migrationMissingSourceModel: Self { .init(rawValue: NSMigrationMissingSourceModelError) }
  /// No mapping model leads from the source to the destination model.
  public static var migrationMissingMappingModel: Self {
    .init(rawValue: NSMigrationMissingMappingModelError)
  }
  /// The source store of a migration fails.
  public static var migrationManagerSourceStore: Self { .init(rawValue: NSMigrationManagerSourceStoreError) }
  /// The destination store of a migration fails.
  public static var migrationManagerDestinationStore: Self {
    .init(rawValue: NSMigrationManagerDestinationStoreError)
  }
  /// A migration policy failed.
  public static var entityMigrationPolicy: Self { .init(rawValue: NSEntityMigrationPolicyError) }
  /// SQLite reports a failure; its number is under `NSSQLiteErrorDomain`.
  public static var sqlite: Self { .init(rawValue: NSSQLiteError) }
  /// No mapping can be inferred between two models.
  public static var inferredMappingModel: Self { .init(rawValue: NSInferredMappingModelError) }
  /// An external record could not be read.
  public static var externalRecordImport: Self { .init(rawValue: NSExternalRecordImportError) }
  /// The history before a token was deleted.
  public static var persistentHistoryTokenExpired: Self {
    .init(rawValue: NSPersistentHistoryTokenExpiredError)
  }
  /// A model reference leads to no model.
  public static var managedObjectModelReferenceNotFound: Self {
    .init(rawValue: NSManagedObjectModelReferenceNotFoundError)
  }
  /// The store belongs to a newer framework.
  public static var stagedMigrationFrameworkVersionMismatch: Self {
    .init(rawValue: NSStagedMigrationFrameworkVersionMismatchError)
  }
  /// The store is newer than the last stage.
  public static var stagedMigrationBackwardMigration: Self {
    .init(rawValue: NSStagedMigrationBackwardMigrationError)
  }
}

extension CocoaError {
  public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
  public static var managedObjectConstraintValidation: CocoaError.Code { .managedObjectConstraintValidation }
  public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    .validationMissingMandatoryProperty
  }
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    .validationRelationshipLacksMinimumCount
  }
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    .validationRelationshipExceedsMaximumCount
  }
  public static var validationRelationshipDeniedDelete: CocoaError.Code {
    .validationRelationshipDeniedDelete
  }
  public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
  public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
  public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
  public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
  public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
  public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
  public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
  public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }
  public static var validationInvalidURI: CocoaError.Code { .validationInvalidURI }
  public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
  public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }
  public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }
  public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }
  public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
  public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
  public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
  public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
  public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }
  public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
  public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
  public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
  public static var coreData: CocoaError.Code { .coreData }
  public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
  public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
  public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
  public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
    .persistentStoreUnsupportedRequestType
  }
  public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
    .persistentStoreIncompatibleVersionHash
  }
  public static var migration: CocoaError.Code { .migration }
  public static var migrationConstraintViolation: CocoaError.Code { .migrationConstraintViolation }
  public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
  public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
  public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
  public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
  public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
  public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
  public static var sqlite: CocoaError.Code { .sqlite }
  public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
  public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
  public static var persistentHistoryTokenExpired: CocoaError.Code { .persistentHistoryTokenExpired }
  public static var managedObjectModelReferenceNotFound: CocoaError.Code {
    .managedObjectModelReferenceNotFound
  }
  public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
    .stagedMigrationFrameworkVersionMismatch
  }
  public static var stagedMigrationBackwardMigration: CocoaError.Code { .stagedMigrationBackwardMigration }
}
