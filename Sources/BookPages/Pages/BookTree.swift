import BookText

/// The list of all pages at the side of each page, with the sections of the open page.
///
/// It consists of links inside `<details>`, so it folds without a script.
struct BookTree {
  struct Leaf {
    var file: String
    var title: String
  }

  struct Group {
    var name: String
    var leaves: [Leaf]
  }

  let groups: [Group]
  let uses: SourceUses

  /// - Parameters:
  ///   - places: the positions of the pages in the book.
  ///   - pages: the rendered pages, in the same order.
  init(places: [Page.Place], pages: [RenderedPage], uses: SourceUses) {
    var (chapters, others): ([Leaf], [Leaf]) = ([], [])
    for (place, page) in zip(places, pages) {
      let leaf = Leaf(file: page.file, title: place == .contents ? "Contents" : page.title)
      if case .appendix = place { others.append(leaf) } else { chapters.append(leaf) }
    }
    others += [
      Leaf(file: APIIndex.file, title: "Index of APIs"), Leaf(file: WholeBook.file, title: "Everything on one page"),
    ]
    groups = [Group(name: "Chapters", leaves: chapters), Group(name: "Side pages", leaves: others)]
    self.uses = uses
  }

  /// Makes the tree of pages without groups.
  init(pages: [PageTemplate.Place]) {
    groups = [Group(name: "Pages", leaves: pages.map { Leaf(file: $0.file, title: $0.name) })]
    uses = SourceUses(pages: [])
  }

  /// - Parameter page: the page that is open.
  func html(on page: RenderedPage) -> String {
    let root = page.file.contains("/") ? "../" : ""
    // A source is listed below the first page that shows it.
    let home = uses.uses(of: page.file).first?.page ?? page.file
    return groups.map { group in
      let items = group.leaves.map { item($0, on: page, home: home, root: root) }.joined()
      return "<details class=\"group\" open><summary>\(group.name)</summary>\n<ol>\n\(items)</ol>\n</details>\n"
    }.joined()
  }

  private func item(_ leaf: Leaf, on page: RenderedPage, home: String, root: String) -> String {
    let isCurrent = leaf.file == page.file
    let mark = isCurrent ? " aria-current=\"page\"" : ""
    let inside = leaf.file == home ? sections(of: isCurrent ? page : nil) + sources(of: leaf, on: page, root: root) : ""
    return "<li><a href=\"\(root)\(leaf.file)\"\(mark)>\(Self.title(leaf.title))</a>\(inside)</li>\n"
  }

  /// The title of a page. The number of a chapter is in a column of its own.
  static func title(_ title: String) -> String {
    guard let match = title.prefixMatch(of: #/(\d+)\. /#) else { return title.escapedForHTML }
    return
      "<span class=\"number\">\(match.1)</span><span class=\"unseen\">. </span>\(String(title.dropFirst(match.0.count)).escapedForHTML)"
  }

  private func sections(of page: RenderedPage?) -> String {
    guard let page else { return "" }
    let headings = page.headings.filter { $0.level == 2 }
    guard !headings.isEmpty else { return "" }
    let areLetters = headings.count { $0.text.count == 1 } > headings.count / 2
    let items = headings.map { "<li><a href=\"#\($0.id.escapedForHTML)\">\($0.html)</a></li>\n" }.joined()
    return
      "\n<details class=\"sections\(areLetters ? " letters" : "")\" open><summary>On this page</summary>\n<ol>\n\(items)</ol>\n</details>\n"
  }

  private func sources(of leaf: Leaf, on page: RenderedPage, root: String) -> String {
    let files = uses.sources(of: leaf.file)
    guard !files.isEmpty else { return "" }
    let items = files.map { path in
      let file = Places.sourceFile(path)
      let mark = file == page.file ? " aria-current=\"page\"" : ""
      return
        "<li><a href=\"\(root)\(file.escapedForHTML)\"\(mark)>\(Self.name(ofSource: path).escapedForHTML.replacing("+", with: "<wbr>+").replacing("/", with: "/<wbr>"))</a></li>\n"
    }.joined()
    let open = page.file == leaf.file ? "" : " open"
    return "\n<details class=\"sources\"\(open)><summary>Its sources</summary>\n<ol>\n\(items)</ol>\n</details>\n"
  }

  /// The name of a file, or its folder's name for files that are all named alike.
  private static func name(ofSource path: String) -> String {
    let parts = path.split(separator: "/").map(String.init)
    guard let last = parts.last else { return path }
    return ["contents", "README.md", "Guide.md"].contains(last) ? parts.suffix(2).joined(separator: "/") : last
  }
}
