import CoreData
import Foundation
import StepFrames
import StoreFileReader

/// Prints what contexts hold and what the file has, a frame at a time, for the book's steppers.
///
///     let steps = try StepRecorder(
///       "Set one end", contexts: ["context": context], objects: ["Author": "name, books", "Book": "title, author"],
///       file: url, tables: ["ZAUTHOR": "Z_PK, ZNAME", "ZBOOK": "Z_PK, ZTITLE, ZAUTHOR"])
///     wizard.author = leGuin
///     try steps.frame("You set wizard.author")
///
/// Each frame is one line of JSON on standard output; see `StepFrame`. With `-com.apple.CoreData.SQLDebug 3` the SQL
/// stands between them. Make the recorder when the story begins: what ran before is left out.
///
/// A frame is the same on every run as long as the objects are: entities stand in the order in which you list them,
/// objects in the order of their rows, new ones behind them in the order in which they were made.
///
/// Looking fires no fault and reads no set that hasn't been read. Reading a to-one relationship makes a fault of its
/// destination, as it does when you read it. Call `frame(_:)` where you may wait for the contexts' queues.
public struct StepRecorder {
  private let contexts: [(name: String, context: NSManagedObjectContext)]
  private let objects: [(entity: String, keys: [String])]
  private let file: URL
  private let tables: [(name: String, columns: [String])]
  private let names = Names()
  private let print: (String) -> Void

  /// The names that faults had before they became faults. Each context has its own: what one has read, another has not.
  private final class Names {
    struct Key: Hashable {
      var context: Int
      var id: NSManagedObjectID
    }
    var known: [Key: String] = [:]
  }

  /// - Parameters:
  ///   - title: What the frames show, in a few words.
  ///   - contexts: Those to look at, with their names.
  ///   - objects: The entities to show, each with the properties to show, between commas. The first is the attribute by
  ///     which readers tell objects apart. Other entities are left out.
  ///   - file: The store's file.
  ///   - tables: The tables to show, each with the columns to show, between commas. The first sorts the rows.
  ///   - print: Takes the lines; else they go to standard output.
  public init(
    _ title: String, contexts: KeyValuePairs<String, NSManagedObjectContext>,
    objects: KeyValuePairs<String, String>, file: URL, tables: KeyValuePairs<String, String>,
    print: @escaping (String) -> Void = { Swift.print($0) }
  ) throws {
    self.contexts = contexts.map { (name: $0.key, context: $0.value) }
    self.objects = objects.map { (entity: $0.key, keys: Self.list($0.value)) }
    self.file = file
    self.tables = tables.map { (name: $0.key, columns: Self.list($0.value)) }
    self.print = print
    print(try Self.line(StepHeading(recording: title)))
  }

  /// Prints what the contexts and the file hold now.
  ///
  /// - Parameter caption: What you have just done, as a sentence to the reader.
  /// - Throws: `StoreFileError` if the file can't be read.
  public func frame(_ caption: String) throws {
    let frame = StepFrame(
      caption: caption,
      contexts: contexts.indices.map { index in
        let (name, context) = contexts[index]
        return context.performAndWait { StepFrame.Context(name: name, objects: shown(of: context, number: index)) }
      },
      tables: try rows())
    print(try Self.line(frame))
  }

  // MARK: Objects

  private func shown(of context: NSManagedObjectContext, number: Int) -> [StepFrame.Object] {
    // Reading to-one relationships registers their destinations, so the second look may find more: faults.
    var values: [NSManagedObject: [StepFrame.Value]] = [:]
    let readable = context.registeredObjects.filter { !$0.isFault && keys(of: $0) != nil }
    for object in readable { remember(object, number) }
    for object in readable { values[object] = self.values(of: object, number) }
    return sorted(context.registeredObjects).map { object in
      StepFrame.Object(
        entity: object.entity.name ?? "", name: name(of: object, number), row: row(of: object),
        state: state(of: object), values: object.isFault ? [] : values[object] ?? [])
    }
  }

  private func keys(of object: NSManagedObject) -> [String]? { objects.first { $0.entity == object.entity.name }?.keys }

