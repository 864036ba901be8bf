import Foundation

/// Explains an error code of `NSCocoaErrorDomain`: what it means, and what to do.
///
/// The book's page on error codes has the same words, and links to the sections that cause each error on purpose. A
/// test compares them.
public struct ErrorCode: Sendable {
  public let code: Int
  /// The name of the constant: `NSManagedObjectMergeError`.
  public let constant: String
  public let meaning: String
  public let remedy: String

  init(_ code: Int, _ constant: String, _ meaning: String, do remedy: String) {
    (self.code, self.constant, self.meaning, self.remedy) = (code, constant, meaning, remedy)
  }

  /// The entry for a code; nil if the stack never throws it.
  public static func find(_ code: Int) -> ErrorCode? { all.first { $0.code == code } }

  /// The text for a terminal: code and name, then meaning and remedy, each a paragraph.
  public var text: String { "\(code) \(constant)\n\n\(meaning)\n\n\(remedy)\n" }
}

extension ErrorCode {
  /// All codes, ordered by number.
  public static let all: [ErrorCode] = files + validation + saving + stores + migration

  // MARK: Files: Cocoa's codes

  private static let files: [ErrorCode] = [
    ErrorCode(
      256, "NSFileReadUnknownError", "The file could not be read, and the system gave no better reason.",
      do: "Read the error under NSUnderlyingErrorKey: it names SQLite's or the system's own reason."),
    ErrorCode(
      257, "NSFileReadNoPermissionError", "You may not read this file.",
      do: "Check the owner and the rights of the file and of its folder."),
    ErrorCode(
      258, "NSFileReadInvalidFileNameError",
      "A row names a file for a long value, and the name is not one that the store would write.",
      do: "Don't trust the file if it came from elsewhere. If it is yours, set the property again or restore a copy."),
    ErrorCode(
      259, "NSFileReadCorruptFileError",
      "The file is not a store or a model of the kind you asked for, or it is damaged.",
      do: "Run inspect on it to see what it is. Restore a copy; \"sqlite3 FILE .recover\" saves what can be saved."),
    ErrorCode(
      260, "NSFileReadNoSuchFileError", "There is no file at this place.",
      do: "Check the path. For a long value, put its file back into the store's folder, or set the property again."),
    ErrorCode(
      263, "NSFileReadTooLargeError", "A file that holds one value is larger than a value may be.",
      do: "Look at the file: it was probably replaced. Set the property again."),
    ErrorCode(
      512, "NSFileWriteUnknownError", "The file could not be written, and the system gave no better reason.",
      do: "Check that the folder exists and can be written; then read the error under NSUnderlyingErrorKey."),
    ErrorCode(
      513, "NSFileWriteNoPermissionError", "You may not write this file.",
      do: "Check the owner and the rights of the file and of its folder: SQLite writes beside the file, too. And check "
        + "that the store was not added as read-only."),
    ErrorCode(
      516, "NSFileWriteFileExistsError", "A file already exists where a new store was to be made.",
      do: "Choose another place, or remove the old store with destroyPersistentStore first."),
    ErrorCode(
      640, "NSFileWriteOutOfSpaceError", "The disk is full.",
      do: "Make room and save again: the context still has all its changes."),
    ErrorCode(
      642, "NSFileWriteVolumeReadOnlyError", "The disk is mounted read-only.",
      do: "Add the store with NSReadOnlyPersistentStoreOption, or copy it to a disk that can be written."),
  ]

  // MARK: Validation: a value that your model forbids

