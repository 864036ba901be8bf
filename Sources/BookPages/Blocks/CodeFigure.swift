/// Code with a caption that says where it is from.
struct CodeFigure {
  struct Line {
    /// The line's number in its file; nil if it shouldn't be shown.
    var number: Int?
    var text: String
    /// Whether the line is only context.
    var isContext = false
    /// Whether the line is never wrapped, because it is part of a table.
    var hasColumns = false
    /// The number of the note beside the line.
    var note: Int?
  }

  /// Classes of the figure in addition to the usual ones.
  var classes: [String] = []
  var id: String?
  /// The caption as HTML.
  var caption: String?
  var language: String
  var lines: [Line]
  /// Whether long lines are wrapped; if not, they scroll inside the figure.
  var isWrapped = false
  /// Whether lines that aren't context have a mark on their left, if the figure has context.
  var marksShownLines = false
  /// Whether each line has an id such as `L1`.
  var namesLines = false

  var html: String {
    let classes = (["snippet"] + self.classes + (isWrapped ? ["wrapped"] : [])).joined(separator: " ")
    let id = id.map { " id=\"\($0.escapedForHTML)\"" } ?? ""
    let caption = caption.map { "<figcaption>\($0)</figcaption>\n" } ?? ""
    // A part that scrolls can be scrolled with the keyboard too.
    let keys = lines.contains(where: \.hasColumns) ? " tabindex=\"0\"" : ""
    return """
      <figure class="\(classes)"\(id)>
      \(caption)<div class="code"\(keys)><pre><code>\(code)</code></pre></div>
      </figure>
      """
  }

  /// Each line in an element of its own, with the line feed inside, so that copied text keeps its lines.
  private var code: String {
    let tokens = Highlighter.lines(of: lines.map(\.text).joined(separator: "\n"), language: language)
    let hasContext = lines.contains(where: \.isContext)
    return zip(lines, tokens).map { line, tokens in
      let kind =
        (line.isContext ? " context" : marksShownLines && hasContext ? " shown" : "")
        + (line.hasColumns ? " columns" : "")
      let number = line.number.map { " data-number=\"\($0)\"" } ?? ""
      let id = namesLines ? line.number.map { " id=\"L\($0)\"" } ?? "" : ""
      // A long line continues below its own beginning, and isn't broken right after its indentation.
      let html = tokens.map(\.html).joined()
      let indent = line.hasColumns ? "" : html.prefix { $0 == " " }
      let name = indent.isEmpty ? "" : " i\(min(indent.count, 40))"
      let inside = indent.isEmpty ? html : "<i>\(indent)</i>\(html.dropFirst(indent.count))"
      // The style sheet draws the number, so it is neither copied nor read aloud. The note itself names the code.
      let note = line.note.map { "<b class=\"noted-\($0)\" data-note=\"\($0)\" aria-hidden=\"true\"></b>" } ?? ""
      return "<span class=\"line\(name)\(kind)\"\(id)\(number)>\(inside)\(note)\n</span>"
    }.joined()
  }
}
