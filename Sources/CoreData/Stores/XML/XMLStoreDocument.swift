internal import DataModelFiles

/// An XML store's file:
///
///     <database>
///         <databaseInfo> version, UUID, nextObjectID, metadata: a property list </databaseInfo>
///         <object type="BOOK" id="z103">
///             <attribute name="title" type="string">Dune</attribute>
///             <relationship name="author" type="1/1" destination="AUTHOR" idrefs="z102"></relationship>
///         </object>
///     </database>
///
/// Entity names are in capitals, property names in lowercase. Attributes that are nil are left out; `XMLValues` has
/// the form of the others. `nextObjectID` is the last number that was given out. An id is `z` and a number; a
/// relationship's type is its least and greatest count.
struct XMLStoreDocument {
  static let version: Int64 = 134_481_920

  let bytes: [UInt8]

  /// The content and the position of `databaseInfo`.
  struct Info {
    var header: AtomicHeader
    /// The bytes from the element's `<` to its last `>`.
    var range: Range<Int>
  }

  func info() throws -> Info {
    try scanning { scanner in
      try XMLStoreDocument.enterRoot(&scanner)
      while true {
        switch try scanner.next() {
        case .start where scanner.isNamed("databaseInfo"):
          let start = scanner.tokenStart
          let header = try XMLStoreDocument.header(&scanner)
          return Info(header: header, range: start..<scanner.position)
        case .start: try scanner.skipContent()
        case .text: continue
        case .end, .finished: throw scanner.error("the database has no databaseInfo")
        }
      }
    }
  }

  /// Passes all objects to a sink, in the order of the file.
  func readObjects<Sink: XMLStoreSink & ~Copyable>(into sink: inout Sink) throws {
    try scanning { scanner in
      try XMLStoreDocument.enterRoot(&scanner)
      do {
        while true {
          switch try scanner.next() {
          case .start where scanner.isNamed("object"): try XMLStoreDocument.readObject(&scanner, &sink)
          case .start where scanner.isNamed("databaseInfo"): try scanner.skipContent()
          case .start: throw scanner.error("<\(scanner.name.string)> in a database")
          case .text, .end: continue
          case .finished: return
          }
        }
      } catch AtomicProblem.damaged(nil, let what) {
        throw scanner.error(what)
      }
    }
  }

  /// Turns errors in the XML into problems of the store.
  private func scanning<Result>(_ body: (inout MarkupScanner) throws -> Result) throws -> Result {
    do {
      return try bytes.withUnsafeBufferPointer { bytes in
        var scanner = try MarkupScanner(bytes)
        return try body(&scanner)
      }
    } catch let error as MarkupError {
      throw error.isForeign ? AtomicProblem.foreign(error.message) : .damaged(line: error.line, error.message)
    }
  }

  private static func enterRoot(_ scanner: inout MarkupScanner) throws {
    _ = try scanner.next()
    guard scanner.isNamed("database") else {
      throw AtomicProblem.foreign("its root element is <\(scanner.name.string)>, not <database>")
    }
  }

  // The header.

  private static func header(_ scanner: inout MarkupScanner) throws -> AtomicHeader {
    var header = AtomicHeader(metadata: [:], lastKey: 0)
    var uuid: String?
    let depth = scanner.depth
    while true {
      switch try scanner.next() {
      case .start where scanner.isNamed("version"):
        let text = try scanner.content()
        guard XMLValues.integer(text) == version else {
          throw scanner.error("the version is \(text.string), not \(version)")
        }
      case .start where scanner.isNamed("UUID"): uuid = try scanner.content().string
      case .start where scanner.isNamed("nextObjectID"):
        let text = try scanner.content()
        guard let number = XMLValues.integer(text), number >= 0 else {
          throw scanner.error("nextObjectID is \(text.string), not a number")
        }
        header.lastKey = number
      case .start where scanner.isNamed("metadata"):
        header.metadata = try metadata(&scanner)
      case .start: try scanner.skipContent()
      case .text: continue
      case .end where scanner.depth < depth:
        guard let uuid, !uuid.isEmpty else { throw scanner.error("databaseInfo has no UUID") }
        header.metadata[NSStoreUUIDKey] = uuid
        header.metadata[NSStoreTypeKey] = NSXMLStoreType
        return header
      case .end: continue
      case .finished: throw scanner.error("databaseInfo does not end")
      }
    }
  }

  private static func metadata(_ scanner: inout MarkupScanner) throws -> [String: Any] {
    let start = scanner.tokenStart
    let range = try scanner.skipContent()
    // Before Mac OS X 10.5 models had no version hashes, and the element was empty.
    if scanner.part(range).allSatisfy(\.isMarkupSpace) { return [:] }
    guard let metadata = try? PropertyListReader.read(Array(scanner.part(range))).dictionary
    else { throw scanner.error("the metadata at byte \(start) is not a property list") }
    return metadata.mapValues(\.foundationValue)
  }

  // Objects.

  private static func readObject<Sink: XMLStoreSink & ~Copyable>(
    _ scanner: inout MarkupScanner, _ sink: inout Sink
  ) throws {
    guard let type = try scanner.attribute("type") else { throw scanner.error("an object has no type") }
    guard let id = try scanner.attribute("id"), let key = number(id) else {
      throw scanner.error("an object of \(type.string) has no id")
    }
    try sink.begin(type: type, key: key)
    var keys: [Int64] = []
    while true {
      switch try scanner.next() {
      case .start:
        let isAttribute = scanner.isNamed("attribute")
        guard isAttribute || scanner.isNamed("relationship") else {
          throw scanner.error("<\(scanner.name.string)> in an object")
        }
        guard let name = try scanner.attribute("name") else {
          throw scanner.error("<\(scanner.name.string)> has no name")
        }
        let type = try scanner.attribute("type")
        if isAttribute {
          let encoding = try scanner.attribute("encoding")
          if let encoding, !encoding.isEqual(to: "base64") {
            throw scanner.error("the encoding \(encoding.string) of \(name.string) is unknown")
          }
          try sink.attribute(name: name, type: type, isBase64: encoding != nil, text: try scanner.content())
        } else {
          keys.removeAll(keepingCapacity: true)
          if let references = try scanner.attribute("idrefs") { try append(references, to: &keys, scanner) }
          try sink.relationship(
            name: name, type: type, destination: try scanner.attribute("destination"), keys: keys)
          try scanner.skipContent()
        }
      case .text: continue
      case .end: return try sink.end()
      case .finished: throw scanner.error("an object does not end")
      }
    }
  }

  /// Reads an id such as `z102`.
  private static func number(_ id: MarkupText) -> Int64? {
    guard id.first == UInt8(ascii: "z"), let number = XMLValues.integer(MarkupText(rebasing: id.dropFirst())),
      number > 0
    else { return nil }
    return number
  }

  private static func append(_ ids: MarkupText, to keys: inout [Int64], _ scanner: borrowing MarkupScanner) throws {
    for id in ids.split(whereSeparator: { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D }) {
      guard let key = number(MarkupText(rebasing: id)) else {
        throw scanner.error("\"\(MarkupText(rebasing: id).string)\" is not an id")
      }
      keys.append(key)
    }
  }
}

/// Receives the objects of a document. An error without a line gets the current line.
protocol XMLStoreSink: ~Copyable {
  mutating func begin(type: MarkupText, key: Int64) throws
  mutating func attribute(name: MarkupText, type: MarkupText?, isBase64: Bool, text: MarkupText) throws
  mutating func relationship(name: MarkupText, type: MarkupText?, destination: MarkupText?, keys: [Int64]) throws
  mutating func end() throws
}
