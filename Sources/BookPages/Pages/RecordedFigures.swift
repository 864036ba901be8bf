import BookText
import Foundation

/// Makes the tables and drawings of a recorded run, which a text requests with `<!-- figures FILE -->`.
///
/// This module doesn't know what is recorded. The program that builds the pages provides it.
public protocol RecordedFigures {
  /// The style rules that these figures need in addition to the book's.
  var styleSheet: String { get throws }

  /// - Parameters:
  ///   - record: the content of the file.
  ///   - snippets: quotes code as the rest of the page does.
  /// - Returns: HTML whose second-level and third-level headings have ids; nil if the record is of an unknown kind.
  func html(of record: Data, snippets: PageFolder.Snippets) throws -> String?
}

/// The part of a page that consists of such figures.
enum FigurePart {
  static let style = "figures.css"
  static let kind = "figures"

  /// The sections in the HTML. Quoted and drawn parts are left out, because a search should find the place that
  /// explains them.
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
