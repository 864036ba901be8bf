import Foundation

/// The CloudKit container with which a store should be synchronized. Linux has no CloudKit, so an
/// `NSPersistentCloudKitContainer` refuses a store with such options, by name.
nonisolated open class NSPersistentCloudKitContainerOptions: NSObject {
  /// The identifier of CloudKit's container.
  public let containerIdentifier: String

  /// Options for the CloudKit container with this identifier.
  public init(containerIdentifier: String) {
    self.containerIdentifier = containerIdentifier
    super.init()
  }
}
