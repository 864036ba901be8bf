import BookText

/// The difference between two pieces of code. The HTML has pairs of old and new lines. The style sheet shows them below
/// each other on a narrow page, and side by side on a wide one.
struct DifferenceFigure {
  var id: String
  /// The caption as HTML.
  var caption: String
  var difference: SourceDifference

  /// Lines that are equal on both sides, or lines that replaced others.
  private struct Pair {
    var old: [String] = []
    var new: [String] = []
    var isSame: Bool
  }

  var html: String {
    """
    <figure class="snippet difference" id="\(id.escapedForHTML)">
    <figcaption>\(caption)</figcaption>
    <div class="code"><div class="headings" aria-hidden="true"><span>\(difference.from.label.escapedForHTML)</span>\
    <span>\(difference.to.label.escapedForHTML)</span></div><pre><code>\(pairs.map(Self.html).joined())</code></pre></div>
    </figure>
    """
  }

  private var pairs: [Pair] {
    var old = Self.lines(of: difference.from).makeIterator()
    var new = Self.lines(of: difference.to).makeIterator()
    var pairs: [Pair] = []
    for line in difference.lines {
      let isSame = line.change == .same
      if pairs.last?.isSame != isSame || (line.change == .removed && pairs.last?.new.isEmpty == false) {
        pairs.append(Pair(isSame: isSame))
      }
      if line.change != .added, let html = old.next() { pairs[pairs.count - 1].old.append(html) }
      if line.change != .removed, let html = new.next() { pairs[pairs.count - 1].new.append(html) }
    }
    return pairs
  }

  /// The lines of one side as HTML.
  private static func lines(of side: Quotation) -> [String] {
    let language = BlockRenderer.language(ofFile: side.file)
    return Highlighter.lines(of: side.lines.map(\.text).joined(separator: "\n"), language: language)
      .map { $0.map(\.html).joined() }
  }

  private static func html(of pair: Pair) -> String {
    let old = pair.old.map { line($0, element: pair.isSame ? "span" : "del", sign: pair.isSame ? " " : "−") }.joined()
    let new = pair.new.map { line($0, element: pair.isSame ? "span" : "ins", sign: pair.isSame ? " " : "+") }.joined()
    // Equal lines are read aloud only once.
    let hidden = pair.isSame ? " aria-hidden=\"true\"" : ""
    return "<span class=\"\(pair.isSame ? "same" : "change")\"><span class=\"side old\">\(old)</span>"
      + "<span class=\"side new\"\(hidden)>\(new)</span></span>"
  }

  /// Tells the style sheet the line's indentation, so that the rest of a wrapped line is indented further.
  private static func line(_ html: String, element: String, sign: String) -> String {
    let indent = html.prefix { $0 == " " }
    return "<\(element) style=\"--indent: \(indent.count)\"><span class=\"sign\">\(sign)</span>"
      + "<span class=\"indent\">\(indent)</span>\(html.dropFirst(indent.count))\n</\(element)>"
  }
}
