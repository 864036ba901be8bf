import BookText
import Foundation

/// The pages of sources that the book links to: whole files with line numbers, and documents.
struct SourcePages {
  let renderer: PageRenderer

  /// Renders each source, including those that other sources link to.
  func renderAll(_ use: (RenderedPage) throws -> Void) throws {
    let sources = renderer.places.sources
    var index = 0
    while index < sources.paths.count {
      try use(try render(sources.paths[index]))
      index += 1
    }
  }

  private func render(_ path: String) throws -> RenderedPage {
    let text = try renderer.book.text(path)
    var page = path.hasSuffix(".md") ? try document(path, text) : Self.source(path, text)
    page.file = Places.sourceFile(path)
    return page
  }

  private func document(_ path: String, _ text: String) throws -> RenderedPage {
    var inside = renderer
    inside.places = renderer.places.fromSources
    return try inside.render(Page(path: path, place: .contents, text: text), inFolder: path.folderOfFile)
  }

  static func source(_ path: String, _ text: String) -> RenderedPage {
    var lines = text.components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    let numbered = lines.enumerated().map { CodeFigure.Line(number: $0.offset + 1, text: $0.element) }
    let figure = CodeFigure(
      classes: ["whole"], language: BlockRenderer.language(ofFile: path), lines: numbered,
      isWrapped: path.hasSuffix(".transcript"), namesLines: true)
    let title = path.split(separator: "/").last.map(String.init) ?? path
    let heading = "<h1>\(title.escapedForHTML)</h1>\n<p class=\"path\"><code>\(path.escapedForHTML)</code></p>\n"
    return RenderedPage(file: "", title: title, content: heading + figure.html, sections: [], kind: "source")
  }
}

extension String {
  /// The path without the file's name: `Chapters/01-ManualStack` for `Chapters/01-ManualStack/README.md`.
  var folderOfFile: String { split(separator: "/").dropLast().joined(separator: "/") }
}
