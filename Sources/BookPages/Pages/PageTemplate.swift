import Foundation
import Mustache

/// The frame of every page: head, bar, contents, neighbours, foot.
struct PageTemplate {
  /// A page that another one links to.
  struct Place {
    var file: String
    /// The name in links.
    var name: String

    fileprivate func values(current: String) -> [String: Any] {
      ["file": file, "name": name.escapedForHTML, "current": file == current]
    }
  }

  /// The book's title.
  let book: String
  /// The links in the bar of every page.
  let places: [Place]
  /// All pages, for the list at the side.
  let tree: BookTree
  /// HTML for the foot of each page, which says where its content comes from.
  let colophon: String
  private let template: MustacheTemplate

  static let colophonOfBook =
    "Code and output on these pages come from the project’s sources and programs. <code>swift run book check</code> compares them."

  init(book: String, places: [Place], tree: BookTree, colophon: String = PageTemplate.colophonOfBook) throws {
    self.book = book
    self.places = places
    self.tree = tree
    self.colophon = colophon
    template = try MustacheTemplate(string: try Resource.text("page.mustache"))
  }

  /// - Parameters:
  ///   - neighbours: the pages before and after it; nil for a page outside of the sequence.
  func html(of page: RenderedPage, neighbours: (previous: Place?, next: Place?)?) -> String {
    let (opening, content) = Self.parts(of: page.content)
    var values: [String: Any] = [
      "title": page.title == book ? book : "\(page.title) · \(book)",
      "book": book,
      "root": page.file.contains("/") ? "../" : "",
      "places": places.map { $0.values(current: page.file) },
      "tree": tree.html(on: page),
      "kind": page.kind,
      "opening": opening,
      "uses": tree.uses.html(of: page.file),
      "content": page.kind == "" ? PaperNotes.added(to: content) : content,
      "figures": page.kind == FigurePart.kind,
      "steps": StepFigure.isShown(in: page.content),
      "colophon": colophon,
      "turns": neighbours?.previous != nil || neighbours?.next != nil,
    ]
    values["previous"] = neighbours?.previous?.values(current: page.file)
    values["next"] = neighbours?.next?.values(current: page.file)
    return template.render(values)
  }

  /// Splits the content into the title and the rest. On narrow screens the tree is between them. A source's path
  /// belongs to its title.
  private static func parts(of content: String) -> (opening: String, content: String) {
    guard let end = content.prefixMatch(of: #/(?s)<h1.*?<\/h1>(\s*<p class="path">.*?<\/p>)?/#)?.range.upperBound else {
      return ("", content)
    }
    return (String(content[..<end]), String(content[end...]))
  }
}

/// The resource files of this module.
enum Resource {
  /// The files that pages need beside them: styles, optional scripts, and two typefaces.
  static let besidePages =
    ["book.css", "page.js", "ranking.js", "search.js", StepFigure.style, StepFigure.script]
    + ["LICENSE.txt", "README.txt"].map { "fonts/\($0)" }
    + ["serif-regular", "serif-italic", "serif-semibold", "mono-regular", "mono-italic", "mono-bold"].map {
      "fonts/strata-\($0).woff2"
    }

  static func text(_ name: String) throws -> String { String(decoding: try data(name), as: UTF8.self) }

  static func data(_ name: String) throws -> Data {
    try Data(contentsOf: Bundle.module.bundleURL.appendingPathComponent("Resources/\(name)"))
  }
}
