import Foundation

/// Finds programs in the folders in which a shell looks for them.
enum SearchPath {
  /// - Parameters:
  ///   - names: possible names of the program, the best first.
  ///   - path: folders, separated by colons.
  static func program(_ names: String..., on path: String) -> URL? {
    names.lazy.flatMap { name in path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/\(name)") } }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
