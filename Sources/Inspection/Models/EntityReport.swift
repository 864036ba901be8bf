import DataModelFiles
import Foundation

/// A report on an entity: its properties, and its rows if there is a store.
struct EntityReport {
  /// What the store tells about the entity.
  struct Stored {
    /// Z_ENT; nil in stores that don't number entities.
    var number: Int?
    /// The number of the entity's own rows as the stack counts them; nil if the stack couldn't open the file.
    var rows: Int?
    /// The number of its own rows as SQLite counts them.
    var rowsInFile: Int?
    var agreement: HashAgreement?
    /// The kinds of attributes whose effect on the hash isn't known.
    var unknownKinds = ""
  }

  let entity: DataModel.Entity
  /// The attributes and relationships that the entity inherits.
  let inherited: [String]
  let hash: [UInt8]?
  var stored: Stored?

  init(_ entity: DataModel.Entity, in model: DataModel, hash: [UInt8]?, stored: Stored? = nil) {
    self.entity = entity
    let own = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
    let attributes = model.allAttributes(of: entity).map(\.name).sorted()
    inherited = (attributes + model.allRelationships(of: entity).map(\.name).sorted()).filter {
      !own.contains($0)
    }
    self.hash = hash
    self.stored = stored
  }

  // Text.

  var lines: [String] {
    var lines = [heading]
    var table = TextTable()
    for attribute in entity.attributes.sorted(by: { $0.name < $1.name }) {
      table.add([
        attribute.name, attribute.typeName, attribute.facts.compactMap(\.words).joined(separator: ", "),
      ])
    }
    for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
      table.add([
        relationship.name, relationship.arrow, relationship.facts.compactMap(\.words).joined(separator: ", "),
      ])
    }
    for property in entity.fetchedProperties.sorted(by: { $0.name < $1.name }) {
      table.add([property.name, "fetches \(property.request.entityName)", property.request.condition])
    }
    lines += table.lines(indent: 2)
    if !inherited.isEmpty { lines.append("  inherits " + inherited.joined(separator: ", ")) }
    for names in entity.uniquenessConstraints { lines.append("  unique " + names.joined(separator: ", ")) }
    for index in entity.fetchIndexes { lines.append("  index " + index.words) }
    for names in entity.compoundIndexes { lines.append("  index on " + names.joined(separator: ", ")) }
    return lines
  }

  private var heading: String {
    var facts: [String] = []
    if let number = stored?.number { facts.append("Z_ENT \(number)") }
    if let parent = entity.parentName { facts.append("a kind of \(parent)") }
    if entity.isAbstract { facts.append("abstract") }
    if let name = entity.className, name != "NSManagedObject" { facts.append("class \(name)") }
    if let name = entity.renamingIdentifier, !name.isEmpty { facts.append("formerly \(name)") }
    if let modifier = entity.versionHashModifier, !modifier.isEmpty { facts.append("hash modifier \(modifier)") }
    var line = entity.name + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
    if let rows = rowWords { line += ": \(rows)" }
    if let words = stored?.agreement?.words {
      line += "  [\(words)\(stored?.agreement == .unknown ? stored?.unknownKinds ?? "" : "")]"
    }
    return line
  }

  var rowWords: String? {
    guard let stored else { return nil }
    switch (stored.rows, stored.rowsInFile) {
    case (let rows?, let inFile?) where rows != inFile:
      return "\(counted(rows, "row")), BUT SQLITE COUNTS \(grouped(inFile))"
    case (let rows?, _): return counted(rows, "row")
    case (nil, let inFile?): return "\(counted(inFile, "row")) as SQLite counts"
    case (nil, nil): return nil
    }
  }

  // JSON.

  var json: JSONValue {
    var members: [(String, JSONValue?)] = [
      ("name", .string(entity.name)), ("parent", .text(entity.parentName)),
      ("abstract", .bool(entity.isAbstract)), ("class", .string(entity.className ?? "NSManagedObject")),
    ]
    if let stored {
      members += [
        ("number", .number(stored.number)), ("rows", .number(stored.rows)),
        ("rowsInFile", .number(stored.rowsInFile)),
        ("hash", .text(stored.agreement?.rawValue)),
      ]
    }
    members += [
      ("versionHash", .text(hash?.hexadecimal)),
      (
        "attributes",
        .array(
          entity.attributes.sorted { $0.name < $1.name }.map { attribute in
            EntityReport.object(attribute.name, [("type", .string(attribute.typeName))], attribute.facts)
          })
      ),
      (
        "relationships",
        .array(
          entity.relationships.sorted { $0.name < $1.name }.map { relationship in
            EntityReport.object(relationship.name, [], relationship.facts)
          })
      ),
      ("inherited", .strings(inherited)),
    ]
    if !entity.fetchedProperties.isEmpty {
      members.append(
        ("fetchedProperties", .array(entity.fetchedProperties.map { $0.request.json(named: $0.name) })))
    }
    members.append(("uniquenessConstraints", .array(entity.uniquenessConstraints.map { .strings($0) })))
    members.append(
      (
        "indexes",
        .array(
          entity.fetchIndexes.map { .record(["name": .string($0.name), "on": .string($0.elementWords)]) }
            + entity.compoundIndexes.map {
              .record(["name": .null, "on": .string($0.joined(separator: ", "))])
            })
      ))
    if let name = entity.renamingIdentifier, !name.isEmpty { members.append(("renamedFrom", .string(name))) }
    if let modifier = entity.versionHashModifier, !modifier.isEmpty {
      members.append(("hashModifier", .string(modifier)))
    }
    return .object(members.compactMap { pair in pair.1.map { JSONValue.Member(key: pair.0, value: $0) } })
  }

  private static func object(_ name: String, _ first: [(String, JSONValue)], _ facts: [Fact]) -> JSONValue {
    .object(
      [JSONValue.Member(key: "name", value: .string(name))]
        + first.map { JSONValue.Member(key: $0.0, value: $0.1) }
        + facts.map { JSONValue.Member(key: $0.key, value: $0.value) })
  }
}

