import BookText

/// Finds out which sections of the book show or mention which sources.
struct SourceUses {
  struct Use: Equatable {
    /// The file of the page.
    var page: String
    var pageTitle: String
    /// The section's heading as plain text.
    var section: String
    /// The id that the link leads to: the figure's, or else the heading's.
    var id: String
    /// Whether the section shows the code, and doesn't only mention its name.
    var isShown: Bool
  }

  private var usesByFile: [String: [Use]] = [:]
  private var sourcesByPage: [String: [String]] = [:]

  /// - Parameters:
  ///   - pages: the pages of the book.
  ///   - paths: the paths of the sources.
  init(pages: [RenderedPage], paths: [String] = []) {
    let pathsByFile = Dictionary(paths.map { (Places.sourceFile($0), $0) }) { first, _ in first }
    for page in pages {
      var (section, heading, figure) = (page.title, "", "")
      var level = 0
      let headings = Dictionary(page.headings.map { ($0.id, $0) }) { first, _ in first }
      for case .tag(let tag) in HTMLPiece.pieces(of: page.content) {
        if let id = tag["id"], let found = headings[id], tag.name.first == "h" { (section, heading) = (found.text, id) }
        if tag.name == "figure" {
          level += tag.isEnd ? -1 : 1
          figure = tag.isEnd ? "" : tag["id"] ?? ""
        }
        guard tag.name == "a", let file = tag["href"]?.split(separator: "#").first.map(String.init),
          let path = pathsByFile[file]
        else { continue }
        let use = Use(
          page: page.file, pageTitle: page.title, section: section, id: figure.isEmpty ? heading : figure,
          isShown: level > 0)
        let known = usesByFile[file]?.firstIndex { $0.page == use.page && $0.section == use.section }
        if let known {
          if use.isShown && usesByFile[file]?[known].isShown == false { usesByFile[file]?[known] = use }
        } else {
          usesByFile[file, default: []].append(use)
        }
        if sourcesByPage[page.file]?.contains(path) != true { sourcesByPage[page.file, default: []].append(path) }
      }
    }
    // Sections that show the code come before those that only mention it.
    for (file, uses) in usesByFile { usesByFile[file] = uses.filter(\.isShown) + uses.filter { !$0.isShown } }
  }

  /// - Parameter file: the file of a source's page.
  func uses(of file: String) -> [Use] { usesByFile[file] ?? [] }

  /// The paths of the sources that a page shows or mentions, in order.
  func sources(of page: String) -> [String] { sourcesByPage[page] ?? [] }

  /// The HTML that says on a source's page where the source is shown; empty if no page of the book links to it.
  func html(of file: String) -> String {
    let uses = uses(of: file)
    guard !uses.isEmpty else { return "" }
    let links = uses.prefix(12).map { use in
      let anchor = use.id.isEmpty ? "" : "#\(use.id)"
      let says = use.section == use.pageTitle ? use.pageTitle : "\(use.pageTitle): \(use.section)"
      return "<li><a href=\"../\((use.page + anchor).escapedForHTML)\">\(says.escapedForHTML)</a></li>\n"
    }
    return
      "<div class=\"uses\"><p>\(uses.contains(where: \.isShown) ? "Shown" : "Named") in</p>\n<ul>\n\(links.joined())</ul></div>\n"
  }
}
