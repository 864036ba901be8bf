/// The whole book as one page, for printing and for the browser's search.
enum WholeBook {
  static let file = "all.html"

  /// - Parameter pages: the pages of the book, in order.
  static func page(of pages: [RenderedPage]) -> RenderedPage {
    let names = Dictionary(uniqueKeysWithValues: pages.map { ($0.file, name(of: $0)) })
    let articles = pages.map { page in
      let name = name(of: page)
      let content = PaperNotes.added(
        to: lowered(HTMLIDs.mapped(page.content, link: { link($0, names) }) { "\(name)-\($0)" }))
      return "<article class=\"chapter wide\" id=\"\(name)\">\n\(content)\n</article>"
    }
    let headings = pages.map { page in
      RenderedPage.Section(
        heading: RenderedPage.Heading(level: 2, id: name(of: page), html: page.title.escapedForHTML, text: page.title))
    }
    return RenderedPage(
      file: file, title: "Everything on one page",
      content:
        "<h1><span class=\"on-screen\">Everything on one page</span><span class=\"on-paper\">Contents</span></h1>\n\(list(of: pages))\n"
        + articles.joined(separator: "\n"), sections: headings,
      kind: "whole-book")
  }

  /// The sections at the end of every chapter, which say nothing in a list.
  private static let ends: Set = ["Takeaways", "Five questions", "Exercises"]

  /// The list of chapters and sections for paper, where there is no tree at the side. `numbered` adds the page numbers.
  private static func list(of pages: [RenderedPage]) -> String {
    func entry(_ id: String, _ html: String) -> String {
      "<a href=\"#\(id.escapedForHTML)\"><span><span>\(html)</span></span><span class=\"page-number\" data-of=\"\(id.escapedForHTML)\"></span></a>"
    }
    let items = pages.dropFirst().map { page in
      let sections = page.headings.filter { $0.level == 2 && $0.text.count > 1 && !ends.contains($0.text) }.map {
        "<li>\(entry("\(name(of: page))-\($0.id)", $0.html))</li>\n"
      }
      return
        "<li>\(entry(name(of: page), BookTree.title(page.title)))\(sections.isEmpty ? "" : "\n<ol>\n\(sections.joined())</ol>\n")</li>\n"
    }
    return "<ol class=\"on-paper contents\">\n\(items.joined())</ol>"
  }

  /// The HTML of the whole book with page numbers in its list of contents.
  ///
  /// - Parameter numbers: the page numbers by the ids of headings.
  static func numbered(_ html: String, by numbers: [String: Int]) -> String {
    html.replacing(#/(<span class="page-number" data-of="([^"]*)">)<\/span>/#) { match in
      let number = numbers[String(match.2).unescapedFromHTML].map(String.init) ?? ""
      return match.1 + number + "</span>"
    }
  }

  /// A page has one title, so those of chapters become second-level headings. Their class says what they were.
  private static func lowered(_ html: String) -> String {
    HTMLPiece.pieces(of: html).map { piece in
      guard case .tag(var tag) = piece, let level = (1...5).first(where: { tag.name == "h\($0)" }) else {
        return piece.html
      }
      if !tag.isEnd { tag["class"] = tag.name }
      tag.name = "h\(level + 1)"
      return tag.html
    }.joined()
  }

  private static func name(of page: RenderedPage) -> String { String(page.file.dropLast(".html".count)) }

  /// The target of a link to another page, changed to that page's place in this one.
  private static func link(_ target: String, _ names: [String: String]) -> String? {
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let name = names[parts[0]] else { return nil }
    return parts.count == 2 ? "#\(name)-\(parts[1])" : "#\(name)"
  }
}
