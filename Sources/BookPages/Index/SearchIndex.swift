import Foundation

/// What the pages' search looks in: the sections' texts, as a script that sets a variable.
enum SearchIndex {
  static let file = "search-index.js"

  private struct Section: Encodable {
    /// `term` for what the glossary explains, `end` for what only repeats a chapter; else nothing.
    var kind: String?
    var page: String
    var heading: String
    var place: String
    var text: String
    var code: String
  }

  /// What stands at a chapter's end; a search shows it behind what it refers to.
  private static let ends: Set = ["Takeaways", "Five questions", "Exercises"]

  /// - Parameter glossary: The file of the page whose headings of the third level are terms.
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

  /// With single blanks, and with the quotation marks that one can type.
  private static func words(_ text: String) -> String {
    text.replacing(#/[‘’]/#, with: "'").replacing(#/[“”]/#, with: "\"").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }
}
