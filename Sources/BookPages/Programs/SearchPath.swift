import Foundation

/// The folders in which a shell looks for programs.
enum SearchPath {
  /// - Parameters:
  ///   - names: What the program may be called, the best first.
  ///   - path: Folders with colons between them.
  static func program(_ names: String..., on path: String) -> URL? {
    names.lazy.flatMap { name in path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/\(name)") } }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
