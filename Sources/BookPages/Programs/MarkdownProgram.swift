import Foundation

/// Runs the program `cmark-gfm`, which renders Markdown as HTML.
public struct MarkdownProgram: Sendable {
  private let url: URL

  /// Finds the program on the search path.
  ///
  /// - Throws: `PagesProblem`, which says how to install it, if it is missing.
  public init(path: String = ProcessInfo.processInfo.environment["PATH"] ?? "") throws {
    guard let url = SearchPath.program("cmark-gfm", on: path) else {
      throw PagesProblem("The program cmark-gfm is not here. On Debian and Ubuntu: apt-get install cmark-gfm")
    }
    self.url = url
  }

  /// - Throws: `PagesProblem` if the program fails.
  func html(of markdown: String) throws -> String {
    // With files instead of pipes, neither side has to wait for the other.
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-pages-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, result) = (folder.appendingPathComponent("text.md"), folder.appendingPathComponent("text.html"))
    try Data(markdown.utf8).write(to: source)
    try Data().write(to: result)

    let process = Process()
    process.executableURL = url
    // The texts are the project's own, so they may contain HTML.
    process.arguments = ["--unsafe", "--smart", "--extension", "table", "--extension", "autolink", source.path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: result)
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw PagesProblem("\(url.path) ended with \(process.terminationStatus).")
    }
    return String(decoding: try Data(contentsOf: result), as: UTF8.self)
  }
}
