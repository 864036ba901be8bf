import Foundation

// Programs ask these before they choose a store in iCloud, and go on without it where the answer is nil. Should
// Foundation on Linux learn of them, its own are used.

extension FileManager {
  /// nil: there is no iCloud here, so no user is signed in to it.
  @_disfavoredOverload
  public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? { nil }

  /// nil: there is no iCloud here, so it has no folder of that name.
  @_disfavoredOverload
  public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? { nil }

  /// false: there is no iCloud here, so nothing is in it.
  @_disfavoredOverload
  public func isUbiquitousItem(at url: URL) -> Bool { false }
}

extension Notification.Name {
  /// Never posted: no user signs in to iCloud here, or out of it.
  @_disfavoredOverload
  public static let NSUbiquityIdentityDidChange = Notification.Name("NSUbiquityIdentityDidChangeNotification")
}