  private static let validation: [ErrorCode] = [
    ErrorCode(
      1550, "NSManagedObjectValidationError",
      "A value breaks a rule that has no code of its own, or has the wrong type.",
      do: "Read NSValidationKeyErrorKey and NSValidationValueErrorKey: they name the property and its value."),
    ErrorCode(
      1551, "NSManagedObjectConstraintValidationError",
      "Two objects of this save have the same values for a uniqueness constraint. This module reports 133021 instead.",
      do: "Find the existing object before you make a new one, or set a merge policy that decides which one stays."),
    ErrorCode(
      1560, "NSValidationMultipleErrorsError", "Several rules were broken at once.",
      do: "Walk through the errors under NSDetailedErrorsKey: each has its own code, object and property."),
    ErrorCode(
      1570, "NSValidationMissingMandatoryPropertyError", "A property that is not optional has no value.",
      do: "Set it before you save, give it a default in the model, or make it optional."),
    ErrorCode(
      1580, "NSValidationRelationshipLacksMinimumCountError", "A relationship leads to fewer objects than its minimum.",
      do: "Add the missing objects, or lower the minimum in the model."),
    ErrorCode(
      1590, "NSValidationRelationshipExceedsMaximumCountError",
      "A relationship leads to more objects than its maximum.",
      do: "Remove objects, or raise the maximum in the model."),
    ErrorCode(
      1600, "NSValidationRelationshipDeniedDeleteError",
      "The object can't be deleted: a relationship with the delete rule Deny still leads to other objects.",
      do: "Delete or move those objects first, or choose another delete rule."),
    ErrorCode(
      1610, "NSValidationNumberTooLargeError", "A number is above the maximum of its attribute.",
      do: "Correct the value, or change the maximum in the model."),
    ErrorCode(
      1620, "NSValidationNumberTooSmallError", "A number is below the minimum of its attribute.",
      do: "Correct the value, or change the minimum in the model."),
    ErrorCode(
      1630, "NSValidationDateTooLateError", "A date is after the latest one that its attribute allows.",
      do: "Correct the date, or change the limit in the model."),
    ErrorCode(
      1640, "NSValidationDateTooSoonError", "A date is before the earliest one that its attribute allows.",
      do: "Correct the date, or change the limit in the model."),
    ErrorCode(
      1660, "NSValidationStringTooLongError", "A text is longer than its attribute allows.",
      do: "Shorten it, or raise the maximum length in the model."),
    ErrorCode(
      1670, "NSValidationStringTooShortError", "A text is shorter than its attribute demands.",
      do: "Complete it, or lower the minimum length in the model. An empty text is too short, too; nil is not."),
    ErrorCode(
      1680, "NSValidationStringPatternMatchingError", "A text does not match the regular expression of its attribute.",
      do: "Correct it. The whole text has to match, not a part of it."),
  ]

  // MARK: Saving

  private static let saving: [ErrorCode] = [
    ErrorCode(
      3072, "NSUserCancelledError", "The work was canceled before it was done.",
      do: "Nothing: your program asked for it. What had not been written is not written."),
    ErrorCode(
      133000, "NSManagedObjectReferentialIntegrityError",
      "The object's row is gone: another context, a batch or another program deleted it.",
      do:
        "Fetch again. Let your context merge what others save, or test existingObject(with:) before you use an old id."),
    ErrorCode(
      133010, "NSManagedObjectExternalRelationshipError", "A relationship leads to an object in another store.",
      do: "Put both entities into one store, or connect them by a value that both have, with a fetched property."),
    ErrorCode(
      133020, "NSManagedObjectMergeError",
      "A row has changed in the store since your context read it, and your merge policy says to report that.",
      do: "Look at userInfo[\"conflictList\"]. Choose a merge policy, refresh and try again, or write through one "
        + "queue."),
    ErrorCode(
      133021, "NSManagedObjectConstraintMergeError",
      "The save would give two rows the same values for a uniqueness constraint.",
      do: "Find the existing object before you make a new one, or set a merge policy that decides which one stays."),
  ]

  // MARK: Stores

