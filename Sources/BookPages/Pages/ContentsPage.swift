import BookText

/// The first page: the shapes and colours that the book uses, the page's text, and then all pages with their sections.
enum ContentsPage {
  /// - Parameters:
  ///   - page: the rendered text.
  ///   - others: the book's other pages with their positions.
  static func page(_ page: RenderedPage, others: [(place: Page.Place, page: RenderedPage)]) -> RenderedPage {
    let heading = RenderedPage.Heading(level: 2, id: "all-pages", html: "All pages", text: "All pages")
    var page = page
    if let title = page.content.firstRange(of: "</h1>") {
      page.content.insert(
        contentsOf: "\n" + PartMarks.html([.objects, .context, .coordinator, .store, .sql], isCover: true),
        at: title.upperBound)
    }
    page.content += "<h2 id=\"all-pages\"><a class=\"anchored\" href=\"#all-pages\">All pages</a></h2>\n"
    page.content += "<ol class=\"plain\">\n" + others.map { item($0.page) }.joined()
    for (file, name) in [(APIIndex.file, "Index of APIs"), (WholeBook.file, "Everything on one page")] {
      page.content += "<li><a href=\"\(file)\">\(name)</a></li>\n"
    }
    page.content += "</ol>\n"
    page.sections.append(RenderedPage.Section(heading: heading))
    return page
  }

  private static func item(_ page: RenderedPage) -> String {
    // The letters of a glossary say nothing here.
    let sections = page.headings.filter { $0.level == 2 && $0.text.count > 1 }.map {
      "<li><a href=\"\(page.file)#\($0.id.escapedForHTML)\">\($0.html)</a></li>"
    }
    let list = sections.isEmpty ? "" : "\n<ul>\(sections.joined(separator: "\n"))</ul>"
    return "<li><a href=\"\(page.file)\"><b>\(page.title.escapedForHTML)</b></a>\(list)</li>\n"
  }
}
