import CoreData
import DataModelFiles
import Foundation

/// The objects of a store and all their values, as a table or as JSON.
///
/// Objects are read only when they are needed. Writing a million of them as JSON takes the memory of a few hundred.
public struct ObjectList {
  /// How many objects a table shows by default.
  public static let tableLimit = 50
  private static let cellWidth = 40

  struct Object {
    let entity: String
    let key: String
    let values: [String: JSONValue]
    /// The texts that a table shows instead of the values.
    let words: [String: String]
  }

  private let url: URL
  private let query: ObjectQuery
  private let columns: [String]
  private let figures: Set<String>
  private let reader: ObjectReader
  /// The number of objects that meet the condition.
  private let total: Int

  /// Counts the objects, but reads none yet.
  public init(_ file: StoreFile, _ query: ObjectQuery) throws {
    guard let context = file.context, let model = context.persistentStoreCoordinator?.managedObjectModel
    else {
      let reason = file.obstacle ?? "its model is not known"
      throw InspectionFailure("The objects of \(file.url.inWords) cannot be read: \(reason)")
    }
    url = file.url
    self.query = query
    let entity = try query.description(in: model, of: file.url)
    columns = entity.attributesByName.keys.sorted() + entity.relationshipsByName.keys.sorted()
    figures = Set(
      entity.attributesByName.values.filter { $0.isFigure }.map(\.name)
        + entity.relationshipsByName.values.filter(\.isToMany).map(\.name))
    let reader = ObjectReader(file, context, query, entity)
    self.reader = reader
    total = try reader.naming { try reader.count() }
  }

  private func forEach(_ body: (Object) throws -> Void) throws {
    try reader.naming { try reader.forEach { try body(Object($0)) } }
  }

  private var leftOut: Int { query.limit.map { max(0, total - $0) } ?? 0 }

  // Text.

  public var text: String {
    get throws {
      var table = TextTable(
        figures: Set(columns.indices.filter { figures.contains(columns[$0]) }.map { $0 + 1 }))
      table.add(["object"] + columns)
      var count = 0
      try forEach { object in
        count += 1
        table.add(
          ["\(object.entity)/\(object.key)"]
            + columns.map { name in
              if let words = object.words[name] { return words }
              return object.values[name].map { $0.cell.inOneLine.cut(to: Self.cellWidth) } ?? ""
            })
      }
      // If no object has a value in a column, the table still shows its name.
      var lines = count == 0 ? [] : table.lines()
      let left = total - count
      lines.append(
        left > 0
          ? "\(grouped(count)) of \(counted(total, "object")); \(grouped(left)) left out"
          : counted(total, "object"))
      return lines.asText
    }
  }

  // JSON.

  private var head: [JSONValue.Member] {
    [
      .init(key: "kind", value: .string("objects")), .init(key: "path", value: .string(url.inWords)),
      .init(key: "entity", value: .string(query.entity)), .init(key: "count", value: .int(total)),
      .init(key: "leftOut", value: .int(leftOut)),
    ]
  }

  private func value(_ object: Object) -> JSONValue {
    .record([
      "object": .string("\(object.entity)/\(object.key)"),
      "values": .object(
        object.values.sorted { $0.key < $1.key }.map { JSONValue.Member(key: $0.key, value: $0.value) }),
    ])
  }

  /// All objects as one value.
  public var json: JSONValue {
    get throws {
      var objects: [JSONValue] = []
      try forEach { objects.append(value($0)) }
      return .object(head + [.init(key: "objects", value: .array(objects))])
    }
  }

  /// Writes the text of `json` object by object.
  public func writeJSON(to write: (String) throws -> Void) throws {
    var text = "{\n"
    for member in head {
      text += "  \(JSONValue.quoted(member.key)): "
      member.value.write(to: &text, level: 1)
      text += ",\n"
    }
    try write(text + "  \"objects\": [")
    var isFirst = true
    try forEach { object in
      var text = isFirst ? "\n    " : ",\n    "
      isFirst = false
      value(object).write(to: &text, level: 2)
      try write(text)
    }
    try write(isFirst ? "]\n}\n" : "\n  ]\n}\n")
  }
}

extension ObjectList.Object {
  init(_ object: NSManagedObject) {
    entity = object.entity.name ?? "-"
    key = object.objectID.key
    var values: [String: JSONValue] = [:]
    var words: [String: String] = [:]
    for (name, attribute) in object.entity.attributesByName {
      guard let value = object.value(forKey: name) else {
        values[name] = .null
        continue
      }
      values[name] = JSONValue(value, of: attribute)
      if let data = value as? Data { words[name] = counted(data.count, "byte") }
    }
    for (name, relationship) in object.entity.relationshipsByName {
      if relationship.isToMany {
        values[name] = .int(object.objectIDs(forRelationshipNamed: name).count)
      } else {
        let id = object.objectIDs(forRelationshipNamed: name).first
        values[name] = id.map { .string("\($0.entity.name ?? "-")/\($0.key)") } ?? .null
      }
    }
    self.values = values
    self.words = words
  }
}

extension JSONValue {
  init(_ value: Any, of attribute: NSAttributeDescription) {
    switch value {
    case let value as String: self = .string(value)
    case let value as Date: self = .string(Moments.text(value))
    case let value as Data: self = .string(value.base64EncodedString())
    case let value as UUID: self = .string(value.uuidString)
    case let value as URL: self = .string(value.absoluteString)
    case let value as NSDecimalNumber: self = .decimal(value.decimalValue)
    case let value as NSNumber:
      switch attribute.attributeType.modelType.notation {
      case .boolean: self = .bool(value.boolValue)
      // A float's shortest text differs from that of the equal double.
      case .real where attribute.attributeType == .floatAttributeType && value.floatValue.isFinite:
        self = .decimal(Decimal(string: "\(value.floatValue)") ?? .nan)
      case .real: self = .double(value.doubleValue)
      case .integer, .decimal, .text, .uuid, .uri, .date, .none: self = .integer(value.int64Value)
      }
    case let value as [String: Any]:
      let elements = (attribute as? NSCompositeAttributeDescription)?.elements ?? []
      self = .object(
        elements.map { element in
          Member(key: element.name, value: value[element.name].map { JSONValue($0, of: element) } ?? .null)
        })
    default: self = .string("\(value)")
    }
  }

  /// The value as text for a table's cell.
  fileprivate var cell: String {
    switch self {
    case .null: ""
    case .bool(let value): value ? "yes" : "no"
    case .string(let value): value
    default: text
    }
  }
}

extension NSAttributeDescription {
  fileprivate var isFigure: Bool {
    switch attributeType.modelType.notation {
    case .integer, .real, .decimal: true
    case .boolean, .text, .uuid, .uri, .date, .none: false
    }
  }
}

extension NSManagedObjectID {
  /// The key in the id's URI, such as `p12`.
  var key: String { uriRepresentation().lastPathComponent }

  var number: Int64 { Int64(key.dropFirst()) ?? .max }
}
