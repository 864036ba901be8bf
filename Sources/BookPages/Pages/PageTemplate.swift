import Foundation
import Mustache

/// The frame that all pages have: head, bar, contents, neighbours, foot.
struct PageTemplate {
  /// A page that another leads to.
  struct Place {
    var file: String
    /// As it stands in links.
    var name: String

    fileprivate func values(current: String) -> [String: Any] {
      ["file": file, "name": name.escapedForHTML, "current": file == current]
    }
  }

  /// The book's title.
  let book: String
  /// The places that every page leads to.
  let places: [Place]
  /// HTML at the foot of each page: where what it shows comes from.
  let colophon: String
  private let template: MustacheTemplate

  static let colophonOfBook =
    "Code and output on these pages come from the project’s sources and programs. <code>swift run book check</code> compares them."

  init(book: String, places: [Place], colophon: String = PageTemplate.colophonOfBook) throws {
    self.book = book
    self.places = places
    self.colophon = colophon
    template = try MustacheTemplate(string: try Resource.text("page.mustache"))
  }

  /// - Parameters:
  ///   - neighbours: The pages before and behind it; nil for a page that is not in the row.
  func html(of page: RenderedPage, neighbours: (previous: Place?, next: Place?)?) -> String {
    let headings = page.headings.filter { $0.level == 2 }
    var values: [String: Any] = [
      "title": page.title == book ? book : "\(page.title) · \(book)",
      "book": book,
      "root": page.file.contains("/") ? "../" : "",
      "places": places.map { $0.values(current: page.file) },
      "headings": headings.map { ["id": $0.id.escapedForHTML, "html": $0.html] },
      "hasHeadings": !headings.isEmpty,
      "alone": headings.isEmpty,
      "letters": headings.count { $0.text.count == 1 } > headings.count / 2,
      "content": page.content,
      "steps": StepFigure.isShown(in: page.content),
      "colophon": colophon,
      "turns": neighbours != nil,
    ]
    values["previous"] = neighbours?.previous?.values(current: page.file)
    values["next"] = neighbours?.next?.values(current: page.file)
    return template.render(values)
  }
}

/// The files that come with this module.
enum Resource {
  static func text(_ name: String) throws -> String { String(decoding: try data(name), as: UTF8.self) }

  static func data(_ name: String) throws -> Data {
    try Data(contentsOf: Bundle.module.bundleURL.appendingPathComponent("Resources/\(name)"))
  }
}
