/// Code with a caption: where it is from, and which of its lines are meant.
struct CodeFigure {
  struct Line {
    /// In its file; nil if it has no number worth showing.
    var number: Int?
    var text: String
    /// Whether it only shows what stands around.
    var isContext = false
    /// Whether it stays in one piece where others go on in the next line.
    var hasColumns = false
    /// The number of the note that stands beside it.
    var note: Int?
  }

  /// The figure's classes, beside those of its kind.
  var classes: [String] = []
  var id: String?
  /// HTML.
  var caption: String?
  var language: String
  var lines: [Line]
  /// Long lines go on in the next; else they scroll in the figure.
  var isWrapped = false
  /// Whether shown lines have a mark at their left, if others stand around them.
  var marksShownLines = false
  /// Whether each line has an id, `L1`.
  var namesLines = false

  var html: String {
    let classes = (["snippet"] + self.classes + (isWrapped ? ["wrapped"] : [])).joined(separator: " ")
    let id = id.map { " id=\"\($0.escapedForHTML)\"" } ?? ""
    let caption = caption.map { "<figcaption>\($0)</figcaption>\n" } ?? ""
    // What scrolls does so by keys too.
    let keys = lines.contains(where: \.hasColumns) ? " tabindex=\"0\"" : ""
    return """
      <figure class="\(classes)"\(id)>
      \(caption)<div class="code"\(keys)><pre><code>\(code)</code></pre></div>
      </figure>
      """
  }

  /// Each line in an element of its own, with its end inside, so that a copied piece has its lines.
  private var code: String {
    let tokens = Highlighter.lines(of: lines.map(\.text).joined(separator: "\n"), language: language)
    let hasContext = lines.contains(where: \.isContext)
    return zip(lines, tokens).map { line, tokens in
      let kind =
        (line.isContext ? " context" : marksShownLines && hasContext ? " shown" : "")
        + (line.hasColumns ? " columns" : "")
      let number = line.number.map { " data-number=\"\($0)\"" } ?? ""
      let id = namesLines ? line.number.map { " id=\"L\($0)\"" } ?? "" : ""
      // Where the line is too long, it goes on below its own beginning, and does not end behind its indentation.
      let html = tokens.map(\.html).joined()
      let indent = line.hasColumns ? "" : html.prefix { $0 == " " }
      let name = indent.isEmpty ? "" : " i\(min(indent.count, 40))"
      let inside = indent.isEmpty ? html : "<i>\(indent)</i>\(html.dropFirst(indent.count))"
      // A number that the style sheet draws is neither copied nor read out: the note itself names the code.
      let note = line.note.map { "<b class=\"noted-\($0)\" data-note=\"\($0)\" aria-hidden=\"true\"></b>" } ?? ""
      return "<span class=\"line\(name)\(kind)\"\(id)\(number)>\(inside)\(note)\n</span>"
    }.joined()
  }
}
