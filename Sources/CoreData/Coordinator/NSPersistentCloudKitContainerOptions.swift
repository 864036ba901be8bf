import Foundation

/// With which CloudKit container a store should be synchronized. Nothing is here: `NSPersistentCloudKitContainer`
/// refuses a store with such options, by name.
nonisolated open class NSPersistentCloudKitContainerOptions: NSObject {
  /// The identifier of CloudKit's container.
  public let containerIdentifier: String

  /// Options for a container of CloudKit's.
  public init(containerIdentifier: String) {
    self.containerIdentifier = containerIdentifier
    super.init()
  }
}
