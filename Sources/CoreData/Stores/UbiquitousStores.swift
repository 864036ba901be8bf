// Stores in the user's cloud account, which Apple's framework no longer has either. Programs that name the options
// compile; without CloudKit and iCloud nothing is synchronized.

/// An option without effect: the name under which a store was kept in the cloud.
@available(*, deprecated, message: "There is no such store")
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"
/// An option without effect: where in the cloud a store kept its changes.
@available(*, deprecated, message: "There is no such store")
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"
/// An option without effect: what told several stores of one account apart.
@available(*, deprecated, message: "There is no such store")
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"
/// An option without effect: it made a copy of a store one that is not in the cloud.
@available(*, deprecated, message: "There is no such store")
public let NSPersistentStoreRemoveUbiquitousMetadataOption = "NSPersistentStoreRemoveUbiquitousMetadataOption"
/// An option without effect: the container of the cloud.
@available(*, deprecated, message: "There is no such store")
public let NSPersistentStoreUbiquitousContainerIdentifierKey = "NSPersistentStoreUbiquitousContainerIdentifierKey"
/// An option without effect: it made a store again from what the cloud has.
@available(*, deprecated, message: "There is no such store")
public let NSPersistentStoreRebuildFromUbiquitousContentOption = "NSPersistentStoreRebuildFromUbiquitousContentOption"
/// Never in a notification: why stores changed, an ``NSPersistentStoreUbiquitousTransitionType``.
@available(*, deprecated, message: "There is no such store")
public let NSPersistentStoreUbiquitousTransitionTypeKey = "NSPersistentStoreUbiquitousTransitionTypeKey"

/// Why the stores of a cloud account would change.
@available(*, deprecated, message: "There is no such store")
public enum NSPersistentStoreUbiquitousTransitionType: UInt, Sendable {
  /// The user has added an account.
  case accountAdded = 1
  /// The user has removed the account.
  case accountRemoved = 2
  /// The user has deleted what the account has.
  case contentRemoved = 3
  /// The first import is complete.
  case initialImportCompleted = 4
}
