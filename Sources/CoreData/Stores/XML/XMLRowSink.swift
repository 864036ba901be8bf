internal import DataModelFiles

/// Turns a document's objects into rows.
struct XMLRowSink: XMLStoreSink, ~Copyable {
  var loader: AtomicLoader
  private let entities: [String: XMLEntity]
  private var entity: XMLEntity?
  private var key: Int64 = 0
  /// The index at which the search for the next property begins. Properties usually come in the same order.
  private var place = 0

  init(_ loader: consuming AtomicLoader) {
    entities = Dictionary(
      loader.held.map { ($0.name.uppercased(), XMLEntity($0)) }, uniquingKeysWith: { first, _ in first })
    self.loader = loader
  }

  consuming func finished() -> AtomicLoader { loader }

  mutating func begin(type: MarkupText, key: Int64) throws {
    if entity.map({ !type.isEqual(to: $0.type) }) ?? true {
      let name = type.string
      guard let found = entities[name] ?? entities[name.uppercased()] else {
        throw AtomicProblem.damaged(line: nil, "the object z\(key) is of \(name), which is not an entity of the model")
      }
      entity = found
    }
    self.key = key
    place = 0
    try loader.begin(entity!.layout, key: key)
  }

  mutating func attribute(name: MarkupText, type: MarkupText?, isBase64: Bool, text: MarkupText) throws {
    let property = try property(name)
    guard property.kind != .toOne, property.kind != .toMany else {
      throw problem(name, "is a relationship, but stands there as an attribute")
    }
    if let type, !XMLValues.takes(type, for: property.kind) {
      throw problem(name, "is of type \(type.string), not \(property.kind.fileName)")
    }
    guard loader.builder.isNull(slot: property.slot) else { throw problem(name, "is given twice") }
    guard XMLValues.set(text, isBase64: isBase64, property: property, builder: &loader.builder) else {
      throw problem(
        name,
        "is \(Failure.words(for: text.string)), which is not "
          + (isBase64 ? "base64" : "a value of type \(property.kind.fileName)"))
    }
  }

  mutating func relationship(name: MarkupText, type: MarkupText?, destination: MarkupText?, keys: [Int64]) throws {
    let property = try property(name)
    guard property.kind == .toOne || property.kind == .toMany else {
      throw problem(name, "is an attribute, but stands there as a relationship")
    }
    try loader.relate(property, keys)
  }

  mutating func end() throws { loader.end() }

  private mutating func property(_ name: MarkupText) throws -> LayoutProperty {
    let properties = entity!.properties
    for step in 0..<properties.count {
      let index = place + step < properties.count ? place + step : place + step - properties.count
      if name.isEqual(to: properties[index].name) {
        place = index + 1
        return properties[index].property
      }
    }
    let folded = Array(name.string.lowercased().utf8)
    guard let found = properties.first(where: { $0.name == folded }) else {
      throw problem(name, "is not a stored property of it")
    }
    return found.property
  }

  private func problem(_ name: MarkupText, _ what: String) -> AtomicProblem {
    .damaged(line: nil, "\(name.string) of the object z\(key) of \(entity!.layout.name) \(what)")
  }
}

/// An entity with its name in documents, and the tags that are written for it.
final class XMLEntity {
  struct Property {
    let property: LayoutProperty
    let name: [UInt8]
    /// The start tag up to the `>` before the value, or up to the `idrefs`.
    let tag: [UInt8]
  }

  let layout: EntityLayout
  let type: [UInt8]
  let tag: [UInt8]
  /// The stored properties: attributes, then relationships.
  let properties: [Property]

  init(_ layout: EntityLayout) {
    self.layout = layout
    let name = layout.name.uppercased()
    type = Array(name.utf8)
    tag = Array("    <object type=\"\(XMLEntity.escaped(name))\" id=\"z".utf8)
    properties = layout.properties.compactMap { property in
      guard property.isStoredByItself else { return nil }
      let name = property.name.lowercased()
      let start = "name=\"\(XMLEntity.escaped(name))\" type=\""
      let tag: String
      if property.isRelationship {
        let relationship = property.relationship
        let type = property.kind == .toOne ? "1/1" : "\(relationship.minCount)/\(relationship.maxCount)"
        let destination = XMLEntity.escaped(layout.model.layouts[property.destination].name.uppercased())
        tag = "        <relationship \(start)\(type)\" destination=\"\(destination)\""
      } else {
        tag = "        <attribute \(start)\(property.kind.fileName)\""
      }
      return Property(property: property, name: Array(name.utf8), tag: Array(tag.utf8))
    }
  }

  private static func escaped(_ name: String) -> String {
    var bytes: [UInt8] = []
    Array(name.utf8).withUnsafeBytes { XMLValues.appendEscaped($0, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "\"", with: "&quot;")
  }
}
