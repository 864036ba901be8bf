import Foundation

/// A folder of its own for a test. It goes with the last reference to it.
public final class TemporaryFolder: Sendable {
  public let url: URL

  public init() {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-\(UUID().uuidString)", isDirectory: true)
    try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A test may have made it read-only.
    try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path)
    try? FileManager.default.removeItem(at: url)
  }

  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// The names of what is in it, in order.
  public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}

/// The bytes of every file below a folder, by its path from there. A folder has none.
public func snapshot(of folder: URL) throws -> [String: Data] {
  var files: [String: Data] = [:]
  for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
    files[name] = FileManager.default.contents(atPath: folder.appendingPathComponent(name).path) ?? Data()
  }
  return files
}
