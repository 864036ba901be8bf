/// Puts drawings into a page. A drawing that is shown twice gets other ids the second time, because ids must be unique.
struct DiagramShelf {
  private var shown: [String: Int] = [:]

  /// - Parameter svg: the content of the drawing's file, with or without an XML declaration.
  mutating func html(of svg: String, named name: String) -> String {
    shown[name, default: 0] += 1
    let drawing = Self.inBookType(svg.replacing(#/^\s*<\?xml[^>]*\?>\s*/#, with: "")).trimmingPrefix(
      while: \.isWhitespace)
    guard let count = shown[name], count > 1 else { return String(drawing).trimmedEnd }
    return HTMLIDs.mapped(String(drawing)) { "\($0)-\(count)" }.trimmedEnd
  }

  /// Replaces the system typefaces that a drawing names as a file of its own by those of the page.
  private static func inBookType(_ svg: String) -> String {
    svg.replacing(#/(font: [0-9.]+px )"Helvetica Neue"[^;]*;/#) { $0.1 + "var(--label-font);" }
      .replacing(#/(font: [0-9.]+px )ui-monospace[^;]*;/#) { $0.1 + "var(--code-font);" }
  }
}

extension String {
  var trimmedEnd: String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
