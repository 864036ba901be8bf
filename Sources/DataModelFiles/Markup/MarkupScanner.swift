import Foundation

/// The reason why a document can't be read, with its line.
package struct MarkupError: Error {
  package var line: Int
  package var message: String
  /// Whether the document is not XML, or is XML in an encoding that the scanner does not read, such as UTF-16. Then
  /// `line` has no meaning.
  package var isForeign = false
}

/// A part of an XML document or of a scanner's scratch memory. It is valid until the scanner's next step.
package typealias MarkupText = UnsafeBufferPointer<UInt8>

/// Reads a document tag by tag and builds no tree. Text and values point into the document's bytes; only those that
/// contain references are decoded into scratch memory.
///
/// A document that is not well-formed UTF-8 makes the scanner throw a `MarkupError` with the line. The scanner skips
/// a document type declaration, so it knows only the five predefined entities.
package struct MarkupScanner: ~Copyable {
  package enum Token { case start, end, text, finished }

  private struct Attribute {
    let name: Range<Int>
    let value: Range<Int>
    let hasReferences: Bool
  }

  private let bytes: MarkupText
  package private(set) var position = 0
  /// Where the last token began.
  package private(set) var tokenStart = 0
  private var open: [Range<Int>] = []
  private var hasRoot = false
  private var isEmptyElement = false
  private var nameRange = 0..<0
  private var attributes: [Attribute] = []
  private var textRange = 0..<0
  private var textHasReferences = false
  /// Whether the last text was a CDATA section.
  private(set) var isSection = false
  /// Holds an element's text when the text is not one contiguous part of the document.
  private let scratch = MarkupScratch()
  /// Holds the decoded values of attributes with references, until the next element begins.
  private let values = MarkupScratch()

  /// - Parameter bytes: the document. They must outlive the scanner.
  package init(_ bytes: MarkupText) throws {
    self.bytes = bytes
    if bytes.count >= 2, [bytes[0], bytes[1]] == [0xFF, 0xFE] || [bytes[0], bytes[1]] == [0xFE, 0xFF] {
      throw Self.foreign("it is UTF-16; only UTF-8 is read")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipSpace()
    guard at("<") else { throw Self.foreign("it is not XML") }
    if String(validating: bytes, as: UTF8.self) == nil { throw Self.foreign("it is not valid UTF-8") }
  }

  // What the last token was.

  /// How many elements are open.
  package var depth: Int { open.count }

  /// The name of the element that has begun or ended.
  package var name: MarkupText { part(nameRange) }

  package func isNamed(_ text: StaticString) -> Bool { name.isEqual(to: text) }

  /// The value of an attribute of the element that has begun; nil if it has no such attribute.
  package func attribute(_ name: StaticString) throws -> MarkupText? {
    for attribute in attributes where part(attribute.name).isEqual(to: name) {
      return attribute.hasReferences ? try decoded(attribute.value) : part(attribute.value)
    }
    return nil
  }

  /// All attributes of the element that has begun, in the order written. In a value, each white space character and
  /// each line end becomes one space.
  func attributeValues() throws -> [(name: String, value: String)] {
    try attributes.map { attribute in
      let value = part(attribute.value)
      let isPlain = !attribute.hasReferences && value.allSatisfy { $0 >= 0x20 }
      return (part(attribute.name).string, try isPlain ? value.string : decoded(attribute.value, isValue: true).string)
    }
  }

  /// The last text, with its references replaced.
  func decodedText() throws -> String {
    guard textHasReferences else { return part(textRange).string }
    scratch.removeAll()
    try appendDecoded(textRange, scratch)
    return scratch.text.string
  }

  package func part(_ range: Range<Int>) -> MarkupText { MarkupText(rebasing: bytes[range]) }

  // Steps.

  package mutating func next() throws -> Token {
    if isEmptyElement {
      isEmptyElement = false
      nameRange = open.removeLast()
      return .end
    }
    while position < bytes.count {
      tokenStart = position
      if bytes[position] != UInt8(ascii: "<") {
        try scanText()
        if !open.isEmpty { return .text }
        guard part(textRange).allSatisfy(\.isMarkupSpace) else { throw error("text outside the root element") }
      } else if skip("<!--") {
        try skipPast("-->", of: "comment")
      } else if skip("<![CDATA[") {
        let start = position
        try skipPast("]]>", of: "CDATA section")
        guard !open.isEmpty else { throw error("CDATA outside the root element") }
        (textRange, textHasReferences, isSection) = (start..<position - 3, false, true)
        return .text
      } else if skip("<?") {
        try skipPast("?>", of: "processing instruction")
        try checkEncoding(part(tokenStart..<position))
      } else if skip("<!DOCTYPE") {
        try skipDocumentType()
      } else if skip("</") {
        try endTag()
        return .end
      } else {
        try startTag()
        return .start
      }
    }
    tokenStart = position
    if let unclosed = open.last {
      throw error("<\(part(unclosed).string)> of line \(line(at: unclosed.lowerBound)) is not closed")
    }
    guard hasRoot else { throw error("there is no root element") }
    return .finished
  }

  /// Reads up to the end of the element that has begun and returns its text. An element inside it is an error.
  package mutating func content() throws -> MarkupText {
    let element = nameRange
    scratch.removeAll()
    var whole: Range<Int>?
    while true {
      switch try next() {
      case .end:
        if let whole { return part(whole) }
        return scratch.text
      case .text:
        if whole == nil, scratch.isEmpty, !textHasReferences {
          whole = textRange
        } else {
          if let first = whole { scratch.append(part(first)) }
          whole = nil
          if textHasReferences { try appendDecoded(textRange, scratch) } else { scratch.append(part(textRange)) }
        }
      case .start, .finished: throw error("<\(name.string)> in <\(part(element).string)>")
      }
    }
  }

  /// Skips to the end of the element that has begun and returns the range of its content.
  @discardableResult
  package mutating func skipContent() throws -> Range<Int> {
    let start = position
    let outside = depth - 1
    if isEmptyElement {
      _ = try next()
      return start..<start
    }
    while true {
      if case .end = try next(), depth == outside { return start..<tokenStart }
    }
  }

  // Tags.

  private mutating func startTag() throws {
    position += 1
    guard open.count < 200 else { throw error("elements are nested more than 200 deep") }
    guard !open.isEmpty || !hasRoot else { throw error("a second root element") }
    hasRoot = true
    nameRange = try scanName()
    open.append(nameRange)
    attributes.removeAll(keepingCapacity: true)
    values.removeAll()
    while true {
      let hadSpace = skipSpace()
      if skip(">") { return }
      if skip("/>") {
        isEmptyElement = true
        return
      }
      guard position < bytes.count else { throw error("<\(name.string)> is not closed by \">\"") }
      guard hadSpace else { throw error("a space is missing between the attributes of <\(name.string)>") }
      try scanAttribute()
    }
  }

  private mutating func scanAttribute() throws {
    guard attributes.count < 500 else { throw error("<\(name.string)> has more than 500 attributes") }
    let attribute = try scanName()
    let text = part(attribute)
    skipSpace()
    guard skip("=") else { throw error("\(name.string)@\(text.string) has no value") }
    skipSpace()
    guard position < bytes.count,
      bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
    else { throw error("the value of \(text.string) is not in quotes") }
    let quote = bytes[position]
    position += 1
    let start = position
    var hasReferences = false
    while position < bytes.count, bytes[position] != quote {
      switch bytes[position] {
      case UInt8(ascii: "<"): throw error("\"<\" in the value of \(text.string)")
      case UInt8(ascii: "&"): hasReferences = true
      default: break
      }
      position += 1
    }
    guard position < bytes.count else { throw error("the value of \(text.string) is not closed by a quote") }
    for other in attributes where part(other.name).isEqual(to: text) {
      throw error("\(name.string)@\(text.string) is given twice")
    }
    attributes.append(Attribute(name: attribute, value: start..<position, hasReferences: hasReferences))
    position += 1
  }

  private mutating func endTag() throws {
    nameRange = try scanName()
    skipSpace()
    guard skip(">") else { throw error("\"</\(name.string)\" is not closed by \">\"") }
    guard let begun = open.popLast() else { throw error("</\(name.string)> closes no element") }
    guard part(begun).isEqual(to: name) else {
      throw error(
        "</\(name.string)> found where <\(part(begun).string)> of line \(line(at: begun.lowerBound)) is to be closed")
    }
  }

  private mutating func scanText() throws {
    let start = position
    (textHasReferences, isSection) = (false, false)
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
      switch bytes[position] {
      // A carriage return must be replaced, as references are.
      case UInt8(ascii: "&"), 0x0D: textHasReferences = true
      case 0..<0x09, 0x0B, 0x0C, 0x0E..<0x20: throw error("a character that XML does not know: \(bytes[position])")
      default: break
      }
      position += 1
    }
    textRange = start..<position
  }

  private mutating func scanName() throws -> Range<Int> {
    let start = position
    while position < bytes.count, bytes[position].isMarkupName { position += 1 }
    guard position > start, !(UInt8(ascii: "-")...UInt8(ascii: "9")).contains(bytes[start]) else {
      throw error("a name is expected here")
    }
    return start..<position
  }

  // References.

  private func decoded(_ range: Range<Int>, isValue: Bool = false) throws -> MarkupText {
    let own = MarkupScratch()
    try appendDecoded(range, own, isValue: isValue)
    return values.keep(own)
  }

  /// - Parameter isValue: whether white space becomes spaces.
  private func appendDecoded(_ range: Range<Int>, _ scratch: MarkupScratch, isValue: Bool = false) throws {
    var place = range.lowerBound
    let lineEnd: UInt8 = isValue ? 0x20 : 0x0A
    while place < range.upperBound {
      let byte = bytes[place]
      place += 1
      if byte == 0x0D {
        // CR LF and a lone CR both become one line end.
        if place == range.upperBound || bytes[place] != 0x0A { scratch.append(lineEnd) }
      } else if byte == 0x0A || byte == 0x09, isValue {
        scratch.append(0x20)
      } else if byte == UInt8(ascii: "&") {
        guard let end = bytes[place..<min(place + 15, range.upperBound)].firstIndex(of: UInt8(ascii: ";")) else {
          throw error("\"&\" begins no entity", at: place)
        }
        try appendReference(part(place..<end), scratch, place)
        place = end + 1
      } else {
        scratch.append(byte)
      }
    }
  }

  private func appendReference(_ name: MarkupText, _ scratch: MarkupScratch, _ place: Int) throws {
    switch name.string {
    case "lt": scratch.append(UInt8(ascii: "<"))
    case "gt": scratch.append(UInt8(ascii: ">"))
    case "amp": scratch.append(UInt8(ascii: "&"))
    case "apos": scratch.append(UInt8(ascii: "'"))
    case "quot": scratch.append(UInt8(ascii: "\""))
    case let text:
      let number =
        text.hasPrefix("#x")
        ? UInt32(text.dropFirst(2), radix: 16) : text.hasPrefix("#") ? UInt32(text.dropFirst()) : nil
      guard let number, number != 0, let scalar = Unicode.Scalar(number) else {
        throw error("unknown entity \"&\(text);\"", at: place)
      }
      for byte in String(Character(scalar)).utf8 { scratch.append(byte) }
    }
  }

  // Skipping.

  private func checkEncoding(_ instruction: MarkupText) throws {
    let text = instruction.string.lowercased()
    guard text.hasPrefix("<?xml "), let place = text.range(of: "encoding=") else { return }
    let name = text[place.upperBound...].dropFirst().prefix { $0 != "\"" && $0 != "'" }
    if !["utf-8", "utf8", "us-ascii", "ascii"].contains(name) {
      throw Self.foreign("its encoding is \(name); only UTF-8 is read")
    }
  }

  private mutating func skipDocumentType() throws {
    var depth = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: "]") { depth -= 1 }
      if byte == UInt8(ascii: ">"), depth == 0 { return }
    }
    throw error("the document type declaration is not closed", at: tokenStart)
  }

  private mutating func skipPast(_ end: StaticString, of what: String) throws {
    while position < bytes.count {
      if skip(end) { return }
      position += 1
    }
    throw error("the \(what) is not closed by \"\(end)\"", at: tokenStart)
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let start = position
    while position < bytes.count, bytes[position].isMarkupSpace { position += 1 }
    return position > start
  }

  private func at(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    return position + count <= bytes.count && memcmp(bytes.baseAddress! + position, text.utf8Start, count) == 0
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    guard at(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  // Errors.

  /// An error with this message, at the last token.
  package func error(_ what: String) -> MarkupError { error(what, at: tokenStart) }

  private func error(_ what: String, at place: Int) -> MarkupError { MarkupError(line: line(at: place), message: what) }

  private func line(at place: Int) -> Int { 1 + bytes[..<min(place, bytes.count)].count { $0 == 0x0A } }

  private static func foreign(_ what: String) -> MarkupError { MarkupError(line: 1, message: what, isForeign: true) }
}

/// A buffer for text that the scanner decodes or joins.
private final class MarkupScratch {
  private var memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
  private var capacity = 256
  private var count = 0
  private var kept: [MarkupScratch] = []

  deinit { memory.deallocate() }

  var isEmpty: Bool { count == 0 }
  var text: MarkupText { MarkupText(start: memory, count: count) }

  func removeAll() {
    count = 0
    kept.removeAll(keepingCapacity: true)
  }

  func append(_ byte: UInt8) {
    if count == capacity { grow(1) }
    memory[count] = byte
    count += 1
  }

  func append(_ text: MarkupText) {
    guard let start = text.baseAddress else { return }
    if count + text.count > capacity { grow(text.count) }
    (memory + count).update(from: start, count: text.count)
    count += text.count
  }

  private func grow(_ more: Int) {
    let wanted = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
    larger.update(from: memory, count: count)
    memory.deallocate()
    (memory, capacity) = (larger, wanted)
  }

  /// Keeps the bytes of another scratch alive until `removeAll()`, and returns them.
  func keep(_ other: MarkupScratch) -> MarkupText {
    kept.append(other)
    return other.text
  }
}

extension UInt8 {
  package var isMarkupSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D }

  /// Letters, digits, `_`, `-`, `.`, `:` and everything beyond ASCII.
  fileprivate var isMarkupName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: ":"), 0x80...0xFF:
      true
    default: false
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  package var string: String { String(decoding: self, as: UTF8.self) }

  package func isEqual(to text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && (count == 0 || memcmp(baseAddress!, text.utf8Start, count) == 0)
  }

  package func isEqual(to other: UnsafeBufferPointer<UInt8>) -> Bool {
    count == other.count && (count == 0 || memcmp(baseAddress!, other.baseAddress!, count) == 0)
  }

  package func isEqual(to other: [UInt8]) -> Bool {
    other.withUnsafeBufferPointer { isEqual(to: $0) }
  }
}
