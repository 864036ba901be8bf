import Foundation
import OutputFiles

/// Writes generated parts into the texts: the code that blocks quote, recordings as plain text, and the cards of
/// exercises.
public struct Weaver {
  public let book: Book
  private let shelf: ExerciseShelf

  public init(book: Book) {
    self.book = book
    shelf = ExerciseShelf(book: book)
  }

  /// The page's text with its quoting blocks and cards written again. Blocks of output and SQL are written by the
  /// author, and stay.
  ///
  /// - Returns: the text, and the problems of blocks that couldn't be written, which stay as they are.
  public func woven(_ page: Page) -> (text: String, problems: [BookProblem]) {
    let quoter = Quoter(book: book)
    var lines = page.markdown.lines
    var problems: [BookProblem] = []
    // Begins at the end, so that a replacement doesn't move the parts that are still to be replaced.
    let cards = page.markdown.cards.map { (line: $0.lines.lowerBound, block: FencedBlock?.none, card: Optional($0)) }
    let parts =
      page.blocks.map { (line: $0.lines.lowerBound, block: Optional($0), card: TeachingBlock.Card?.none) } + cards
    for part in parts.sorted(by: { $0.line > $1.line }) {
      if let card = part.card, let line = shelf.woven(card) {
        lines.replaceSubrange((card.lines.lowerBound - 1)..<card.lines.upperBound, with: [line])
      }
      guard let block = part.block else { continue }
      do {
        guard let body = try Self.body(of: block, on: page, quoter) else { continue }
        lines.replaceSubrange(block.lines.lowerBound..<(block.lines.upperBound - 1), with: body)
      } catch let problem as BookProblem {
        problems.insert(problem, at: 0)
      } catch {
        problems.insert(page.problem(block.lines.lowerBound, "\(error)"), at: 0)
      }
    }
    return (lines.joined(separator: "\n"), problems)
  }

  /// The lines that belong between the fences of a block that quotes a source or shows a recording; nil for other
  /// blocks.
  static func body(of block: FencedBlock, on page: Page, _ quoter: Quoter) throws -> [String]? {
    if let recording = try quoter.book.recording(of: block, on: page) { return recording.text }
    if let difference = try quoter.difference(of: block, on: page) { return difference.body }
    return try quoter.quotation(of: block, on: page)?.body(language: block.language)
  }

  /// Weaves all pages, and writes those that change.
  ///
  /// - Returns: the paths of the changed pages, and the problems.
  public func weave() throws -> (changed: [String], problems: [BookProblem]) {
    var changed: [String] = []
    var problems: [BookProblem] = []
    for page in book.pages {
      let (text, failures) = woven(page)
      problems += failures
      guard text != page.markdown.lines.joined(separator: "\n") else { continue }
      try OutputFile.write(Data(text.utf8), to: book.root.appendingPathComponent(page.path).path)
      changed.append(page.path)
    }
    return (changed, problems)
  }
}