  private static let stores: [ErrorCode] = [
    ErrorCode(
      134000, "NSPersistentStoreInvalidTypeError", "No store class is registered for this store type.",
      do: "Correct the type's name, or register your own class with registerStoreClass(_:type:) first."),
    ErrorCode(
      134010, "NSPersistentStoreTypeMismatchError",
      "The file holds a store of another type than the one you asked for.",
      do: "Ask inspect what it is, and add it with that type."),
    ErrorCode(
      134020, "NSPersistentStoreIncompatibleSchemaError", "The tables in the file don't fit the model.",
      do: "Something other than Core Data has changed the tables, or the model can't be kept in this type of store."),
    ErrorCode(
      134030, "NSPersistentStoreSaveError", "The save has no store to write to, or its store can't be written.",
      do: "Check that the store was loaded, without an error, before the save; and that no one else writes its file."),
    ErrorCode(
      134040, "NSPersistentStoreIncompleteSaveError", "Some of several stores were saved, and others were not.",
      do: "Read NSDetailedErrorsKey, solve what is there, and save again: the rest is still pending in the context."),
    ErrorCode(
      134060, "NSCoreDataError",
      "The model, the predicate or the request can't be used as it is. The message says which, and what is wrong with it.",
      do: "Read the message: it names the entity or the key, and often the name that you probably meant."),
    ErrorCode(
      134070, "NSPersistentStoreOperationError",
      "The store can't do this now, or a store class of your own breaks a rule.",
      do: "Read the message: it names the store and the method."),
    ErrorCode(
      134080, "NSPersistentStoreOpenError", "The store can't be added with these arguments.",
      do: "Check that it has a URL, and that the configuration exists in the model. "
        + "A server says in its own words what it has against you."),
    ErrorCode(
      134081, "no constant", "The coordinator has this store already: the same store can't be added twice.",
      do: "Load a container's stores once, or ask persistentStores first."),
    ErrorCode(
      134090, "NSPersistentStoreTimeoutError", "Another connection kept the store locked for too long.",
      do: "Find the program that holds a transaction open. Save in smaller portions; try again."),
    ErrorCode(
      134091, "NSPersistentStoreUnsupportedRequestTypeError",
      "This type of store can't carry out this kind of request.",
      do: "Batches and history need a SQLite store or a server; history has to be switched on by "
        + "NSPersistentHistoryTrackingKey."),
    ErrorCode(
      134100, "NSPersistentStoreIncompatibleVersionHashError",
      "The store was made with another version of the model: its version hashes differ.",
      do: "Let the store migrate (a container does by itself), or open it with the model it was made with."),
  ]

  // MARK: Migration

  private static let migration: [ErrorCode] = [
    ErrorCode(
      134110, "NSMigrationError", "A migration failed. The old store is as it was.",
      do: "Read the error under NSUnderlyingErrorKey. It names the mapping and the property, or a new mandatory "
        + "attribute that objects lack: give it a default."),
    ErrorCode(
      134111, "NSMigrationConstraintViolationError",
      "The migrated rows would break a uniqueness constraint of the new model.",
      do: "Remove the duplicates first, or merge them in a migration policy."),
    ErrorCode(
      134120, "NSMigrationCancelledError", "The migration was canceled. The old store is as it was.",
      do: "Nothing, or start it again."),
    ErrorCode(
      134130, "NSMigrationMissingSourceModelError", "No model in your program fits the store that is to be migrated.",
      do: "Keep every model version you have ever shipped in the .xcdatamodeld."),
    ErrorCode(
      134140, "NSMigrationMissingMappingModelError",
      "No mapping model leads from the store's version to yours, and none may be inferred.",
      do: "Set shouldInferMappingModelAutomatically, or add a mapping model between just these two versions."),
    ErrorCode(
      134150, "NSMigrationManagerSourceStoreError", "The store that is to be migrated could not be opened.",
      do: "Read the error under NSUnderlyingErrorKey."),
    ErrorCode(
      134160, "NSMigrationManagerDestinationStoreError", "The migrated store could not be made.",
      do: "Read the error under NSUnderlyingErrorKey; look for a full disk first."),
    ErrorCode(
      134170, "NSEntityMigrationPolicyError", "A migration policy of your own threw an error.",
      do: "Read the error under NSUnderlyingErrorKey: it is the one that your policy threw."),
    ErrorCode(
      134180, "NSSQLiteError", "SQLite reports a failure; its number is under NSSQLiteErrorDomain.",
      do: "Look the number up in SQLite's result codes: 5 is busy, 13 a full disk, 10 a failed read or write."),
    ErrorCode(
      134190, "NSInferredMappingModelError", "No mapping can be inferred: the two versions differ too much.",
      do: "Give an attribute of another type another name, set renaming identifiers, or write a mapping model."),
    ErrorCode(
      134301, "NSPersistentHistoryTokenExpiredError", "The history before this token was deleted.",
      do: "Fetch everything once, keep the current token, and go on from there."),
    ErrorCode(
      134504, "NSManagedObjectModelReferenceNotFoundError",
      "A reference leads to no model, or no stage has the store's version.",
      do: "Check the reference's name, bundle and checksum; add the stage of the version that the message names."),
    ErrorCode(
      134505, "NSStagedMigrationFrameworkVersionMismatchError", "A staged migration can't be carried out as described.",
      do: "Read the message: it names the stage."),
    ErrorCode(
      134506, "NSStagedMigrationBackwardMigrationError", "The store is newer than the last stage.",
      do: "Ship the stage that leads to the version of the store; staged migration never goes back."),
  ]
}
