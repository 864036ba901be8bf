/// An element of an XML document, with its attributes in the order of the text, and the line on which it begins.
struct MarkupElement {
  var name: String
  var attributes: [(name: String, value: String)] = []
  var children: [MarkupElement] = []
  var text = ""
  var line: Int
}

/// Reads a whole document into a tree. It is meant for models and property lists, whose files are small.
enum MarkupReader {
  /// The document's root element.
  static func read(_ bytes: [UInt8]) throws -> MarkupElement {
    try bytes.withUnsafeBufferPointer { bytes in
      var scanner = try MarkupScanner(bytes)
      var open: [MarkupElement] = []
      var (line, counted) = (1, 0)
      let newline = UInt8(ascii: "\n")
      while true {
        let token = try scanner.next()
        // A loop, not `count(where:)`, which takes half of the time that a debug build needs to read a document.
        for place in counted..<scanner.tokenStart where bytes[place] == newline { line += 1 }
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
          // Only comments and the like may follow the root element.
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
