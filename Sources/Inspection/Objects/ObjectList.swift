import CoreData
import Foundation

/// Objects of a store, with all they hold.
public struct ObjectList {
  /// How many objects a table shows where nobody says how many.
  public static let tableLimit = 50
  private static let cellWidth = 40

  fileprivate struct Object {
    let entity: String
    let key: String
    let values: [String: JSONValue]
    /// What a table shows instead of the value.
    let words: [String: String]
  }

  private let url: URL
  private let query: ObjectQuery
  private let columns: [String]
  private let figures: Set<String>
  private var objects: [Object] = []
  /// How many fit the condition.
  private let total: Int

  public init(_ file: StoreFile, _ query: ObjectQuery) throws {
    guard let context = file.context, let model = context.persistentStoreCoordinator?.managedObjectModel
    else {
      let reason = file.obstacle ?? "its model is not known"
      throw InspectionFailure("The objects of \(file.url.path) cannot be read: \(reason)")
    }
    url = file.url
    self.query = query
    let entity = try query.description(in: model, of: file.url)
    columns = entity.attributesByName.keys.sorted() + entity.relationshipsByName.keys.sorted()
    figures = Set(
      entity.attributesByName.values.filter { $0.isFigure }.map(\.name)
        + entity.relationshipsByName.values.filter(\.isToMany).map(\.name))
    (total, objects) = try context.performAndWait {
      do { return try Self.read(context, query, entity) } catch let failure as InspectionFailure {
        throw failure
      } catch {
        let words = reason(error)
        guard let condition = query.condition else {
          throw InspectionFailure("The objects of \(file.url.path) cannot be read: \(words)")
        }
        throw query.failure(error, in: condition, entity)
      }
    }
  }

  private static func read(
    _ context: NSManagedObjectContext, _ query: ObjectQuery, _ entity: NSEntityDescription
  ) throws -> (Int, [Object]) {
    let request = try query.request(entity)
    let total = try context.count(for: request)
    // Without an order of their own, objects come by key.
    let ids = NSFetchRequest<NSManagedObjectID>()
    ids.entity = request.entity
    ids.predicate = request.predicate
    ids.sortDescriptors = request.sortDescriptors
    ids.resultType = .managedObjectIDResultType
    let isOrdered = request.sortDescriptors?.isEmpty == false
    if isOrdered, let limit = query.limit { ids.fetchLimit = limit }
    var found = try context.fetch(ids)
    if !isOrdered {
      found.sort { ($0.number, $0.entity.name ?? "") < ($1.number, $1.entity.name ?? "") }
      if let limit = query.limit { found = Array(found.prefix(limit)) }
    }
    var objects: [Object] = []
    objects.reserveCapacity(found.count)
    for start in stride(from: 0, to: found.count, by: 500) {
      let part = Array(found[start..<min(start + 500, found.count)])
      let rows = NSFetchRequest<NSManagedObject>()
      rows.entity = request.entity
      rows.predicate = NSPredicate(format: "SELF IN %@", part)
      let read = Dictionary(
        try context.fetch(rows).map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
      objects += part.compactMap { read[$0].map(Object.init) }
      context.reset()
    }
    return (total, objects)
  }

  // Text.

  public var text: String {
    var table = TextTable(
      figures: Set(columns.indices.filter { figures.contains(columns[$0]) }.map { $0 + 1 }))
    table.add(["object"] + columns)
    for object in objects {
      table.add(
        ["\(object.entity)/\(object.key)"]
          + columns.map { name in
            if let words = object.words[name] { return words }
            return object.values[name].map { $0.cell.inOneLine.cut(to: Self.cellWidth) } ?? ""
          })
    }
    // A column in which no object has a value still shows its name.
    var lines = objects.isEmpty ? [] : table.lines()
    let left = total - objects.count
    lines.append(
      left > 0
        ? "\(grouped(objects.count)) of \(counted(total, "object")); \(grouped(left)) left out"
        : counted(total, "object"))
    return lines.joined(separator: "\n") + "\n"
  }

  // JSON.

  public var json: JSONValue {
    .record([
      "kind": .string("objects"), "path": .string(url.path), "entity": .string(query.entity),
      "count": .int(total), "leftOut": .int(total - objects.count),
      "objects": .array(
        objects.map { object in
          .record([
            "object": .string("\(object.entity)/\(object.key)"),
            "values": .object(
              object.values.sorted { $0.key < $1.key }.map { JSONValue.Member(key: $0.key, value: $0.value) }),
          ])
        }),
    ])
  }
}

extension ObjectList.Object {
  fileprivate init(_ object: NSManagedObject) {
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
  fileprivate init(_ value: Any, of attribute: NSAttributeDescription) {
    switch value {
    case let value as String: self = .string(value)
    case let value as Date: self = .string(Moments.text(value))
    case let value as Data: self = .string(value.base64EncodedString())
    case let value as UUID: self = .string(value.uuidString)
    case let value as URL: self = .string(value.absoluteString)
    case let value as NSDecimalNumber: self = .decimal(value.decimalValue)
    case let value as NSNumber:
      switch attribute.attributeType {
      case .booleanAttributeType: self = .bool(value.boolValue)
      // The shortest text of a float is not that of the double next to it.
      case .floatAttributeType: self = .decimal(Decimal(string: "\(value.floatValue)") ?? .nan)
      case .doubleAttributeType: self = .double(value.doubleValue)
      default: self = .integer(value.int64Value)
      }
    default: self = .string("\(value)")
    }
  }

  /// The value in a cell of a table.
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
    switch attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
      .doubleAttributeType, .floatAttributeType:
      true
    default: false
    }
  }
}

extension NSManagedObjectID {
  /// `p12`.
  fileprivate var key: String { uriRepresentation().lastPathComponent }

  fileprivate var number: Int64 { Int64(key.dropFirst()) ?? .max }
}
