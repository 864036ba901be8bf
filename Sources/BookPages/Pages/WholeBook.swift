/// All pages of the book as one: to print, and to look for a word with the browser.
enum WholeBook {
  static let file = "all.html"

  /// - Parameter pages: The book's pages in order.
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

  /// What stands at a chapter's end in each of them says nothing in a list.
  private static let ends: Set = ["Takeaways", "Five questions", "Exercises"]

  /// The chapters and their sections for paper, where no tree stands at the side; `numbered` puts the pages' numbers
  /// in.
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

  /// The whole book's HTML with the numbers of pages in its list of contents.
  ///
  /// - Parameter numbers: By the ids of headings.
  static func numbered(_ html: String, by numbers: [String: Int]) -> String {
    html.replacing(#/(<span class="page-number" data-of="([^"]*)">)<\/span>/#) { match in
      let number = numbers[String(match.2).unescapedFromHTML].map(String.init) ?? ""
      return match.1 + number + "</span>"
    }
  }

  /// A page has one title: those of the chapters stand a level below it, and their class tells what they were.
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

  /// A link to another page leads to its place in this one.
  private static func link(_ target: String, _ names: [String: String]) -> String? {
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let name = names[parts[0]] else { return nil }
    return parts.count == 2 ? "#\(name)-\(parts[1])" : "#\(name)"
  }
}
