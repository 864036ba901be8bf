/// An element of an XML document, with its attributes in the order written and the line it begins on.
struct MarkupElement {
  var name: String
  var attributes: [(name: String, value: String)] = []
  var children: [MarkupElement] = []
  var text = ""
  var line: Int
}

/// Reads a whole document as a tree, for files that are small beside what is made of them: models and property lists.
enum MarkupReader {
  /// The document's root element.
  static func read(_ bytes: [UInt8]) throws -> MarkupElement {
    try bytes.withUnsafeBufferPointer { bytes in
      var scanner = try MarkupScanner(bytes)
      var open: [MarkupElement] = []
      var (line, counted) = (1, 0)
      while true {
        let token = try scanner.next()
        line += bytes[counted..<scanner.tokenStart].count { $0 == UInt8(ascii: "\n") }
        counted = scanner.tokenStart
        switch token {
        case .start:
          open.append(
            MarkupElement(name: scanner.name.string, attributes: try scanner.attributeValues(), line: line))
        case .text:
          let text = try scanner.decodedText()
          if !scanner.isSection, text.contains("]]>") { throw scanner.error("\"]]>\" in text") }
          open[open.count - 1].text += text
        case .end:
          let element = open.removeLast()
          // After the root only comments and the like may follow.
          if open.isEmpty {
            while try scanner.next() != .finished {}
            return element
          }
          open[open.count - 1].children.append(element)
        case .finished: throw scanner.error("there is no root element")
        }
      }
    }
  }
}
