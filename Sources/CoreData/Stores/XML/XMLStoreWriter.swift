internal import DataModelFiles

/// Writes a store's document.
struct XMLStoreWriter {
  private let layouts: ModelLayouts
  private let entities: [XMLEntity]
  private var output: [UInt8] = []

  init(_ layouts: ModelLayouts) {
    self.layouts = layouts
    entities = layouts.layouts.map(XMLEntity.init)
  }

  mutating func begin(_ header: AtomicHeader) throws {
    output.append("<?xml version=\"1.0\"?>\n")
    output.append("<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n\n<database>\n    ")
    try XMLStoreWriter.append(header, to: &output)
    output.append("\n")
  }

  consuming func finish() -> [UInt8] {
    output.append("</database>")
    return output
  }

  // Objects.

  /// Writes all rows in the order of their numbers.
  mutating func append(_ rows: AtomicRows) {
    for row in rows.sorted { append(row, rows) }
  }

  private mutating func append(_ row: RowSnapshot, _ rows: AtomicRows) {
    let entity = entities[row.entity]
    output += entity.tag
    output.append(decimal: rows.number(of: row.reference))
    output.append("\">\n")
    for property in entity.properties {
      switch property.property.kind.role {
      case .toOne, .toMany: append(rows.destinations(of: property.property, row), property: property, rows: rows)
      case .attribute, .fetched, .composite: if !row.isNull(slot: property.property.slot) { append(row, property) }
      }
    }
    output.append("    </object>\n")
  }

  private mutating func append(
    _ members: [RowReference], property: XMLEntity.Property, rows: AtomicRows
  ) {
    output += property.tag
    if !members.isEmpty {
      output.append(" idrefs=\"")
      for (index, member) in members.enumerated() {
        output.append(index == 0 ? "z" : " z")
        output.append(decimal: rows.number(of: member))
      }
      output.append("\"")
    }
    output.append("></relationship>\n")
  }

  private mutating func append(_ row: RowSnapshot, _ property: XMLEntity.Property) {
    output += property.tag
    switch property.property.form {
    case .text:
      let text = row.tail(word: property.property.word)
      if XMLValues.isWritable(text) {
        output.append(">")
        XMLValues.appendText(text, to: &output)
      } else {
        output.append(" encoding=\"base64\">")
        Base64.append(text, to: &output)
      }
    case .integer, .real, .uuid, .decimal, .bytes, .destination, .none:
      output.append(">")
      XMLValues.append(row, property.property, to: &output)
    }
    output.append("</attribute>\n")
  }

  // The header.

  /// Writes the element `databaseInfo`, which is indented by one step.
  static func append(_ header: AtomicHeader, to output: inout [UInt8]) throws {
    var metadata = header.metadata
    metadata[NSStoreUUIDKey] = nil
    metadata[NSStoreTypeKey] = nil
    let list: PropertyList
    do {
      let data = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
      list = try BinaryPropertyListReader.read(Array(data))
    } catch {
      throw AtomicProblem.metadata("it has a value that a property list can't hold")
    }
    output.append("<databaseInfo>\n        <version>")
    output.append(decimal: XMLStoreDocument.version)
    output.append("</version>\n        <UUID>")
    output.append(header.uuid)
    output.append("</UUID>\n        <nextObjectID>")
    output.append(decimal: header.lastKey)
    output.append("</nextObjectID>\n        <metadata>\n            <plist version=\"1.0\">\n")
    try append(list, 4, to: &output)
    output.append("            </plist>\n        </metadata>\n    </databaseInfo>")
  }

  private static func append(_ list: PropertyList, _ depth: Int, to output: inout [UInt8]) throws {
    let space = String(repeating: "    ", count: depth)
    output.append(space)
    switch list {
    case .boolean(let flag): output.append(flag ? "<true/>\n" : "<false/>\n")
    case .integer(let number): output.append("<integer>\(number)</integer>\n")
    case .real(let number): output.append("<real>\(number)</real>\n")
    case .date(let seconds):
      // A date in this form has whole seconds only.
      let text = ISO8601DateFormatter().string(from: Date(timeIntervalSinceReferenceDate: seconds))
      output.append("<date>\(text)</date>\n")
    case .data(let bytes):
      output.append("<data>\n\t\t")
      bytes.withUnsafeBytes { Base64.append($0, to: &output) }
      output.append("\n\t\t</data>\n")
    case .string(let text): try append("string", text, to: &output)
    case .uid: throw AtomicProblem.metadata("it has a reference of a keyed archive")
    case .array(let elements):
      output.append("<array>\n")
      for element in elements { try append(element, depth + 1, to: &output) }
      output.append("\(space)</array>\n")
    case .dictionary(let entries):
      output.append("<dict>\n")
      for (key, value) in entries.sorted(on: \.key) {
        output.append("\(space)    ")
        try append("key", key, to: &output)
        try append(value, depth + 1, to: &output)
      }
      output.append("\(space)</dict>\n")
    }
  }

  private static func append(_ element: String, _ text: String, to output: inout [UInt8]) throws {
    output.append("<\(element)>")
    try Array(text.utf8).withUnsafeBytes { bytes in
      guard XMLValues.isWritable(bytes) else {
        throw AtomicProblem.metadata("\(Failure.words(for: text)) has a character that XML does not know")
      }
      XMLValues.appendEscaped(bytes, to: &output)
    }
    output.append("</\(element)>\n")
  }
}
