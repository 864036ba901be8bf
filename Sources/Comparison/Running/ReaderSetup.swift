import Foundation

/// A reader's own set-up: a Swift file that is built against this package into a program like ours.
///
/// Its package lies in the checkout's build folder. It is kept, so that only the first build takes long. It contains
/// the file, and uses the checkout's library `Comparison`.
public struct ReaderSetup {
  let file: URL
  let checkout: URL
  let folder: URL

  /// - Parameters:
  ///   - file: a Swift file with one or more classes that conform to ``StackSetup``.
  ///   - checkout: the package that this program was built from.
  public init(file: URL, checkout: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw ComparisonFailure("There is no file \(file.path).")
    }
    self.file = file
    self.checkout = checkout
    folder = checkout.appendingPathComponent(".build/comparison-with", isDirectory: true)
  }

  /// The names of the classes in a source text that conform to ``StackSetup``.
  static func types(in source: String) -> [String] {
    source.matches(of: #/(?m)^\s*(?:public |final |@MainActor )*class\s+(\w+)\s*:[^{]*\bStackSetup\b/#).map {
      String($0.1)
    }
  }

  /// Builds the file in the configuration of this program, release or debug.
  ///
  /// - Returns: the set-ups in it.
  /// - Throws: `ComparisonFailure` with the compiler's output.
  public func candidates(progress: (String) -> Void = { _ in }) throws -> [Candidate] {
    let source = try String(contentsOf: file, encoding: .utf8)
    let types = Self.types(in: source)
    guard !types.isEmpty else {
      throw ComparisonFailure("\(file.lastPathComponent) has no class that conforms to StackSetup.")
    }
    try writePackage(source, types)
    progress("building \(file.lastPathComponent); the first time this takes minutes")
    let configuration = ComparisonRun.isReleaseBuild ? "release" : "debug"
    let log = try ChildProcess(
      URL(fileURLWithPath: "/usr/bin/env"),
      arguments: [
        "swift", "build", "--package-path", folder.path, "--configuration", configuration, "--product", "Reader",
      ],
      scratch: folder, limit: 3600, keepsOutput: true)
    guard log.end == .exit(0) else {
      throw ComparisonFailure("\(file.lastPathComponent) can't be built:\n\(Self.errors(in: log.standardError))")
    }
    return try Candidate.all(of: folder.appendingPathComponent(".build/\(configuration)/Reader"), scratch: folder)
  }

  private func writePackage(_ source: String, _ types: [String]) throws {
    let sources = folder.appendingPathComponent("Sources/Reader", isDirectory: true)
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try write(Self.manifest(checkout: checkout), to: folder.appendingPathComponent("Package.swift"))
    try write(source, to: sources.appendingPathComponent("Setup.swift"))
    try write(Self.program(types), to: sources.appendingPathComponent("ReaderProgram.swift"))
  }

  /// Writes a file only if its content changes, so that nothing is built without need.
  private func write(_ text: String, to url: URL) throws {
    if let old = try? String(contentsOf: url, encoding: .utf8), old == text { return }
    try Data(text.utf8).write(to: url)
  }

  static func manifest(checkout: URL) -> String {
    let path = checkout.path.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
    return """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "Reader",
        dependencies: [.package(name: "Strata", path: "\(path)")],
        targets: [
          .executableTarget(
            name: "Reader",
            dependencies: [
              .product(name: "Comparison", package: "Strata"), .product(name: "CoreData", package: "Strata"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)])
        ]
      )

      """
  }

  static func program(_ types: [String]) -> String {
    """
    import Comparison

    @main
    enum ReaderProgram {
      @MainActor
      static func main() {
        ComparisonChild.runIfAsked([\(types.map { "\($0).self" }.joined(separator: ", "))])
        print("This program is started by compare --with.")
      }
    }

    """
  }

  private static func errors(in log: String) -> String {
    let lines = log.split(separator: "\n").filter { $0.contains("error:") }.map(String.init)
    return lines.isEmpty
      ? log : lines.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.joined(separator: "\n")
  }
}
