import Foundation

/// The data that the pages' search looks through: the texts of sections, as a script that sets a variable.
enum SearchIndex {
  static let file = "search-index.js"

  private struct Section: Encodable {
    /// `term` for a term of the glossary, `end` for a section that only repeats its chapter; otherwise nil.
    var kind: String?
    var page: String
    var heading: String
    var place: String
    var text: String
    var code: String
  }

  /// The sections at the end of chapters. A search shows them after the sections that they refer to.
  private static let ends: Set = ["Takeaways", "Five questions", "Exercises"]

  /// - Parameter glossary: the file of the page whose third-level headings are terms.
  static func script(of pages: [RenderedPage], glossary: String?) throws -> String {
    let sections = pages.flatMap { page in
      page.sections.compactMap { section -> Section? in
        let text = words(section.text)
        guard section.heading != nil || !text.isEmpty else { return nil }
        let isTerm = page.file == glossary && section.heading?.level == 3
        let isEnd = section.isRepeated || section.heading?.level == 2 && ends.contains(section.heading?.text ?? "")
        return Section(
          kind: isTerm ? "term" : isEnd ? "end" : nil, page: words(page.title),
          heading: words(section.heading?.text ?? page.title),
          place: page.file + (section.heading.map { "#\($0.id)" } ?? ""), text: text, code: words(section.blocks))
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = String(decoding: try encoder.encode(sections), as: UTF8.self)
    return "const bookIndex = \(json);\n"
  }

  /// The text with single blanks, and with quotation marks as they are typed.
  private static func words(_ text: String) -> String {
    text.replacing(#/[‘’]/#, with: "'").replacing(#/[“”]/#, with: "\"").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }
}
