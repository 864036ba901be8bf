import BookText
import ComparisonPages
import Foundation
import Testing

@testable import BookPages

/// The book of this project: its pages hold together, are found by the words that readers type, and can be read in a
/// browser.
@Suite("The pages of this book", .serialized, .enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
struct ProjectPagesTests {
  private static let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("project-book-\(UUID().uuidString)")

  /// Built once for all tests, and removed when the test program ends.
  private static let built = Result {
    atexit { try? FileManager.default.removeItem(at: ProjectPagesTests.folder) }
    return try BuiltBook(projectRoot, output: folder, figures: RecordedRuns(root: projectRoot))
  }

  @Test func `The book of this project becomes pages that hold together`() throws {
    let built = try Self.built.get()
    for (file, html) in built.pages {
      #expect(unbalanced(html) == nil, "\(file): \(unbalanced(html) ?? "")")
      #expect(built.repeatedIDs(in: html) == [], "\(file)")
    }
    #expect(built.deadLinks == [])
  }

  @Test func `The typefaces have at most 250 kilobytes, with their licence beside them`() throws {
    let fonts = try Self.built.get().folder.appendingPathComponent("fonts")
    let files = try FileManager.default.contentsOfDirectory(atPath: fonts.path)
    #expect(files.contains("LICENSE.txt"))
    let bytes = try files.filter { $0.hasSuffix(".woff2") }.reduce(0) {
      try $0 + Data(contentsOf: fonts.appendingPathComponent($1)).count
    }
    #expect(bytes > 0 && bytes <= 250_000)
  }

  @Test(.enabled(if: OtherProgram.node != nil, "The program node is not here, in which the search's script would run."))
  func `A search finds first what the reader means`() throws {
    let folder = try Self.built.get().folder
    let node = try #require(OtherProgram.node)
    let (status, output) = try OtherProgram.run(
      node, [OtherProgram.path("search.js"), folder.path, OtherProgram.path("../searches.json")])
    #expect(status == 0, "\(output)")
  }

  @Test(.enabled(if: OtherProgram.browser != nil, "Chromium or Python is not here, so no browser looked at the pages."))
  func `The pages can be read, moved in and searched in a browser`() throws {
    let folder = try Self.built.get().folder
    let browser = try #require(OtherProgram.browser)
    let (status, output) = try OtherProgram.run(
      browser.python,
      [OtherProgram.path("check.py"), folder.path, browser.chromium, OtherProgram.path("../searches.json")])
    #expect(status == 0, "\(output)")
  }
}

/// Programs that these tests ask if they are here. Nothing is installed for them.
enum OtherProgram {
  private static let path = ProcessInfo.processInfo.environment["PATH"] ?? ""

  static let node = SearchPath.program("node", on: path)?.path

  static let browser: (python: String, chromium: String)? = {
    guard let python = SearchPath.program("python3", on: path),
      let chromium = SearchPath.program("chromium", "chromium-browser", "google-chrome", on: path)
    else { return nil }
    return (python.path, chromium.path)
  }()

  /// A file of the tests, which stand beside this one.
  static func path(_ name: String, file: String = #filePath) -> String {
    URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent("Browser/\(name)").standardizedFileURL
      .path
  }

  static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("program-\(UUID().uuidString).log")
    try Data().write(to: log)
    defer { try? FileManager.default.removeItem(at: log) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: log)
    process.standardError = process.standardOutput
    process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: try Data(contentsOf: log), as: UTF8.self))
  }
}
