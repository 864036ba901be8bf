import Foundation

/// The programs that were built with the tests.
public enum BuiltProgram {
  /// nil if there is none of this name. Programs lie beside the test bundle, whose path the test runner has among its
  /// arguments or is itself.
  public static func url(_ name: String) -> URL? {
    var folders = CommandLine.arguments.filter { $0.contains(".xctest") }.map { URL(fileURLWithPath: $0) }
    folders.append(Bundle.main.bundleURL.appendingPathComponent("x"))
    return folders.lazy
      .flatMap {
        sequence(first: $0.deletingLastPathComponent(), next: { $0.deletingLastPathComponent() }).prefix(4)
      }
      .map { $0.appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) && !$0.hasDirectoryPath }
  }
}
