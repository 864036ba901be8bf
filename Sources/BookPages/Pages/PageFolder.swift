import BookText
import Foundation

/// A folder of pages that are no pages of the book but look like them: what is measured on a machine, and so is another
/// thing on each.
///
/// They have the book's frame, style and search, and under `source/` the files that they quote. Like the book's, they
/// open from the disk, and nothing in them needs a script.
///
/// Not for several threads at once.
public final class PageFolder {
  private let book: Book
  private let title: String
  private let colophon: String
  private let styleSheet: String
  private let places: Places
  private var pages: [RenderedPage] = []

  /// - Parameters:
  ///   - book: The checkout, from which code is quoted.
  ///   - title: Stands at the head of each page.
  ///   - colophon: HTML that stands at the foot of each page: where its figures come from.
  ///   - styleSheet: Rules beside those of the book.
  public init(book: Book, title: String, colophon: String, styleSheet: String) {
    self.book = book
    self.title = title
    self.colophon = colophon
    self.styleSheet = styleSheet
    places = Places(book: book, sources: Places.Sources())
  }

  /// A section's heading, which the page lists at its side.
  public struct Heading {
    public var id: String
    public var title: String

    public init(id: String, title: String) {
      self.id = id
      self.title = title
    }

    /// The heading itself, a link to itself as all of the book's are.
    public var html: String {
      "<h2 id=\"\(id.escapedForHTML)\"><a class=\"anchored\" href=\"#\(id.escapedForHTML)\">\(title.escapedForHTML)</a></h2>\n"
    }
  }

  /// Quotes code as the book does; the quotations of one page share what gives them their names for links.
  public struct Snippets {
    private var renderer: BlockRenderer

    init(book: Book, places: Places) {
      let page = Page(path: "Chapters/README.md", place: .contents, text: "")
      renderer = BlockRenderer(book: book, page: page, quoter: Quoter(book: book), places: places)
    }

    /// - Parameters:
    ///   - file: From the package's root.
    ///   - attributes: What else stands behind the fence of a block: `region=…` or `symbol=…`.
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
  ///   - file: Its name; the first page is `index.html`.
  ///   - content: HTML, with the headings in it.
  public func add(_ file: String, title: String, content: String, headings: [Heading]) {
    let sections = headings.map {
      RenderedPage.Section(
        heading: RenderedPage.Heading(level: 2, id: $0.id, html: $0.title.escapedForHTML, text: $0.title))
    }
    pages.append(RenderedPage(file: file, title: title, content: content, sections: sections))
  }

  /// Writes into a fresh folder, which takes the place of `folder` at the end.
  ///
  /// - Throws: `PagesProblem` if `folder` holds something else than pages; `BookProblem` if a source isn't there.
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
