import Foundation

/// The CloudKit container with which a store should be synchronized. Linux has no CloudKit, so an
/// `NSPersistentCloudKitContainer` refuses a store with such options, by name.
nonisolated open class NSPersistentCloudKitContainerOptions: NSObject {
  /// The identifier of CloudKit's container.
  public let containerIdentifier: String

  /// The database in that container.
  public final var databaseScope = DatabaseScope.private

  /// The databases of a CloudKit container.
  public enum DatabaseScope: Int, Sendable {
    /// The database that every user can read.
    case `public` = 1
    /// The user's own database.
    case `private` = 2
    /// What other users share with this one.
    case shared = 3
  }

  /// Options for the CloudKit container with this identifier.
  public init(containerIdentifier: String) {
    self.containerIdentifier = containerIdentifier
    super.init()
  }
}
