import BookText
import Foundation

/// Builds the book's pages: a folder of plain HTML that opens from the disk, without a server and without scripts.
///
///     try BookBuilder(book: book).build(into: URL(fileURLWithPath: ".build/book"))
///
/// The folder contains `index.html`, a page for each chapter and appendix (`01-manual-stack.html`), `all.html` with
/// everything, `apis.html`, and in `source/` the files that pages quote or link to.
public struct BookBuilder {
  public let book: Book
  private let figures: (any RecordedFigures)?

  /// - Parameter figures: makes the figures of recorded runs; nil if no page has any.
  public init(book: Book, figures: (any RecordedFigures)? = nil) {
    self.book = book
    self.figures = figures
  }

  /// Counts of what was built.
  public struct Result: Sendable {
    /// The number of the book's pages, including the index and the page with everything.
    public var pageCount: Int
    public var sourceCount: Int
    /// The number of names in the index of APIs.
    public var nameCount: Int
  }

  /// Builds beside `folder`, and replaces the pages in it at the end. If something fails, they stay as they were, and
  /// other files in `folder` always do.
  ///
  /// - Throws: `PagesProblem` if `cmark-gfm` is missing, `folder` has no pages but something else, or a file that was
  ///   not written before has a page's name; `BookProblem` if a page quotes something that doesn't exist.
  @discardableResult
  public func build(into folder: URL) throws -> Result {
    let output = try OutputFolder(replacing: folder, later: [PaperProgram.file, PaperProgram.numberedFile])
    do {
      let result = try write(to: output)
      try output.takePlace()
      return result
    } catch {
      output.discard()
      throw error
    }
  }

  private func write(to output: OutputFolder) throws -> Result {
    let places = Places(book: book, sources: Places.Sources())
    let renderer = PageRenderer(
      book: book, quoter: Quoter(book: book), markdown: try MarkdownProgram(), places: places, figures: figures)
    var pages = try book.pages.map { try renderer.render($0) }
    let others = zip(book.pages, pages).dropFirst().map { (place: $0.0.place, page: $0.1) }
    pages[0] = ContentsPage.page(pages[0], others: others)
    let index = APIIndex(
      pages: pages, names: PublicNames(sources: book.root.appendingPathComponent("Sources/CoreData")))

    let tree = BookTree(
      places: book.pages.map(\.place), pages: pages, uses: SourceUses(pages: pages, paths: places.sources.paths))
    let template = try PageTemplate(book: pages[0].title, places: barPlaces(pages), tree: tree)
    let row = pages.map { PageTemplate.Place(file: $0.file, name: $0.title) }
    for (number, page) in pages.enumerated() {
      let previous = number > 0 ? row[number - 1] : nil
      let next = number + 1 < row.count ? row[number + 1] : nil
      try output.write(template.html(of: page, neighbours: (previous, next)), to: page.file)
    }
    // The one page leaves out columns of code and timelines, which need a screen. The chapters have what matters of
    // them.
    let texts = pages.filter { $0.kind != FigurePart.kind }
    for page in [index.page(), WholeBook.page(of: texts)] {
      try output.write(template.html(of: page, neighbours: nil), to: page.file)
    }
    try SourcePages(renderer: renderer).renderAll {
      try output.write(template.html(of: $0, neighbours: nil), to: $0.file)
    }
    let glossary = zip(book.pages, pages).first { $0.0.isGlossary }?.1.file
    try output.write(try SearchIndex.script(of: pages, glossary: glossary), to: SearchIndex.file)
    if let figures { try output.write(try figures.styleSheet, to: FigurePart.style) }
    for file in Resource.besidePages { try output.write(try Resource.data(file), to: file) }
    return Result(
      pageCount: pages.count + 2, sourceCount: places.sources.paths.count, nameCount: index.entries.count)
  }

  /// The links in the bar of every page.
  private func barPlaces(_ pages: [RenderedPage]) -> [PageTemplate.Place] {
    let exercises = zip(book.pages, pages).first { $0.0.place == .exercises }?.1
    let glossary = zip(book.pages, pages).first { $0.0.isGlossary }?.1
    return [PageTemplate.Place(file: pages[0].file, name: "Contents")]
      + (exercises.map { [PageTemplate.Place(file: $0.file, name: "Exercises")] } ?? [])
      + (glossary.map { [PageTemplate.Place(file: $0.file, name: "Glossary")] } ?? [])
      + [
        PageTemplate.Place(file: APIIndex.file, name: "APIs"),
        PageTemplate.Place(file: WholeBook.file, name: "One page"),
      ]
  }
}
