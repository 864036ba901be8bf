/// The sizes of text in boxes.
enum BoxText {
  static let size = 12.0
  static let titleSize = 14.0
  private static let padding = 12
  private static let gap = 18.0
  private static let limit = 270.0

  static func width(_ box: DiagramGraph.Box) -> Int {
    let names = box.rows.map { min(limit, TextWidth.of($0.name, size: size)) }.max() ?? 0
    let types = box.rows.map { min(limit, TextWidth.of($0.type, size: size)) }.max() ?? 0
    // The longest name seldom stands beside the longest type, so rows are measured one by one.
    let rows =
      box.rows.map {
        min(limit, TextWidth.of($0.name, size: size)) + min(limit, TextWidth.of($0.type, size: size)) + gap
      }.max() ?? 0
    let title =
      min(2 * limit, TextWidth.of(box.name, size: titleSize, bold: true)) + (box.isAbstract ? 70 : 0)
    return max(140, Int(max(rows, max(title, min(names, types))).rounded(.up)) + 2 * padding)
  }

  static func name(_ text: String) -> String { TextWidth.fitting(text, in: limit, size: size) }
  static func title(_ text: String) -> String {
    TextWidth.fitting(text, in: 2 * limit, size: titleSize, bold: true)
  }
}

/// The explanation of the signs, below the picture.
enum Legend {
  static let width = 330
  static let height = 34
}

