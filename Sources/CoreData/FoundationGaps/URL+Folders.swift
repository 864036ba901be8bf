import Foundation

/// The user's folders. Foundation on Linux knows where they are, but has no such names for them; should it get them,
/// those are used.
extension URL {
  /// The user's documents: `~/Documents`, unless the user's settings name another folder.
  @_disfavoredOverload
  public static var documentsDirectory: URL { folder(.documentDirectory) }
  /// The user's data of applications: `~/.local/share`.
  @_disfavoredOverload
  public static var applicationSupportDirectory: URL { folder(.applicationSupportDirectory) }
  /// The user's files that can be made again: `~/.cache`.
  @_disfavoredOverload
  public static var cachesDirectory: URL { folder(.cachesDirectory) }

  private static func folder(_ directory: FileManager.SearchPathDirectory) -> URL {
    FileManager.default.urls(for: directory, in: .userDomainMask)[0]
  }
}
