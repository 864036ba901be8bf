/// What the module itself refuses. Stores and validation throw `CocoaError`s, as Core Data does.
public struct SwiftDataError: Error, Hashable, CustomStringConvertible {
  private let name: String
  private let words: String

  private init(_ name: String, _ words: String) {
    self.name = name
    self.words = words
  }

  /// The case's name, and a sentence.
  public var description: String { "SwiftDataError.\(name): \(words)" }

  /// A predicate says what no store can be asked.
  public static let unsupportedPredicate = SwiftDataError(
    "unsupportedPredicate", "the predicate says what no store can be asked")
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
  /// A stage of a migration plan leads to an earlier version.
  public static let backwardMigration = SwiftDataError(
    "backwardMigration", "a stage of the migration plan leads to an earlier version")
  /// A descriptor of history is of another type of transactions than the container's, or asks to delete what is not the
  /// beginning of a history.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    "invalidTransactionFetchRequest",
    "the container has no such transactions, or they cannot be deleted without earlier ones")
  /// A context was asked for models of a class that its container's schema does not have.
  public static let unknownSchema = SwiftDataError(
    "unknownSchema", "the container's schema does not have the model's class, or no stage of the plan leads to it")

  /// The case alone counts.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.name == right.name }
  /// By the case.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  /// For `catch SwiftDataError.unsupportedPredicate`.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool { error as? SwiftDataError == pattern }
}
