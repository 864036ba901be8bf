import Foundation

/// The errors of SwiftData itself. Fetches, saves and validation throw `CocoaError`s, as Core Data does.
///
///     do { _ = try context.fetch(descriptor) } catch SwiftDataError.unsupportedPredicate { … }
public struct SwiftDataError: Error, Hashable, CustomStringConvertible, CustomNSError {
  private let name: String
  private let words: String
  private let underlying: (any Error)?

  private init(_ name: String, _ words: String, underlying: (any Error)? = nil) {
    self.name = name
    self.words = words
    self.underlying = underlying
  }

  /// The name of the error, and a sentence.
  public var description: String { "SwiftDataError.\(name): \(words)" }
  /// The localized description, and, if a container's store can't be opened, the reason under `NSUnderlyingErrorKey`.
  public var errorUserInfo: [String: Any] {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
    userInfo[NSUnderlyingErrorKey] = underlying
    return userInfo
  }

  /// The predicate can't be translated for any store.
  public static let unsupportedPredicate = SwiftDataError(
    "unsupportedPredicate", "the predicate uses something that no store can evaluate")
  /// A key path leads to no persistent property.
  public static let unsupportedKeyPath = SwiftDataError(
    "unsupportedKeyPath", "the key path leads to no persistent property")
  /// A sort descriptor has no key path, or one that leads to no persistent property.
  public static let unsupportedSortDescriptor = SwiftDataError(
    "unsupportedSortDescriptor", "the sort descriptor's key path leads to no persistent property")
  /// Two configurations have one name or one file.
  public static let duplicateConfiguration = SwiftDataError(
    "duplicateConfiguration", "two configurations have the same name, or the same file")
  /// A configuration's schema has a model that is missing in the container's.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    "configurationSchemaNotFoundInContainerSchema",
    "a configuration's schema has a model that is missing in the container's")
  /// A store is of a later version than the schema, in the order of the migration plan's stages; or a stage leads back
  /// to where another began.
  public static let backwardMigration = SwiftDataError(
    "backwardMigration", "the stages of the migration plan lead from the schema to later versions only, or in a circle")
  /// The descriptor asks for another type of transactions than the container has, or asks to delete transactions while
  /// earlier ones stay.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    "invalidTransactionFetchRequest",
    "the container has no such transactions, or they cannot be deleted without earlier ones")
  /// A store of a container can't be opened, or none could have its models. The underlying error is the `CocoaError`
  /// that says why.
  public static let loadIssueModelContainer = SwiftDataError(
    "loadIssueModelContainer", "a store of the container does not open")
  /// The name of a configuration or of its group is too long: as a file name it would take more than 255 bytes.
  public static let configurationFileNameTooLong = SwiftDataError(
    "configurationFileNameTooLong", "the configuration's name makes a file name of more than 255 bytes")
  /// The name of a configuration or of its group can't be a file name: it contains a slash or a NUL.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    "configurationFileNameContainsInvalidCharacters",
    "the configuration's name has a slash or a NUL in it, which no file name can have")
  /// Transactions after a history token were deleted, so that a fetch of the history would not have them.
  public static let historyTokenExpired = SwiftDataError(
    "historyTokenExpired", "the history behind the token was deleted")
  /// A model isn't valid. Never thrown here: `save()` throws a `CocoaError` that names the model and its property.
  public static let modelValidationFailure = SwiftDataError("modelValidationFailure", "a model is not valid")
  /// A model has no context. Never thrown here.
  public static let missingModelContext = SwiftDataError("missingModelContext", "the model has no context")
  /// An enumeration that does not allow escaping mutations has met unsaved changes. A fetch with a batch size does not
  /// throw it, because it includes them.
  public static let includePendingChangesWithBatchSize = SwiftDataError(
    "includePendingChangesWithBatchSize", "a fetch with a batch size does not see pending changes")
  /// Identities can't be sorted while there are pending changes. Never thrown here, because they are sorted together.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
    "sortingPendingChangesWithIdentifiers", "identities of pending changes are not sorted")
  /// The container's schema lacks the model's class, or no stage of the migration plan leads to the schema.
  public static let unknownSchema = SwiftDataError(
    "unknownSchema", "the container's schema does not have the model's class, or no stage of the plan leads to it")

  /// A ``loadIssueModelContainer`` with the store's error.
  static func loadIssue(_ url: URL, _ error: any Error) -> SwiftDataError {
    SwiftDataError(
      "loadIssueModelContainer", "the store \(url.path) does not open: \(error.localizedDescription)",
      underlying: error)
  }

  /// A ``loadIssueModelContainer`` for classes that no store can have, with the reason.
  static func unusable(_ error: any Error) -> SwiftDataError {
    SwiftDataError("loadIssueModelContainer", error.localizedDescription, underlying: error)
  }

  /// A ``backwardMigration`` with the store's error.
  static func backward(_ url: URL, _ error: any Error) -> SwiftDataError {
    SwiftDataError(
      "backwardMigration", "the store \(url.path) is of a later version: \(error.localizedDescription)",
      underlying: error)
  }

  /// A ``loadIssueModelContainer`` for a store that a CloudKit database should synchronize.
  static func noCloudKit(_ database: String, _ url: URL) -> SwiftDataError {
    loadIssue(
      url,
      CocoaError(
        .featureUnsupported,
        userInfo: [
          NSLocalizedDescriptionKey: "Its configuration names the CloudKit database \"\(database)\", and there is no "
            + "iCloud on this system. Write cloudKitDatabase: .none."
        ]))
  }

  /// An ``includePendingChangesWithBatchSize`` for an enumeration.
  static func changesWhileEnumerating(_ model: any PersistentModel.Type) -> SwiftDataError {
    SwiftDataError(
      "includePendingChangesWithBatchSize",
      "the context has unsaved changes, so the enumeration of \(model) cannot release the models that it has passed. "
        + "Save before it and in its block, or pass allowEscapingMutations: true")
  }

  /// A ``configurationFileNameContainsInvalidCharacters`` for the name of a group.
  static func noGroupFolder(_ group: String) -> SwiftDataError {
    SwiftDataError(
      "configurationFileNameContainsInvalidCharacters",
      "the group container \"\(group)\" makes no name of a folder: it is empty, a dot or two, or has a slash or a NUL "
        + "in it")
  }

  /// A ``configurationFileNameTooLong`` for the name of a group.
  static func groupNameTooLong(_ group: String) -> SwiftDataError {
    SwiftDataError(
      "configurationFileNameTooLong",
      "the group container \"\(group.prefix(40))…\" makes a folder's name of more than 255 bytes")
  }

  /// Whether both are the same kind of error. Details and underlying errors don't matter.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.name == right.name }
  /// Hashes the kind of error.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  /// Lets you write `catch SwiftDataError.unsupportedPredicate`.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool { error as? SwiftDataError == pattern }
}
