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
  /// A migration was canceled.
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
  /// Transactions after a token were deleted.
  public static var persistentHistoryTokenExpired: Self {
    .init(rawValue: NSPersistentHistoryTokenExpiredError)
  }
  /// A model reference leads to no model.
  public static var managedObjectModelReferenceNotFound: Self {
    .init(rawValue: NSManagedObjectModelReferenceNotFoundError)
  }
  /// A staged migration can't be carried out as it was described.
  public static var stagedMigrationFrameworkVersionMismatch: Self {
    .init(rawValue: NSStagedMigrationFrameworkVersionMismatchError)
  }
  /// The store is newer than the last stage.
  public static var stagedMigrationBackwardMigration: Self {
    .init(rawValue: NSStagedMigrationBackwardMigrationError)
  }
}

extension CocoaError {
  /// 1550: a value fails a rule that has no code of its own, or is of the wrong class. The object, the property and the
  /// value are under the `NSValidation…ErrorKey` keys.
  public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
  /// 1551: objects of one save agree in the attributes of a uniqueness constraint, whose names are under
  /// `NSValidationKeyErrorKey`, joined by commas.
  public static var managedObjectConstraintValidation: CocoaError.Code { .managedObjectConstraintValidation }
  /// 1560: several failures, each an `NSError` in the array under `NSDetailedErrorsKey`.
  public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
  /// 1570: a mandatory property is nil.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    .validationMissingMandatoryProperty
  }
  /// 1580: a to-many relationship has fewer objects than its `minCount`.
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    .validationRelationshipLacksMinimumCount
  }
  /// 1590: a to-many relationship has more objects than its `maxCount`.
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    .validationRelationshipExceedsMaximumCount
  }
  /// 1600: an object can't be deleted while a relationship with the rule Deny has destinations that stay.
  public static var validationRelationshipDeniedDelete: CocoaError.Code {
    .validationRelationshipDeniedDelete
  }
  /// 1610: a number is above its maximum. The rule is under `NSValidationPredicateErrorKey`.
  public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
  /// 1620: a number is below its minimum. The rule is under `NSValidationPredicateErrorKey`.
  public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
  /// 1630: a date is after its maximum. The rule is under `NSValidationPredicateErrorKey`.
  public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
  /// 1640: a date is before its minimum. The rule is under `NSValidationPredicateErrorKey`.
  public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
  /// 1650: a value is not a date. Never thrown here; use it in validation rules of your own.
  public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
  /// 1660: a string is longer than its maximum. The rule is under `NSValidationPredicateErrorKey`.
  public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
  /// 1670: a string is shorter than its minimum. The rule is under `NSValidationPredicateErrorKey`.
  public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
  /// 1680: a string does not match its pattern. The rule is under `NSValidationPredicateErrorKey`.
  public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }
  /// 1690: a value is not a URI. Never thrown here; use it in validation rules of your own.
  public static var validationInvalidURI: CocoaError.Code { .validationInvalidURI }
  /// 132000: a context could not be locked. Never thrown here, because contexts have queues.
  public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
  /// 132010: a coordinator could not be locked. Never thrown here, because coordinators lock by themselves.
  public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }
  /// 133000: a row is gone, or was never there. The id is under "objectID".
  public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }
  /// 133010: a relationship leads to an object in another store.
  public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }
  /// 133020: another context or program has changed rows since their objects were read. The ``NSMergeConflict`` objects
  /// are under "conflictList", as with Apple's framework, and under `NSPersistentStoreSaveConflictsErrorKey`.
  public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
  /// 133021: the save would violate a uniqueness constraint. The ``NSConstraintConflict`` objects are under
  /// "conflictList", as with Apple's framework, and under `NSPersistentStoreSaveConflictsErrorKey`.
  public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
  /// 134000: no store class is registered under the type.
  public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
  /// 134010: the store is not of the type that you asked for.
  public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
  /// 134020: the tables of the store do not fit the model, or this type of store can't hold a property of the model.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }
  /// 134030: a store could not be written. It was removed, or was overwritten from outside, or no store holds the
  /// entity. A store that is read-only has `fileWriteNoPermission`.
  public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
  /// 134040: some of several stores could not be written. The stores are under `NSAffectedStoresErrorKey`, the reasons
  /// under `NSDetailedErrorsKey`.
  public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
  /// 134050: a merge policy left conflicts. Never thrown here, because conflicts are reported as ``managedObjectMerge``
  /// and ``managedObjectConstraintMerge``.
  public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
  /// 134060: a failure without a code of its own, such as a request or a predicate that can't be executed.
  public static var coreData: CocoaError.Code { .coreData }
  /// 134070: a store can't do what it was asked to do. It is not one of the coordinator's, a query generation is gone,
  /// or the class of a custom store breaks the rules for its methods.
  public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
  /// 134080: a store could not be opened. It has no URL, is already open, or its configuration is unknown.
  public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
  /// 134090: a file stayed locked until the timeout. SQLite's code is under `NSSQLiteErrorDomain`.
  public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
  /// 134091: a store can't answer this kind of request, or keeps no history.
  public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
    .persistentStoreUnsupportedRequestType
  }
  /// 134100: the store was written with another version of the model, and no migration was asked for. Its metadata is
  /// under "metadata".
  public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
    .persistentStoreIncompatibleVersionHash
  }
  /// 134110: a migration failed; what failed is under `NSUnderlyingErrorKey`.
  public static var migration: CocoaError.Code { .migration }
  /// 134111: the objects of a migration would violate a uniqueness constraint. The entity is under "entity", the
  /// attributes are under `NSValidationKeyErrorKey`.
  public static var migrationConstraintViolation: CocoaError.Code { .migrationConstraintViolation }
  /// 134120: a migration was canceled.
  public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
  /// 134130: no model is found that fits the store to be migrated. Its metadata is under "metadata".
  public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
  /// 134140: no mapping leads from one model to the other. They are under "sourceModel" and "destinationModel".
  public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
  /// 134150: the store that is migrated can't be read; the reason is under `NSUnderlyingErrorKey`.
  public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
  /// 134160: the store that a migration makes can't be written; the reason is under `NSUnderlyingErrorKey`.
  public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
  /// 134170: a migration policy threw the error under `NSUnderlyingErrorKey`.
  public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
  /// 134180: SQLite reports a failure. Its result code is under `NSSQLiteErrorDomain`, the extended one in the error
  /// under `NSUnderlyingErrorKey`.
  public static var sqlite: CocoaError.Code { .sqlite }
  /// 134190: no mapping can be inferred. The entity and the property are under "entity" and "property".
  public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
  /// 134200: an external record could not be read. Never thrown here, because stores have no such records.
  public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
  /// 134301: transactions after a history token were deleted.
  public static var persistentHistoryTokenExpired: CocoaError.Code { .persistentHistoryTokenExpired }
  /// 134504: a model reference leads to no model with its checksum, or no stage of a migration has the store's version.
  public static var managedObjectModelReferenceNotFound: CocoaError.Code {
    .managedObjectModelReferenceNotFound
  }
  /// 134505: a staged migration can't be carried out as it was described.
  public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
    .stagedMigrationFrameworkVersionMismatch
  }
  /// 134506: the store is newer than the last stage of a staged migration.
  public static var stagedMigrationBackwardMigration: CocoaError.Code { .stagedMigrationBackwardMigration }
}
