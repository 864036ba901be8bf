/// An element of an XML document, with its attributes in the order written and the line it begins on.
struct MarkupElement {
  var name: String
  var attributes: [(name: String, value: String)] = []
  var children: [MarkupElement] = []
  var text = ""
  var line: Int
}

/// What is not well-formed, and where.
struct MarkupError: Error {
  var line: Int
  var message: String
}

/// A small, strict reader of XML: elements, attributes, character data, CDATA, comments, processing
/// instructions, the five predefined entities and character references. A document type declaration is
/// skipped, never obeyed. UTF-8 only.
struct MarkupReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The document's root element.
  static func read(_ bytes: [UInt8]) throws -> MarkupElement {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw MarkupError(line: 1, message: "the file is UTF-16; only UTF-8 is read")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw MarkupError(line: 1, message: "the file is not valid UTF-8")
    }
    var reader = MarkupReader(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
    return try reader.document()
  }

  private mutating func document() throws -> MarkupElement {
    var open: [MarkupElement] = []
    var root: MarkupElement?
    while position < bytes.count {
      if !at("<") {
        let text = try characterData()
        if open.isEmpty {
          guard text.allSatisfy(\.isWhitespace) else { throw error("text outside the root element") }
        } else {
          open[open.count - 1].text += text
        }
      } else if skip("<!--") {
        try skipPast("-->", of: "comment")
      } else if skip("<![CDATA[") {
        let start = position
        try skipPast("]]>", of: "CDATA section")
        guard !open.isEmpty else { throw error("CDATA outside the root element") }
        open[open.count - 1].text += String(decoding: bytes[start..<position - 3], as: UTF8.self)
      } else if skip("<?") {
        try skipPast("?>", of: "processing instruction")
      } else if skip("<!DOCTYPE") {
        try skipDocumentType()
      } else if skip("</") {
        let name = try self.name()
        skipSpace()
        guard skip(">") else { throw error("\"</\(name)\" is not closed by \">\"") }
        guard let element = open.popLast() else { throw error("</\(name)> closes no element") }
        guard element.name == name else {
          throw error("</\(name)> found where <\(element.name)> of line \(element.line) is to be closed")
        }
        close(element, in: &open, root: &root)
      } else {
        guard root == nil else { throw error("a second root element") }
        guard open.count < 200 else { throw error("elements are nested more than 200 deep") }
        let (element, isEmpty) = try startTag()
        if isEmpty { close(element, in: &open, root: &root) } else { open.append(element) }
      }
    }
    if let unclosed = open.last { throw error("<\(unclosed.name)> of line \(unclosed.line) is not closed") }
    guard let root else { throw error("there is no root element") }
    return root
  }

  private func close(_ element: MarkupElement, in open: inout [MarkupElement], root: inout MarkupElement?) {
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  /// `<name a="b" …>` or `<name …/>`.
  private mutating func startTag() throws -> (MarkupElement, isEmpty: Bool) {
    let start = line
    _ = skip("<")
    var element = MarkupElement(name: try name(), line: start)
    while true {
      let hadSpace = skipSpace()
      if skip("/>") { return (element, true) }
      if skip(">") { return (element, false) }
      guard position < bytes.count else { throw error("<\(element.name)> is not closed by \">\"") }
      guard hadSpace else { throw error("a space is missing between the attributes of <\(element.name)>") }
      guard element.attributes.count < 500 else { throw error("<\(element.name)> has more than 500 attributes") }
      let attribute = try name()
      skipSpace()
      guard skip("=") else { throw error("\(element.name)@\(attribute) has no value") }
      skipSpace()
      guard !element.attributes.contains(where: { $0.name == attribute }) else {
        throw error("\(element.name)@\(attribute) is given twice")
      }
      element.attributes.append((attribute, try quotedValue(of: attribute)))
    }
  }

  private mutating func quotedValue(of attribute: String) throws -> String {
    guard position < bytes.count,
      bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
    else { throw error("the value of \(attribute) is not in quotes") }
    let quote = bytes[position]
    position += 1
    var value: [UInt8] = []
    while position < bytes.count, bytes[position] != quote {
      switch bytes[position] {
      case UInt8(ascii: "<"): throw error("\"<\" in the value of \(attribute)")
      case UInt8(ascii: "&"): value += try reference()
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
        // White space in a value is normalised to spaces; a line end counts once.
        if at("\r\n") { position += 1 }
        value.append(UInt8(ascii: " "))
        advance()
      default:
        value.append(bytes[position])
        position += 1
      }
    }
    guard position < bytes.count else { throw error("the value of \(attribute) is not closed by a quote") }
    position += 1
    return String(decoding: value, as: UTF8.self)
  }

  private mutating func characterData() throws -> String {
    var text: [UInt8] = []
    while position < bytes.count, !at("<") {
      if at("&") {
        text += try reference()
      } else if at("]]>") {
        throw error("\"]]>\" in text")
      } else if at("\r") {
        if !at("\r\n") { text.append(UInt8(ascii: "\n")) }
        position += 1
      } else {
        text.append(bytes[position])
        advance()
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// `&amp;`, `&#10;`, `&#xA;`.
  private mutating func reference() throws -> [UInt8] {
    guard let end = bytes[position...].prefix(16).firstIndex(of: UInt8(ascii: ";")) else {
      throw error("\"&\" begins no entity")
    }
    let name = String(decoding: bytes[position + 1..<end], as: UTF8.self)
    position = end + 1
    switch name {
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "amp": return [UInt8(ascii: "&")]
    case "apos": return [UInt8(ascii: "'")]
    case "quot": return [UInt8(ascii: "\"")]
    default:
      let number =
        name.hasPrefix("#x")
        ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
      guard let number, number != 0, let scalar = Unicode.Scalar(number) else {
        throw error("unknown entity \"&\(name);\"")
      }
      return Array(String(Character(scalar)).utf8)
    }
  }

  /// A name: letters, digits, `_`, `-`, `.`, `:` and everything beyond ASCII; it begins with no digit.
  private mutating func name() throws -> String {
    let start = position
    while position < bytes.count, Self.isNameByte(bytes[position]) { position += 1 }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let first = name.unicodeScalars.first, !"0123456789-.".unicodeScalars.contains(first) else {
      throw error("a name is expected here")
    }
    return name
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: ":"), 0x80...0xFF:
      true
    default: false
    }
  }

  private mutating func skipDocumentType() throws {
    var depth = 0
    while position < bytes.count {
      if at("[") { depth += 1 }
      if at("]") { depth -= 1 }
      if at(">"), depth == 0 {
        position += 1
        return
      }
      advance()
    }
    throw error("the document type declaration is not closed")
  }

  private mutating func skipPast(_ end: String, of what: String) throws {
    let start = line
    while position < bytes.count {
      if skip(end) { return }
      advance()
    }
    throw MarkupError(line: start, message: "the \(what) is not closed by \"\(end)\"")
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let start = position
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { advance() }
    return position > start
  }

  private mutating func advance() {
    if bytes[position] == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  private func at(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    return true
  }

  /// Skips `text`, which holds no line end, if it is here.
  private mutating func skip(_ text: StaticString) -> Bool {
    guard at(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  private mutating func skip(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private func error(_ message: String) -> MarkupError { MarkupError(line: line, message: message) }
}
