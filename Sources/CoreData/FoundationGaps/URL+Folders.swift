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
  /// The user's downloads: `~/Downloads`, unless the user's settings name another folder.
  @_disfavoredOverload
  public static var downloadsDirectory: URL { folder(.downloadsDirectory) }

  /// A folder that Foundation knows, as `FileManager.url(for:in:appropriateFor:create:)` finds it.
  @_disfavoredOverload
  public init(
    for directory: FileManager.SearchPathDirectory, in domain: FileManager.SearchPathDomainMask,
    appropriateFor url: URL? = nil, create shouldCreate: Bool = false
  ) throws {
    self = try FileManager.default.url(for: directory, in: domain, appropriateFor: url, create: shouldCreate)
  }

  private static func folder(_ directory: FileManager.SearchPathDirectory) -> URL {
    FileManager.default.urls(for: directory, in: .userDomainMask)[0]
  }
}
