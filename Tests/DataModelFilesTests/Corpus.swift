import Foundation

/// Sample files of public projects, found through COREDATA_CORPUS; tests that need them skip without it.
enum Corpus {
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

  /// The rows of a table with a heading line, by column name.
  static func rows(of table: String) throws -> [[String: String]] {
    guard let root else { return [] }
    let text = try String(contentsOf: root.appendingPathComponent(table), encoding: .utf8)
    var lines = text.split(whereSeparator: \.isNewline).map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let heading = lines.removeFirst()
    return lines.map { Dictionary(zip(heading, $0), uniquingKeysWith: { first, _ in first }) }
  }
}
