import Foundation
import Testing

@Suite("The transcripts of the chapters")
struct TranscriptTests {
  static let transcripts: [String] = {
    let chapters = packageRoot.appendingPathComponent("Chapters")
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: chapters.path)) ?? []
    return folders.flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: chapters.path + "/" + folder)) ?? [])
        .filter { $0.hasSuffix(".transcript") }.map { "\(folder)/\($0)" }
    }.sorted()
  }()

  @Test("Each chapter has one")
  func all() {
    #expect(Self.transcripts.filter { $0.hasSuffix("/run.transcript") }.count >= 6)
  }

  @Test("Running the command again gives what the transcript shows", arguments: transcripts)
  func transcript(path: String) throws {
    let text = try String(contentsOf: packageRoot.appendingPathComponent("Chapters/\(path)"), encoding: .utf8)
    let (head, shown) = try #require(
      text.firstIndex(of: "\n").map { (text[..<$0], text[text.index(after: $0)...]) })
    var words = Self.words(of: head)
    #expect(Array(words.prefix(3)) == ["$", "swift", "run"])
    words.removeFirst(3)
    let program = words.removeFirst()
    // The transcript's folder is a fixed one; this run gets its own, and is shown as if it had the other.
    let folder = try TemporaryFolder()
    var place: String?
    if let option = words.firstIndex(of: "--store") {
      place = words[option + 1]
      words[option + 1] = folder.url.path
    }
    let outcome = try ProgramRunner.run(program, words)
    var said = outcome.output + outcome.errors
    if let place { said = said.replacingOccurrences(of: folder.url.path, with: place) }
    #expect(said == shown)
  }

  /// The words of a command line; one in single quotation marks may have blanks.
  static func words(of line: Substring) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { place, part in
      place % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
  }

  @Test("What the texts show of the output is in a transcript", arguments: chapters)
  func shown(chapter: String) throws {
    let folder = packageRoot.appendingPathComponent("Chapters/\(chapter)")
    let text = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
    let transcripts = try Self.transcripts.filter { $0.hasPrefix(chapter + "/") }
      .map {
        try String(contentsOf: folder.deletingLastPathComponent().appendingPathComponent($0), encoding: .utf8)
      }
    let quotes = text.components(separatedBy: "```text\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    #expect(!quotes.isEmpty)
    for quote in quotes { #expect(transcripts.contains { $0.contains(quote) }, "\(quote)") }
  }

  static let chapters = Set(transcripts.compactMap { $0.split(separator: "/").first.map(String.init) })
    .sorted()
}
