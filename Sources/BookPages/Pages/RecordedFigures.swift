import BookText
import Foundation

/// Makes the tables and drawings of a recorded run, which a text asks for with `<!-- figures FILE -->`.
///
/// The book's pages don't know what is recorded; who builds them brings this along.
public protocol RecordedFigures {
  /// What the style sheet of pages with such figures has beside the book's.
  var styleSheet: String { get throws }

  /// - Parameters:
  ///   - record: What the file holds.
  ///   - snippets: Quotes code as the rest of the page does.
  /// - Returns: HTML whose headings, of the second and third level, have ids; nil if it is no record of a known kind.
  func html(of record: Data, snippets: PageFolder.Snippets) throws -> String?
}

/// What such figures look like in a page.
enum FigurePart {
  static let style = "figures.css"
  static let kind = "figures"

  /// The headings in the HTML, with the texts behind them. What is quoted or drawn stays out: it is found where it is
  /// explained.
  static func sections(of html: String) -> [RenderedPage.Section] {
    var sections: [RenderedPage.Section] = []
    var heading: (level: Int, id: String, inside: [HTMLPiece])?
    var hidden: [String] = []
    for piece in HTMLPiece.pieces(of: html) {
      if case .tag(let tag) = piece, ["figure", "fieldset", "style", "svg"].contains(tag.name) {
        if tag.isEnd { _ = hidden.popLast() } else { hidden.append(tag.name) }
      }
      guard hidden.isEmpty else { continue }
      switch piece {
      case .tag(let tag) where (tag.name == "h2" || tag.name == "h3") && !tag.isEnd:
        heading = tag["id"].map { (tag.name == "h2" ? 2 : 3, $0, []) }
      case .tag(let tag) where tag.name == "h2" || tag.name == "h3":
        guard let (level, id, inside) = heading else { continue }
        let text = inside.plainText
        sections.append(
          RenderedPage.Section(
            heading: RenderedPage.Heading(level: level, id: id, html: text.escapedForHTML, text: text), isRepeated: true
          ))
        heading = nil
      case .text(let text) where heading == nil:
        if !sections.isEmpty { sections[sections.count - 1].text += text.unescapedFromHTML + " " }
      default: heading?.inside.append(piece)
      }
    }
    return sections
  }
}
