import BookText
import Foundation

/// A folder of pages that look like the book's but aren't part of it. They show what was measured on one machine, and
/// so differ on each.
///
/// They have the book's frame, style and search, and in `source/` the files that they quote. Like the book's pages,
/// they open from the disk and need no script.
///
/// One thread at a time may use it.
public final class PageFolder {
  private let book: Book
  private let title: String
  private let colophon: String
  private let styleSheet: String
  private let places: Places
  private var pages: [RenderedPage] = []

  /// - Parameters:
  ///   - book: the checkout, whose code is quoted.
  ///   - title: the title at the head of each page.
  ///   - colophon: HTML for the foot of each page, which says where its figures come from.
  ///   - styleSheet: style rules in addition to the book's.
  public init(book: Book, title: String, colophon: String, styleSheet: String) {
    self.book = book
    self.title = title
    self.colophon = colophon
    self.styleSheet = styleSheet
    places = Places(book: book, sources: Places.Sources())
  }

  /// The heading of a section, which is listed at the side of the page.
  public struct Heading {
    public var id: String
    public var title: String

    public init(id: String, title: String) {
      self.id = id
      self.title = title
    }

    /// The heading as HTML. It links to itself, as all headings of the book do.
    public var html: String {
      "<h2 id=\"\(id.escapedForHTML)\"><a class=\"anchored\" href=\"#\(id.escapedForHTML)\">\(title.escapedForHTML)</a></h2>\n"
    }
  }

  /// Quotes code as the book does. All quotations of a page have to use the same value, because it keeps their ids
  /// unique.
  public struct Snippets {
    private var renderer: BlockRenderer

    init(book: Book, places: Places) {
      let page = Page(path: "Chapters/README.md", place: .contents, text: "")
      renderer = BlockRenderer(book: book, page: page, quoter: Quoter(book: book), places: places)
    }

    /// - Parameters:
    ///   - file: the path from the package's root.
    ///   - attributes: the other words of the opening fence: `region=…` or `symbol=…`.
    /// - Throws: `BookProblem` if there is no such code.
    public mutating func figure(file: String, _ attributes: String) throws -> String {
      let page = Page(path: file, place: .contents, text: "```swift file=\(file) \(attributes)\n```\n")
      do {
        return try page.blocks.map { try renderer.html(of: $0) }.joined()
      } catch let problem as BookProblem {
        throw BookProblem(file: file, problem.sentence)
      }
    }
  }

  public func snippets() -> Snippets {
    Snippets(book: book, places: places)
  }

  /// - Parameters:
  ///   - file: the page's file name; `index.html` for the first page.
  ///   - content: the HTML, including the headings.
  public func add(_ file: String, title: String, content: String, headings: [Heading]) {
    let sections = headings.map {
      RenderedPage.Section(
        heading: RenderedPage.Heading(level: 2, id: $0.id, html: $0.title.escapedForHTML, text: $0.title))
    }
    pages.append(RenderedPage(file: file, title: title, content: content, sections: sections))
  }

  /// Writes beside `folder`, and replaces the pages in it at the end.
  ///
  /// - Throws: `PagesProblem` if `folder` has no pages but something else, or a file that was not written before has a
  ///   page's name; `BookProblem` if a source doesn't exist.
  public func write(into folder: URL) throws {
    let output = try OutputFolder(replacing: folder)
    do {
      let row = pages.map { PageTemplate.Place(file: $0.file, name: $0.title) }
      let template = try PageTemplate(book: title, places: row, tree: BookTree(pages: row), colophon: colophon)
      for page in pages { try output.write(template.html(of: page, neighbours: nil), to: page.file) }
      for path in places.sources.paths {
        var page = SourcePages.source(path, try book.text(path))
        page.file = Places.sourceFile(path)
        try output.write(template.html(of: page, neighbours: nil), to: page.file)
      }
      try output.write(try SearchIndex.script(of: pages, glossary: nil), to: SearchIndex.file)
      for file in Resource.besidePages { try output.write(try Resource.data(file), to: file) }
      try output.write(try Resource.text("book.css") + "\n" + styleSheet, to: "book.css")
      try output.takePlace()
    } catch {
      output.discard()
      throw error
    }
  }
}
