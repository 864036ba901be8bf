import Foundation

/// The book as it lies in a checkout: its pages in reading order, and the sources that they quote.
///
/// Pages are `Chapters/README.md`, the contents; then each `Chapters/FOLDER/README.md` whose folder begins with a
/// number and a hyphen (a chapter), `Chapters/Exercises/README.md`, and those whose folder begins with a capital letter
/// and a hyphen (a side page), in that order.
public struct Book: Sendable {
  /// The package's root.
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

  /// - Parameter folder: Below `Chapters`: `01-ManualStack`.
  func page(inFolder folder: String) -> Page? { pages.first { $0.folder == "Chapters/\(folder)" } }

  /// The text of a file of the checkout.
  ///
  /// - Parameter path: From the package's root.
  public func text(_ path: String) throws -> String { try Self.text(path, root: root) }

  private static func text(_ path: String, root: URL) throws -> String {
    do {
      return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    } catch {
      throw BookProblem(file: path, "there is no such file, or it is not UTF-8 text")
    }
  }

  /// The files under `Chapters` with this ending, from the package's root, sorted; build folders are left out.
  public func files(endingIn ending: String) -> [String] {
    let chapters = root.appendingPathComponent("Chapters", isDirectory: true)
    guard let files = FileManager.default.enumerator(atPath: chapters.path) else { return [] }
    return files.compactMap { $0 as? String }
      .filter { $0.hasSuffix(ending) && !$0.split(separator: "/").contains { $0.hasPrefix(".build") } }
      .map { "Chapters/\($0)" }.sorted()
  }
}

/// A page: a text in Markdown.
public struct Page: Sendable {
  /// Where a page stands in the book.
  public enum Place: Hashable, Sendable {
    case contents
    case chapter(Int)
    /// The exercises' page.
    case exercises
    /// A side page.
    case appendix(String)

    /// Pages stand by their ranks.
    var rank: Int {
      switch self {
      case .contents: 0
      case .chapter: 1
      case .exercises: 2
      case .appendix: 3
      }
    }

    /// - Parameter folder: The page's folder below `Chapters`; other folders count as the contents'.
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

  /// From the package's root: `Chapters/01-ManualStack/README.md`.
  public let path: String
  public let place: Place
  public let markdown: MarkdownText

  public init(path: String, place: Place, text: String) {
    self.path = path
    self.place = place
    markdown = MarkdownText(text)
  }

  /// `Chapters/01-ManualStack`
  public var folder: String { String(path.dropLast("/README.md".count)) }

  /// The transcript that its blocks mean: a name means one of its own folder, `01-First/run` another folder's.
  public func path(ofTranscript name: String) -> String {
    name.contains("/") ? "Chapters/\(name).transcript" : "\(folder)/\(name).transcript"
  }

  /// The text of the first heading, without its sign.
  public var title: String { markdown.headings.first?.text ?? folder }

  public var blocks: [FencedBlock] { markdown.blocks }

  /// How many words the text has, without its blocks.
  public var wordCount: Int {
    markdown.proseLines.reduce(0) { $0 + $1.text.split(whereSeparator: \.isWhitespace).count }
  }

  func problem(_ line: Int?, _ sentence: String) -> BookProblem { BookProblem(file: path, line: line, sentence) }
}
