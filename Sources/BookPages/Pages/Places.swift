import BookText
import Foundation

/// The paths in the built book: those of pages, and those of the sources that they link to.
struct Places {
  /// The sources that need a page because something links to them, in the order in which they were requested.
  final class Sources {
    private(set) var paths: [String] = []
    private var known: Set<String> = []

    func add(_ path: String) {
      if known.insert(path).inserted { paths.append(path) }
    }
  }

  /// The pages' files by the paths of their texts.
  let pages: [String: String]
  let sources: Sources
  private let root: URL
  /// The path from the linking page to the book's folder: empty, or `../`.
  let prefix: String

  init(book: Book, sources: Sources) {
    pages = Dictionary(uniqueKeysWithValues: book.pages.map { ($0.path, Self.file(of: $0)) })
    self.sources = sources
    root = book.root
    prefix = ""
  }

  private init(_ other: Places, prefix: String) {
    (pages, sources, root) = (other.pages, other.sources, other.root)
    self.prefix = prefix
  }

  /// The same paths, seen from a page in the folder of sources.
  var fromSources: Places { Places(self, prefix: "../") }

  /// `index.html` for the contents page, `01-manual-stack.html` for `Chapters/01-ManualStack`.
  static func file(of page: Page) -> String {
    guard page.place != .contents, let folder = page.folder.split(separator: "/").last else { return "index.html" }
    return slug(String(folder)) + ".html"
  }

  /// `01-manual-stack` for `01-ManualStack`.
  static func slug(_ name: String) -> String {
    var slug = ""
    var previous: Character = "-"
    for character in name {
      if character.isUppercase, previous.isLowercase { slug.append("-") }
      slug += character.lowercased()
      previous = character
    }
    return slug
  }

  /// The path of a source's page. Asking for it makes sure that the page is written.
  ///
  /// - Parameter path: the path from the package's root.
  func source(_ path: String) -> String {
    sources.add(path)
    return prefix + Self.sourceFile(path)
  }

  static func sourceFile(_ path: String) -> String { "source/\(path.replacing("/", with: "-")).html" }

  /// The target of a text's link in the built book; nil if there is no page for it.
  ///
  /// - Parameters:
  ///   - target: the target in the text, relative to the text's folder.
  ///   - folder: the text's folder, as a path from the package's root.
  func link(_ target: String, from folder: String) -> String? {
    if target.hasPrefix("#") || target.prefixMatch(of: #/[a-z]+:/#) != nil { return target }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let path = BookCheck.path(parts[0], from: folder)
    let anchor = parts.count == 2 ? "#\(parts[1])" : ""
    if let page = pages[path] ?? pages[path + "/README.md"] { return prefix + page + anchor }
    return isText(path) ? source(path) + anchor : nil
  }

  private func isText(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let url = root.appendingPathComponent(path)
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue,
      let data = try? Data(contentsOf: url)
    else { return false }
    return String(data: data, encoding: .utf8) != nil
  }
}
