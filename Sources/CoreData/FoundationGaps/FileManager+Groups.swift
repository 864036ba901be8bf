import Foundation

// Foundation on Linux knows no groups of programs; should it learn of them, its own method is used.

extension FileManager {
  /// The folder that programs of a group share: that of the group's name in the user's folder for application data. It
  /// is made if it is missing. nil for what can't be the name of a single folder.
  ///
  ///     FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.org.example.notes")
  ///
  /// Programs on Linux have no entitlements: every program of the same user that names the group finds the folder.
  @_disfavoredOverload
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    let isName = groupIdentifier.utf8.count <= 255 && !["", ".", ".."].contains(groupIdentifier)
    guard isName, !groupIdentifier.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) else { return nil }
    let folder = urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
      .appendingPathComponent(groupIdentifier, isDirectory: true)
    try? createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
