import Foundation
import OutputFiles

/// Writes into the texts what their blocks quote from sources, the recordings as plain text, and what the exercises'
/// guides say of the cards.
public struct Weaver {
  public let book: Book
  private let shelf: ExerciseShelf

  public init(book: Book) {
    self.book = book
    shelf = ExerciseShelf(book: book)
  }

  /// The page's text with the bodies of its quoting blocks and its cards written again; blocks of output and SQL are
  /// their author's and stay.
  ///
  /// - Returns: The text, and the problems of the blocks that could not be written, which are left as they are.
  public func woven(_ page: Page) -> (text: String, problems: [BookProblem]) {
    let quoter = Quoter(book: book)
    var lines = page.markdown.lines
    var problems: [BookProblem] = []
    // From the end, so that what is replaced moves nothing that is still to be.
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

  /// What a block that quotes a source or shows a recording has to have between its fences; nil for other blocks.
  static func body(of block: FencedBlock, on page: Page, _ quoter: Quoter) throws -> [String]? {
    if let recording = try quoter.book.recording(of: block, on: page) { return recording.text }
    if let difference = try quoter.difference(of: block, on: page) { return difference.body }
    return try quoter.quotation(of: block, on: page)?.body(language: block.language)
  }

  /// Weaves all pages and writes those that changed.
  ///
  /// - Returns: The paths of the changed pages, and the problems.
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
