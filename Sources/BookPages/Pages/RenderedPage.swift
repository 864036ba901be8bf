/// A page of the built book, before the template is applied.
struct RenderedPage {
  struct Heading {
    var level: Int
    var id: String
    /// The heading as HTML, with its inline elements but without the link to itself.
    var html: String
    var text: String
  }

  /// The content between two headings. Searches find sections, and the index of APIs links to them.
  struct Section {
    /// The heading; nil for the text before the first one.
    var heading: Heading?
    var text = ""
    /// The text of its blocks.
    var blocks = ""
    /// The inline code in its prose.
    var code: [String] = []
    /// The inline code in its heading.
    var headingCode: [String] = []
    /// Whether it only repeats what other sections explain. A search shows it after them.
    var isRepeated = false
  }

  /// The file's name in the book's folder.
  var file: String
  var title: String
  var content: String
  var sections: [Section]
  /// The page's kind for the style sheet: `source` for a whole file, `whole-book`, `figures` for measurements;
  /// otherwise empty.
  var kind = ""

  var headings: [Heading] { sections.compactMap(\.heading) }
}
