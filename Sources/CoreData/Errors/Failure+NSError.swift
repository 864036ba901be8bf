import Foundation

extension Failure: CustomStringConvertible, LocalizedError {
  var errorDescription: String? { description }

  /// The error that a program gets: `NSCocoaErrorDomain`, Apple's code, and the facts under
  /// Apple's keys.
  var nsError: NSError {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
    if let reason {
      userInfo[NSReasonErrorKey] = reason
      userInfo[NSLocalizedFailureReasonErrorKey] = reason
    }
    if let url { userInfo[NSFilePathErrorKey] = url.path }
    if let subject {
      userInfo[NSValidationKeyErrorKey] = subject.property
      userInfo[NSValidationObjectErrorKey] = subject.object
      userInfo[NSValidationValueErrorKey] = subject.value
    }
    addDetails(to: &userInfo)
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: userInfo)
  }

  private func addDetails(to userInfo: inout [String: Any]) {
    switch self {
    case .storeCannotBeOpened(_, let sqliteCode?, let message):
      addSQLite(code: sqliteCode, message: message, to: &userInfo)
    case .storeLocked(_, let message):
      addSQLite(code: 5, message: message, to: &userInfo)
    case .notADatabase:
      addSQLite(code: 26, message: "file is not a database", to: &userInfo)
    case .damagedDatabase(_, let message):
      addSQLite(code: 11, message: message, to: &userInfo)
    case .sqlite(let code, let extendedCode, let message, _, _):
      addSQLite(code: code, extendedCode: extendedCode, message: message, to: &userInfo)
    case .server(let state, let message, _, _):
      // Programs tell a server's failures apart by this state.
      userInfo["SQLSTATE"] = state
      userInfo["ServerMessage"] = message
    case .fileCall(_, _, _, let errno):
      userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
    case .incompatibleModel(_, let metadata, _), .migrationUnavailable(_, let metadata, _):
      userInfo[NSStoreMetadataErrorKey] = metadata
    case .notInferable(let entity, let property, _, _):
      userInfo["entity"] = entity
      userInfo["property"] = property
    case .mandatoryValuesMissing(let entity, let property, let isAttribute):
      userInfo["entity"] = entity
      userInfo["property"] = property
      userInfo[isAttribute ? "attribute" : "relationship"] = property
    case .abstractEntityHasObjects(let entity, _):
      userInfo["entity"] = entity
    case .missingSourceModel(_, let metadata, _):
      userInfo[NSStoreMetadataErrorKey] = metadata
    case .missingMapping(_, let source, let destination, let underlying):
      userInfo["sourceModel"] = source
      userInfo["destinationModel"] = destination
      userInfo[NSUnderlyingErrorKey] = underlying
    case .migrationFailed(let url, _, let underlying):
      userInfo["sourceURL"] = url
      userInfo["destinationURL"] = url
      userInfo[NSUnderlyingErrorKey] = underlying
    case .migrationViolatesConstraint(_, let entity, let attributes, _):
      userInfo["entity"] = entity
      userInfo[NSValidationKeyErrorKey] = attributes.joined(separator: ",")
    case .policyFailed(_, _, _, let underlying), .mappingExpression(_, _, _, let underlying),
      .migrationSourceStore(_, let underlying),
      .migrationDestinationStore(_, let underlying):
      userInfo[NSUnderlyingErrorKey] = underlying
    case .predicateFailed(_, let predicate, _):
      userInfo[NSValidationPredicateErrorKey] = predicate
    case .valueOutOfLimits(_, _, _, let rule):
      userInfo[NSValidationPredicateErrorKey] = rule
    case .deleteDenied:
      userInfo[NSValidationErrorShouldAttemptRecoveryKey] = true
    case .constraintViolated(let object, _, let attributes, _):
      userInfo[NSValidationObjectErrorKey] = object
      userInfo[NSValidationKeyErrorKey] = attributes.joined(separator: ",")
    case .multipleValidationErrors(let errors):
      userInfo[NSDetailedErrorsKey] = errors
    case .mergeConflict(let conflicts), .constraintConflict(let conflicts):
      userInfo[NSConflictListErrorKey] = conflicts
      userInfo[NSPersistentStoreSaveConflictsErrorKey] = conflicts
    case .batchConstraintConflict(_, let constraint, _, let conflict):
      userInfo[NSConflictListErrorKey] = [conflict]
      userInfo[NSPersistentStoreSaveConflictsErrorKey] = [conflict]
      userInfo[NSValidationKeyErrorKey] = constraint.joined(separator: ",")
    case .faultNotFulfillable(let id), .objectNotFound(let id), .otherEntity(let id, _):
      userInfo["objectID"] = id
    case .incompleteSave(let stores, let errors):
      userInfo[NSAffectedStoresErrorKey] = stores
      userInfo[NSDetailedErrorsKey] = errors
    default:
      break
    }
  }

  private func addSQLite(
    code: Int, extendedCode: Int? = nil, message: String, to userInfo: inout [String: Any]
  ) {
    userInfo[NSSQLiteErrorDomain] = code
    userInfo[NSUnderlyingErrorKey] = NSError(
      domain: NSSQLiteErrorDomain, code: extendedCode ?? code,
      userInfo: [NSLocalizedDescriptionKey: message])
  }

  /// The code of `nsError`.
  var code: Int {
    switch self {
    case .storeCannotBeOpened(_, let sqliteCode, _):
      return sqliteCode == nil ? NSPersistentStoreOpenError : CocoaError.Code.fileReadUnknown.rawValue
    case .storeDirectoryMissing: return CocoaError.Code.fileWriteUnknown.rawValue
    case .notADatabase, .damagedDatabase: return CocoaError.Code.fileReadCorruptFile.rawValue
    case .storeFileMissing: return CocoaError.Code.fileReadNoSuchFile.rawValue
    case .foreignStoreFile, .damagedStore: return CocoaError.Code.fileReadCorruptFile.rawValue
    case .unsuitableModel: return NSPersistentStoreIncompatibleSchemaError
    case .unsuitableMetadata, .fileChangedElsewhere: return NSPersistentStoreSaveError
    case .fileCall(_, _, let isWriting, let errno): return Failure.fileCode(errno, isWriting: isWriting).rawValue
    case .notAFile: return CocoaError.Code.fileReadUnknown.rawValue
    // Apple's framework has no constant for this one.
    case .storeAlreadyAdded: return 134081
    case .storeWithoutURL, .unknownConfiguration: return NSPersistentStoreOpenError
    case .storeLocked: return NSPersistentStoreTimeoutError
    case .storeExists: return CocoaError.Code.fileWriteFileExists.rawValue
    case .storeNotAdded(_, let entity):
      return entity == nil ? NSPersistentStoreOperationError : NSPersistentStoreSaveError
    case .unknownStoreType: return NSPersistentStoreInvalidTypeError
    case .storeTypeMismatch: return NSPersistentStoreTypeMismatchError
    case .incompatibleSchema: return NSPersistentStoreIncompatibleSchemaError
    case .incompatibleModel: return NSPersistentStoreIncompatibleVersionHashError
    case .migrationUnavailable: return NSMigrationMissingMappingModelError
    case .notInferable: return NSInferredMappingModelError
    case .missingSourceModel: return NSMigrationMissingSourceModelError
    case .missingMapping: return NSMigrationMissingMappingModelError
    case .migrationFailed, .mandatoryValuesMissing, .abstractEntityHasObjects: return NSMigrationError
    case .migrationViolatesConstraint: return NSMigrationConstraintViolationError
    case .migrationCancelled: return NSMigrationCancelledError
    case .policyFailed: return NSEntityMigrationPolicyError
    case .mappingExpression, .unknownPolicyMethod: return NSMigrationError
    case .migrationSourceStore: return NSMigrationManagerSourceStoreError
    case .migrationDestinationStore: return NSMigrationManagerDestinationStoreError
    case .modelReferenceNotFound: return NSManagedObjectModelReferenceNotFoundError
    case .stagedMigration: return NSStagedMigrationFrameworkVersionMismatchError
    case .stagedMigrationBackward: return NSStagedMigrationBackwardMigrationError
    case .unreadableModelFile: return CocoaError.Code.fileReadCorruptFile.rawValue
    case .unusableModel, .modelsDisagree, .templatesDisagree: return NSCoreDataError
    case .missingMandatoryValue: return NSValidationMissingMandatoryPropertyError
    case .valueOfWrongClass, .readOnlyProperty, .predicateFailed(_, _, nil): return NSManagedObjectValidationError
    case .predicateFailed(_, _, let warning?): return (warning as? Int) ?? NSManagedObjectValidationError
    case .valueOutOfLimits(_, let code, _, _): return code
    case .tooFewDestinations: return NSValidationRelationshipLacksMinimumCountError
    case .tooManyDestinations: return NSValidationRelationshipExceedsMaximumCountError
    case .deleteDenied: return NSValidationRelationshipDeniedDeleteError
    case .constraintViolated: return NSManagedObjectConstraintValidationError
    case .multipleValidationErrors: return NSValidationMultipleErrorsError
    case .mergeConflict, .unsettledConflicts: return NSManagedObjectMergeError
    case .constraintConflict, .batchConstraintConflict: return NSManagedObjectConstraintMergeError
    case .faultNotFulfillable, .objectNotFound, .otherEntity: return NSManagedObjectReferentialIntegrityError
    case .externalRelationship: return NSManagedObjectExternalRelationshipError
    case .noStoreForEntity, .entityOutsideStore: return NSPersistentStoreSaveError
    case .readOnlyStore: return CocoaError.Code.fileWriteNoPermission.rawValue
    case .incompleteSave: return NSPersistentStoreIncompleteSaveError
    case .externalFile(let problem): return problem.code
    case .storeFileGone, .historyBegun: return NSPersistentStoreSaveError
    case .sqlite: return NSSQLiteError
    case .server(_, _, _, isOpening: true), .missingLibrary: return NSPersistentStoreOpenError
    case .server("57014", _, _, _), .server("55P03", _, _, _): return NSPersistentStoreTimeoutError
    case .server: return NSPersistentStoreOperationError
    case .malformedPredicate, .malformedFetchRequest, .malformedBatchRequest, .unknownEntity, .unknownKeyPath,
      .unsupportedFeature, .valueNotArchivable, .archiveUnreadable:
      return NSCoreDataError
    case .unsupportedRequest, .historyNotTracked: return NSPersistentStoreUnsupportedRequestTypeError
    case .cancelled: return CocoaError.Code.userCancelled.rawValue
    case .historyTokenExpired: return NSPersistentHistoryTokenExpiredError
    case .queryGenerationUnavailable, .storeContract: return NSPersistentStoreOperationError
    }
  }

  static func fileCode(_ errno: Int32, isWriting: Bool) -> CocoaError.Code {
    switch errno {
    case EACCES, EPERM: isWriting ? .fileWriteNoPermission : .fileReadNoPermission
    case ENOSPC, EDQUOT: .fileWriteOutOfSpace
    case EROFS: .fileWriteVolumeReadOnly
    default: isWriting ? .fileWriteUnknown : .fileReadUnknown
    }
  }

  private var subject: Subject? {
    switch self {
    case .missingMandatoryValue(let subject), .valueOfWrongClass(let subject, _),
      .valueOutOfLimits(let subject, _, _, _), .predicateFailed(let subject, _, _),
      .tooFewDestinations(let subject, _, _), .tooManyDestinations(let subject, _, _),
      .deleteDenied(let subject, _), .externalRelationship(let subject, _),
      .valueNotArchivable(let subject, _, _), .archiveUnreadable(let subject, _, _):
      return subject
    default:
      return nil
    }
  }

  private var url: URL? {
    switch self {
    case .storeCannotBeOpened(let url, _, _), .storeDirectoryMissing(let url), .notADatabase(let url),
      .damagedDatabase(let url, _),
      .storeFileMissing(let url), .storeAlreadyAdded(let url), .storeTypeMismatch(let url, _, _),
      .incompatibleSchema(let url, _, _), .unreadableModelFile(let url, _),
      .migrationUnavailable(let url, _, _), .storeLocked(let url, _), .storeExists(let url),
      .foreignStoreFile(let url, _, _), .damagedStore(let url, _, _), .unsuitableModel(let url, _, _),
      .fileCall(let url, _, _, _), .notAFile(let url), .fileChangedElsewhere(let url),
      .missingSourceModel(let url, _, _), .missingMapping(let url, _, _, _), .migrationFailed(let url, _, _),
      .migrationViolatesConstraint(let url, _, _, _), .storeFileGone(let url, _), .historyBegun(let url):
      return url
    case .externalFile(let problem): return problem.file
    case .incompatibleModel(let url, _, _), .readOnlyStore(let url, _), .sqlite(_, _, _, _, let url),
      .historyNotTracked(_, let url), .storeNotAdded(let url, _), .unsuitableMetadata(let url, _),
      .migrationSourceStore(let url, _), .migrationDestinationStore(let url, _), .archiveUnreadable(_, let url, _):
      return url
    default:
      return nil
    }
  }
}