extension Diagram {
  /// The picture as an SVG document.
  public var svg: String {
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" \
      font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif" font-size="12">
      """,
      """
      <style>
      .line { fill: none; stroke: #7a8699; stroke-width: 1.5 }
      .heir { fill: none; stroke: #c07f2a; stroke-width: 1.5 }
      .arrow { fill: #ffffff; stroke: #c07f2a; stroke-width: 1.5 }
      .box { fill: #ffffff; stroke: #5b6b82; stroke-width: 1.2 }
      .head { fill: #dbe6f5 }
      .abstract { fill: #eeeeee }
      .rule { stroke: #c5cedb; stroke-width: 1 }
      .title { font-size: 14px; font-weight: 600; fill: #14202f }
      .name { fill: #14202f }
      .type { fill: #5a6675; text-anchor: end }
      .note { fill: #5a6675; font-style: italic; text-anchor: end }
      .slanted { font-style: italic }
      .legend { fill: #7a8699 }
      </style>
      """,
    ]
    for part in parts {
      lines.append("<g transform=\"translate(\(part.x) \(part.y))\">")
      for path in part.layout.paths { lines += self.lines(of: path) }
      for box in part.layout.boxes { lines += self.lines(of: box) }
      lines.append("</g>")
    }
    lines += legend
    lines.append("</svg>")
    return lines.joined(separator: "\n") + "\n"
  }

  private func lines(of box: DiagramLayout.PlacedBox) -> [String] {
    let content = graph.boxes[box.box]
    let (left, top, right) = (box.x, box.y, box.x + box.width)
    let head = top + box.head
    var lines = [
      "<g><title>\(Self.escaped(content.name))</title>",
      "<rect class=\"box\" x=\"\(left)\" y=\"\(top)\" width=\"\(box.width)\" height=\"\(box.height)\" rx=\"6\"/>",
      """
      <path class="\(content.isAbstract ? "abstract" : "head")" d="M\(left + 1) \(head) V\(top + 7) \
      Q\(left + 1) \(top + 1) \(left + 7) \(top + 1) H\(right - 7) \
      Q\(right - 1) \(top + 1) \(right - 1) \(top + 7) V\(head) Z"/>
      """,
    ]
    func add(_ text: String, _ style: String, x: Int, y: Int) {
      lines.append("<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\">\(Self.escaped(text))</text>")
    }
    let middle = top + box.head / 2 + 5
    add(BoxText.title(content.name), content.isAbstract ? "title slanted" : "title", x: left + 12, y: middle)
    if content.isAbstract { add("abstract", "note", x: right - 12, y: middle) }
    if content.attributeCount > 0, content.attributeCount < content.rows.count {
      let y = head + content.attributeCount * DiagramLayout.row
      lines.append("<line class=\"rule\" x1=\"\(left + 1)\" x2=\"\(right - 1)\" y1=\"\(y)\" y2=\"\(y)\"/>")
    }
    for (index, row) in content.rows.enumerated() {
      let y = head + index * DiagramLayout.row + 15
      add(BoxText.name(row.name), row.isSlanted ? "name slanted" : "name", x: left + 12, y: y)
      add(BoxText.name(row.type), "type", x: right - 12, y: y)
    }
    lines.append("</g>")
    return lines
  }

  private func lines(of path: DiagramLayout.Path) -> [String] {
    let line = graph.lines[path.line]
    let style = line.parent == nil ? "line" : "heir"
    var lines = ["<path class=\"\(style)\" d=\"\(Self.outline(path.points))\"/>"]
    let (start, end) = path.isReversed ? (line.secondMark, line.firstMark) : (line.firstMark, line.secondMark)
    lines += Self.mark(start, at: path.points[0], isRight: path.startsRight)
    lines += Self.mark(end, at: path.points[path.points.count - 1], isRight: path.endsRight)
    return lines
  }

  /// A path of horizontal and vertical pieces with rounded corners.
  private static func outline(_ points: [DiagramLayout.Point]) -> String {
    var text = "M\(points[0].x) \(points[0].y)"
    for place in points.indices.dropFirst().dropLast() {
      let (before, corner, after) = (points[place - 1], points[place], points[place + 1])
      func length(_ a: DiagramLayout.Point, _ b: DiagramLayout.Point) -> Int {
        abs(a.x - b.x) + abs(a.y - b.y)
      }
      let radius = min(6, length(before, corner) / 2, length(corner, after) / 2)
      func towards(_ other: DiagramLayout.Point) -> (Int, Int) {
        (corner.x + (other.x - corner.x).signum() * radius, corner.y + (other.y - corner.y).signum() * radius)
      }
      let (a, b) = (towards(before), towards(after))
      text += " L\(a.0) \(a.1) Q\(corner.x) \(corner.y) \(b.0) \(b.1)"
    }
    let last = points[points.count - 1]
    return text + " L\(last.x) \(last.y)"
  }

  /// The sign at the end of a line, in front of the box.
  private static func mark(_ mark: DiagramGraph.Mark, at point: DiagramLayout.Point, isRight: Bool)
    -> [String]
  {
    let out = isRight ? 1 : -1
    let (x, y) = (point.x, point.y)
    switch mark {
    case .none: return []
    case .one: return ["<path class=\"line\" d=\"M\(x + 8 * out) \(y - 5) V\(y + 5)\"/>"]
    case .many:
      return ["<path class=\"line\" d=\"M\(x) \(y - 6) L\(x + 12 * out) \(y) L\(x) \(y + 6)\"/>"]
    case .heir:
      return ["<path class=\"arrow\" d=\"M\(x) \(y) L\(x + 12 * out) \(y - 7) V\(y + 7) Z\"/>"]
    }
  }

  private var legend: [String] {
    let y = height - Self.margin / 2 - 8
    func sample(_ x: Int, _ mark: DiagramGraph.Mark, _ style: String, _ words: String) -> [String] {
      ["<path class=\"\(style)\" d=\"M\(x) \(y) H\(x + 34)\"/>"]
        + Self.mark(mark, at: .init(x: x, y: y), isRight: true)
        + ["<text class=\"legend\" x=\"\(x + 42)\" y=\"\(y + 4)\">\(words)</text>"]
    }
    return sample(Self.margin, .one, "line", "one") + sample(Self.margin + 100, .many, "line", "many")
      + sample(Self.margin + 206, .heir, "heir", "is a kind of")
  }

  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      // XML can't contain these characters.
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
