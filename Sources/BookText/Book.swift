import Foundation

/// The book in a checkout: its pages in reading order, and the sources that they quote.
///
/// The first page is `Chapters/README.md`, the contents. Then come the chapters, whose folders begin with a number and
/// a hyphen; the page of the exercises, `Chapters/Exercises/README.md`; and the side pages, whose folders begin with a
/// capital letter and a hyphen. The text of each is the folder's `README.md`.
public struct Book: Sendable {
  /// The root of the package.
  public let root: URL
  public let pages: [Page]

  /// - Throws: `BookProblem` if there is no contents page or a page can't be read.
  public init(root: URL) throws {
    self.root = root
    let chapters = root.appendingPathComponent("Chapters", isDirectory: true)
    let folders = ((try? FileManager.default.contentsOfDirectory(atPath: chapters.path)) ?? [])
      .filter { Page.Place(folder: $0) != .contents }
      .filter { FileManager.default.fileExists(atPath: chapters.path + "/\($0)/README.md") }
      .sorted { (Page.Place(folder: $0).rank, $0) < (Page.Place(folder: $1).rank, $1) }
    pages = try ([""] + folders).map { folder in
      let path = folder.isEmpty ? "Chapters/README.md" : "Chapters/\(folder)/README.md"
      return Page(path: path, place: Page.Place(folder: folder), text: try Self.text(path, root: root))
    }
  }

  /// - Parameter folder: the folder's name in `Chapters`, such as `01-ManualStack`.
  func page(inFolder folder: String) -> Page? { pages.first { $0.folder == "Chapters/\(folder)" } }

  /// The text of a file in the checkout.
  ///
  /// - Parameter path: the path from the package's root.
  public func text(_ path: String) throws -> String { try Self.text(path, root: root) }

  private static func text(_ path: String, root: URL) throws -> String {
    do {
      return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    } catch {
      throw BookProblem(file: path, "there is no such file, or it is not UTF-8 text")
    }
  }

  /// The files in `Chapters` whose names end like this, as sorted paths from the package's root. Build folders are left
  /// out.
  public func files(endingIn ending: String) -> [String] {
    let chapters = root.appendingPathComponent("Chapters", isDirectory: true)
    guard let files = FileManager.default.enumerator(atPath: chapters.path) else { return [] }
    return files.compactMap { $0 as? String }
      .filter { $0.hasSuffix(ending) && !$0.split(separator: "/").contains { $0.hasPrefix(".build") } }
      .map { "Chapters/\($0)" }.sorted()
  }
}

/// A page of the book: a Markdown text.
public struct Page: Sendable {
  /// The position of a page in the book.
  public enum Place: Hashable, Sendable {
    case contents
    case chapter(Int)
    /// The page of the exercises.
    case exercises
    /// A side page.
    case appendix(String)

    /// Pages are ordered by rank.
    var rank: Int {
      switch self {
      case .contents: 0
      case .chapter: 1
      case .exercises: 2
      case .appendix: 3
      }
    }

    /// - Parameter folder: the page's folder in `Chapters`. Any other folder counts as the contents page.
    init(folder: String) {
      guard let hyphen = folder.firstIndex(of: "-") else {
        self = folder == "Exercises" ? .exercises : .contents
        return
      }
      let head = folder[..<hyphen]
      if let number = Int(head) {
        self = .chapter(number)
      } else if head.count == 1, head.allSatisfy({ $0.isASCII && $0.isUppercase }) {
        self = .appendix(String(head))
      } else {
        self = .contents
      }
    }
  }

  /// The path from the package's root: `Chapters/01-ManualStack/README.md`.
  public let path: String
  public let place: Place
  public let markdown: MarkdownText

  public init(path: String, place: Place, text: String) {
    self.path = path
    self.place = place
    markdown = MarkdownText(text)
  }

  /// The path of the page's folder: `Chapters/01-ManualStack`.
  public var folder: String { String(path.dropLast("/README.md".count)) }

  /// The path of the transcript that a block names. `run` is in the page's own folder, `01-First/run` in another.
  public func path(ofTranscript name: String) -> String {
    name.contains("/") ? "Chapters/\(name).transcript" : "\(folder)/\(name).transcript"
  }

  /// The text of the first heading.
  public var title: String { markdown.headings.first?.text ?? folder }

  public var blocks: [FencedBlock] { markdown.blocks }

  /// The number of words in the text, without its blocks.
  public var wordCount: Int {
    markdown.proseLines.reduce(0) { $0 + $1.text.split(whereSeparator: \.isWhitespace).count }
  }

  func problem(_ line: Int?, _ sentence: String) -> BookProblem { BookProblem(file: path, line: line, sentence) }
}
