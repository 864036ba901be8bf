import BookText
import Foundation

/// The names that a reader has met up to a place in the book, in text and in code.
package struct ChapterTexts {
  private let pages: [(folder: String, text: MarkdownText)]

  package init(course: Course) {
    // Numbers sort before letters, as chapters come before the pages beside them.
    pages = course.chapterFolders.compactMap { folder in course.text(of: folder).map { (folder, $0) } }
  }

  /// Returns the words of all pages before a section's page, and of that page up to the section's end; nil if there is
  /// no such section.
  package func names(upTo link: Guide.ChapterLink) -> Set<String>? {
    guard let page = pages.firstIndex(where: { $0.folder == link.folder }) else { return nil }
    let text = pages[page].text
    guard let index = text.headings.firstIndex(where: { $0.anchor == link.anchor }) else { return nil }
    let level = text.headings[index].level
    let next = text.headings[(index + 1)...].first { $0.level <= level }
    var names = Set<String>()
    for page in pages[..<page] { Self.insert(page.text.lines[...], into: &names) }
    Self.insert(text.lines[..<(next.map { $0.line - 1 } ?? text.lines.count)], into: &names)
    return names
  }

  private static func insert(_ lines: ArraySlice<String>, into names: inout Set<String>) {
    for line in lines {
      for word in line.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") }) {
        names.insert(String(word))
      }
    }
  }
}
