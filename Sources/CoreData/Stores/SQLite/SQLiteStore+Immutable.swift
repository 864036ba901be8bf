/// An option for the package's own tools. It promises that no one writes to the file while the store is open. A
/// read-only store then reads the file in its place, with or without a write-ahead log, and SQLite makes nothing beside
/// it. Commits that are still in the log are not seen.
package let immutableStoreFileOption = "StrataImmutableStoreFile"

extension SQLiteStore {
  /// The address under which SQLite opens a file that doesn't change.
  static func immutableAddress(of url: URL) -> String {
    var address = URLComponents()
    address.scheme = "file"
    address.path = url.path
    address.queryItems = [URLQueryItem(name: "immutable", value: "1")]
    return address.string ?? url.absoluteString
  }
}
