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
  /// Whether shown lines have a mark at their left. Without context there is nothing to tell them from, but they come
  /// from a file.
  var marksShownLines = false
  /// Whether each line has an id, `L1`.
  var namesLines = false

  var html: String {
    let classes = (["snippet"] + self.classes + (isWrapped ? ["wrapped"] : [])).joined(separator: " ")
    let id = id.map { " id=\"\($0.escapedForHTML)\"" } ?? ""
    let caption = caption.map { "<figcaption>\($0)</figcaption>\n" } ?? ""
    return """
      <figure class="\(classes)"\(id)>
      \(caption)<div class="code"><pre><code>\(code)</code></pre></div>
      </figure>
      """
  }

  /// Each line in an element of its own, with its end inside, so that a copied piece has its lines.
  private var code: String {
    let tokens = Highlighter.lines(of: lines.map(\.text).joined(separator: "\n"), language: language)
    return zip(lines, tokens).map { line, tokens in
      let kind = (line.isContext ? " context" : marksShownLines ? " shown" : "") + (line.hasColumns ? " columns" : "")
      let number = line.number.map { " data-number=\"\($0)\"" } ?? ""
      let id = namesLines ? line.number.map { " id=\"L\($0)\"" } ?? "" : ""
      return "<span class=\"line\(kind)\"\(id)\(number)>\(tokens.map(\.html).joined())\n</span>"
    }.joined()
  }
}