  private func sorted(_ objects: Set<NSManagedObject>) -> [NSManagedObject] {
    let places = Dictionary(uniqueKeysWithValues: self.objects.enumerated().map { ($0.element.entity, $0.offset) })
    let placed = objects.compactMap { object in
      places[object.entity.name ?? ""].map {
        (object: object, order: [$0, row(of: object) ?? .max, number(of: object)])
      }
    }
    return placed.sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.object)
  }

  private func remember(_ object: NSManagedObject, _ context: Int) {
    guard let key = keys(of: object)?.first, let value = object.value(forKey: key) else { return }
    names.known[Names.Key(context: context, id: object.objectID)] = text(of: value, key, in: object)
  }

  private func name(of object: NSManagedObject, _ context: Int) -> String? {
    names.known[Names.Key(context: context, id: object.objectID)]
  }

  private func state(of object: NSManagedObject) -> StepFrame.Object.State {
    if object.isDeleted { return .deleted }
    if object.isInserted { return .inserted }
    if object.isFault { return .fault }
    return object.isUpdated ? .updated : .clean
  }

  /// The digits at the end of an id's URI: a row's key, or how many objects were made before this one.
  private func number(of object: NSManagedObject) -> Int {
    let text = object.objectID.uriRepresentation().lastPathComponent
    return Int(String(text.reversed().prefix(while: \.isNumber).reversed())) ?? 0
  }

  private func row(of object: NSManagedObject) -> Int? {
    object.objectID.isTemporaryID ? nil : number(of: object)
  }

  // MARK: Values

  private func values(of object: NSManagedObject, _ context: Int) -> [StepFrame.Value] {
    (keys(of: object) ?? []).map { key in
      var value = StepFrame.Value(key: key, text: "", isChanged: object.isUpdated && isChanged(key, in: object))
      if let relationship = object.entity.relationshipsByName[key] {
        let members = members(of: relationship, key, in: object, context)
        value.destinations = members?.map { member in
          "\(member.entity.name ?? "")/\(row(of: member).map(String.init) ?? "new \(label(of: member, context))")"
        }.sorted()
        let nothing = relationship.isToMany ? "none" : "nil"
        value.text =
          members.map { $0.isEmpty ? nothing : $0.map { label(of: $0, context) }.joined(separator: ", ") } ?? "not read"
      } else {
        value.text = text(of: object.value(forKey: key), key, in: object)
      }
      return value
    }
  }

  /// Unlike `changedValues()`, which reads the members of changed sets, this reads nothing.
  private func isChanged(_ key: String, in object: NSManagedObject) -> Bool {
    if object.entity.relationshipsByName[key]?.isToMany == true, object.hasFault(forRelationshipNamed: key) {
      return false
    }
    let saved = object.committedValues(forKeys: [key])[key].flatMap { $0 is NSNull ? nil : $0 as? AnyHashable }
    return saved != object.value(forKey: key) as? AnyHashable
  }

  /// Where a relationship leads, sorted by name unless it has an order; nil for a set that hasn't been read.
  private func members(
    of relationship: NSRelationshipDescription, _ key: String, in object: NSManagedObject, _ context: Int
  ) -> [NSManagedObject]? {
    // A new object has no rows that could be read.
    if relationship.isToMany, object.hasFault(forRelationshipNamed: key), !object.isInserted { return nil }
    switch object.value(forKey: key) {
    case let destination as NSManagedObject: return [destination]
    case let ordered as NSOrderedSet: return ordered.array as? [NSManagedObject]
    case let set as Set<NSManagedObject>: return set.sorted { label(of: $0, context) < label(of: $1, context) }
    default: return []
    }
  }

  private func label(of object: NSManagedObject, _ context: Int) -> String {
    if let name = name(of: object, context) { return name }
    return row(of: object).map { "row \($0)" } ?? "a new \(object.entity.name ?? "object")"
  }

  private func text(of value: Any?, _ key: String, in object: NSManagedObject) -> String {
    switch value {
    case nil: "nil"
    case let truth as Bool where object.entity.attributesByName[key]?.attributeType == .booleanAttributeType: "\(truth)"
    case let date as Date: date.formatted(.iso8601)
    case let data as Data: "\(data.count) bytes"
    case let value?: "\(value)"
    }
  }

  // MARK: Rows

  private func rows() throws -> [StepFrame.Table] {
    guard !tables.isEmpty else { return [] }
    let reader = try StoreFileReader(contentsOf: file)
    let existing = Set(try reader.tables())
    return try tables.filter { existing.contains($0.name) }.map { table in
      let rows = try reader.rows(
        "SELECT \(table.columns.joined(separator: ", ")) FROM \(StoreFileReader.quoted(table.name)) ORDER BY 1")
      return StepFrame.Table(name: table.name, columns: table.columns, rows: rows.map { $0.map(\.description) })
    }
  }

  // MARK: Lines

  private static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