/// Whether a store and a model agree on an entity.
enum HashAgreement: String {
  case equal
  case different
  case onlyInStore
  case onlyInModel
  /// The hash can't be computed, because the effect of some attributes on it isn't known.
  case unknown

  var short: String {
    switch self {
    case .equal: "agrees"
    case .different: "differs"
    case .onlyInStore: "only in the store"
    case .onlyInModel: "only in the model"
    case .unknown: "unknown"
    }
  }

  /// The words for a text; nil in the usual case of equal hashes.
  var words: String? {
    switch self {
    case .equal: nil
    case .different: "HASH DIFFERS FROM THE STORE'S"
    case .onlyInStore: "ONLY IN THE STORE"
    case .onlyInModel: "NOT IN THE STORE"
    case .unknown: "hash not comparable: "
    }
  }
}

extension DataModel.FetchRequestTemplate {
  var condition: String {
    var parts: [String] = []
    if let predicateFormat { parts.append("where \(predicateFormat)") }
    if let unreadablePredicate { parts.append("(\(unreadablePredicate))") }
    if fetchLimit > 0 { parts.append("limit \(fetchLimit)") }
    return parts.joined(separator: " ")
  }

  func json(named name: String) -> JSONValue {
    .record([
      "name": .string(name), "entity": .string(entityName),
      "predicate": .text(predicateFormat), "limit": .int(fetchLimit),
    ])
  }
}

extension DataModel.FetchIndex {
  var elementWords: String {
    elements.map { element in
      (element.propertyName ?? element.expression ?? "?") + (element.isAscending ? "" : " descending")
        + (element.type == .rTree ? " (R-tree)" : "")
    }.joined(separator: ", ")
  }

  var words: String { "\(name) on \(elementWords)" + (partialIndexPredicate.map { " where \($0)" } ?? "") }
}

extension Sequence where Element == UInt8 {
  var hexadecimal: String {
    var text = ""
    for byte in self {
      text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    return text
  }
}
