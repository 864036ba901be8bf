import DataModelFiles

/// A compiled model's archive as text, one line for each field of each object, so that two can be compared: the
/// order of objects and of fields counts for nothing, classes, keys, values and kinds of values do.
struct ArchiveListing {
  private let objects: [PropertyList]
  private(set) var lines: Set<String> = []
  private var seen: Set<Int> = []

  init(_ bytes: [UInt8]) throws {
    let archive = try BinaryPropertyListReader.read(bytes).dictionary ?? [:]
    objects = archive["$objects"]?.array ?? []
    lines.insert("$version = \(archive["$version"].map(Self.scalar) ?? "-")")
    lines.insert("$archiver = \(archive["$archiver"].map(Self.scalar) ?? "-")")
    if let root = archive["$top"]?.dictionary?["root"]?.uid { list(root, as: "model") }
  }

  private mutating func list(_ index: Int, as name: String) {
    guard seen.insert(index).inserted, let fields = objects[index].dictionary else { return }
    lines.insert("\(name): \(classes(of: fields))")
    for (key, value) in fields where key != "$class" { lines.insert("\(name) \(key) = \(text(value))") }
  }

  private func classes(of fields: [String: PropertyList]) -> String {
    guard let index = fields["$class"]?.uid, let names = objects[index].dictionary?["$classes"]?.array else {
      return "-"
    }
    return names.compactMap(\.string).joined(separator: " < ")
  }

  private func string(_ value: PropertyList?) -> String? { value?.uid.flatMap { objects[$0].string } }

  /// A value in one line. Entities, properties and the model are named, and listed on lines of their own.
  private mutating func text(_ value: PropertyList) -> String {
    guard let index = value.uid else {
      if let elements = value.array { return "[" + elements.map { text($0) }.joined(separator: ", ") + "]" }
      return Self.scalar(value)
    }
    guard index != 0 else { return "null" }
    guard let fields = objects[index].dictionary else { return "-> " + Self.scalar(objects[index]) }
    if let name = string(fields["NSEntityName"]) {
      list(index, as: name)
      return "-> entity \(name)"
    }
    if let name = string(fields["NSPropertyName"]), let entity = fields["NSEntity"]?.uid {
      let owner = string(objects[entity].dictionary?["NSEntityName"]) ?? "-"
      list(index, as: "\(owner).\(name)")
      return "-> property \(owner).\(name)"
    }
    if fields["NSEntities"] != nil { return "-> model" }
    if let name = string(fields["NSIndexName"]), seen.contains(index) { return "-> index \(name)" }
    if fields["NSIndexName"] != nil { seen.insert(index) }
    if let keys = fields["NS.keys"]?.array, let values = fields["NS.objects"]?.array {
      let entries = zip(keys, values).map { "\(text($0)): \(text($1))" }.sorted()
      return "\(classes(of: fields)) {\(entries.joined(separator: ", "))}"
    }
    let parts = fields.filter { $0.key != "$class" }.sorted { $0.key < $1.key }.map { "\($0): \(text($1))" }
    return "\(classes(of: fields)) {\(parts.joined(separator: ", "))}"
  }

  private static func scalar(_ value: PropertyList) -> String {
    switch value {
    case .boolean(let flag): "bool \(flag)"
    case .integer(let number): "int \(number)"
    case .real(let number): "real \(number)"
    case .date(let seconds): "date \(seconds)"
    case .data(let bytes): "data \(bytes.count) bytes"
    case .string(let text): "\"\(text)\""
    case .uid(let index): "uid \(index)"
    case .array, .dictionary: "container"
    }
  }
}
