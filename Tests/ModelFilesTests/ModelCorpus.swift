import Foundation

/// Sample files of public projects, found through COREDATA_CORPUS; tests that need them skip without it.
enum ModelCorpus {
  static let root = ProcessInfo.processInfo.environment["COREDATA_CORPUS"].map {
    URL(fileURLWithPath: $0, isDirectory: true)
  }

  /// All files or folders below `folder` with this extension.
  static func files(in folder: String, extension ext: String) -> [URL] {
    guard let root, let all = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
    else { return [] }
    return all.compactMap { $0 as? String }.filter { $0.hasSuffix("." + ext) }.sorted()
      .map { root.appendingPathComponent(folder).appendingPathComponent($0) }
  }
}
