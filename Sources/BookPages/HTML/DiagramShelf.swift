/// Puts drawings into a page. One that is shown twice gets other ids the second time, since ids are unique in a page.
struct DiagramShelf {
  private var shown: [String: Int] = [:]

  /// - Parameter svg: The drawing's file, with or without an XML declaration.
  mutating func html(of svg: String, named name: String) -> String {
    shown[name, default: 0] += 1
    let drawing = Self.inBookType(svg.replacing(#/^\s*<\?xml[^>]*\?>\s*/#, with: "")).trimmingPrefix(
      while: \.isWhitespace)
    guard let count = shown[name], count > 1 else { return String(drawing).trimmedEnd }
    return HTMLIDs.mapped(String(drawing)) { "\($0)-\(count)" }.trimmedEnd
  }

  /// A drawing that is a file of its own names typefaces of the system's; in a page it has those of the page.
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
