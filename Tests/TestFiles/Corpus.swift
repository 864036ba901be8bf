import Foundation

/// Sample files of other people's projects, found through COREDATA_CORPUS. Tests that need them skip without it, and
/// copy what they open.
public enum Corpus {
  public static let root = ProcessInfo.processInfo.environment["COREDATA_CORPUS"].map {
    URL(fileURLWithPath: $0, isDirectory: true)
  }

  /// All files and folders below a folder whose paths are wanted, in order; none without a corpus.
  public static func files(in folder: String, where isWanted: (String) -> Bool = { _ in true }) -> [URL] {
    guard let base = root?.appendingPathComponent(folder),
      let all = FileManager.default.enumerator(atPath: base.path)
    else { return [] }
    return all.compactMap { $0 as? String }.filter(isWanted).sorted().map { base.appendingPathComponent($0) }
  }

  /// All files or folders below a folder with this extension.
  public static func files(in folder: String, extension ext: String) -> [URL] {
    files(in: folder) { $0.hasSuffix("." + ext) }
  }

  /// The rows of a table with a heading line, by column name.
  public static func rows(of table: String) throws -> [[String: String]] {
    guard let root else { return [] }
    let text = try String(contentsOf: root.appendingPathComponent(table), encoding: .utf8)
    var lines = text.split(whereSeparator: \.isNewline).map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let heading = lines.removeFirst()
    return lines.map { Dictionary(zip(heading, $0), uniquingKeysWith: { first, _ in first }) }
  }
}
