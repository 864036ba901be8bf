/// All pages of the book as one: to print, and to look for a word with the browser.
enum WholeBook {
  static let file = "all.html"

  /// - Parameter pages: The book's pages in order.
  static func page(of pages: [RenderedPage]) -> RenderedPage {
    let names = Dictionary(uniqueKeysWithValues: pages.map { ($0.file, name(of: $0)) })
    let articles = pages.map { page in
      let name = name(of: page)
      let content = PaperNotes.added(to: lowered(HTMLIDs.mapped(page.content, link: { link($0, names) }) { "\(name)-\($0)" }))
      return "<article class=\"chapter wide\" id=\"\(name)\">\n\(content)\n</article>"
    }
    let headings = pages.map { page in
      RenderedPage.Section(
        heading: RenderedPage.Heading(level: 2, id: name(of: page), html: page.title.escapedForHTML, text: page.title))
    }
    return RenderedPage(
      file: file, title: "Everything on one page",
      content: "<h1>Everything on one page</h1>\n\(list(of: pages))\n" + articles.joined(separator: "\n"), sections: headings,
      kind: "whole-book")
  }

  /// A list of the chapters for paper, where no tree stands at the side.
  private static func list(of pages: [RenderedPage]) -> String {
    let items = pages.dropFirst().map { page in
      "<li><a href=\"#\(name(of: page))\">\(BookTree.title(page.title))</a></li>\n"
    }
    return "<ol class=\"plain on-paper\">\n\(items.joined())</ol>"
  }

  /// A page has one title: those of the chapters stand a level below it, and their class tells what they were.
  private static func lowered(_ html: String) -> String {
    HTMLPiece.pieces(of: html).map { piece in
      guard case .tag(var tag) = piece, let level = tag.name.wholeMatch(of: #/h([1-5])/#).flatMap({ Int($0.1) }) else {
        return piece.html
      }
      if !tag.isEnd { tag["class"] = tag.name }
      tag.name = "h\(level + 1)"
      return tag.html
    }.joined()
  }

  private static func name(of page: RenderedPage) -> String { String(page.file.dropLast(".html".count)) }

  /// A link to another page leads to its place in this one.
  private static func link(_ target: String, _ names: [String: String]) -> String? {
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let name = names[parts[0]] else { return nil }
    return parts.count == 2 ? "#\(name)-\(parts[1])" : "#\(name)"
  }
}
