/// A page of the built book, before it is put into the template.
struct RenderedPage {
  struct Heading {
    var level: Int
    var id: String
    /// With its inline elements, without the link to itself.
    var html: String
    var text: String
  }

  /// What stands between two headings: what a search finds, and what names of APIs lead to.
  struct Section {
    /// Nil before the first heading.
    var heading: Heading?
    var text = ""
    /// What its blocks show.
    var blocks = ""
    /// The inline code of its prose.
    var code: [String] = []
    /// The inline code of its heading.
    var headingCode: [String] = []
    /// Whether it only repeats what other sections explain; a search shows it behind them.
    var isRepeated = false
  }

  /// In the book's folder.
  var file: String
  var title: String
  var content: String
  var sections: [Section]
  /// What the style sheet has to know of it: `source` for a whole file, `whole-book`, `figures` for what a run
  /// has measured; else empty.
  var kind = ""

  var headings: [Heading] { sections.compactMap(\.heading) }
}
