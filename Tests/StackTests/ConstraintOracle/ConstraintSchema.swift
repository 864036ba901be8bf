import CoreData
import Foundation

/// What the random graphs are made of: shelves with items, which they take along when they are deleted; parts, which
/// are items; and notes about items, which outlive them.
enum ThingKind: String, CaseIterable {
  case shelf = "Shelf"
  case item = "Item"
  case part = "Part"
  case note = "Note"

  /// The kinds whose constraints hold for it.
  var lineage: [ThingKind] { self == .part ? [.item, .part] : [self] }

  /// Properties that must differ, each time all together.
  var constraints: [[String]] {
    switch self {
    case .shelf: [["code"]]
    case .item: [["mail"], ["a", "b"], ["shelf", "b"]]
    // Items may have the same `extra`, parts not; `a` is inherited too.
    case .part: [["extra"], ["a", "tag"]]
    case .note: [["name"], ["item", "rank"]]
    }
  }

  /// Values of attributes, numbers of objects for relationships.
  var fields: [String] {
    switch self {
    case .shelf: ["code"]
    case .item: ["mail", "a", "b", "extra", "shelf"]
    case .part: ["mail", "a", "b", "extra", "shelf", "tag"]
    case .note: ["name", "rank", "item"]
    }
  }

  static func destination(of field: String) -> [ThingKind]? {
    switch field {
    case "shelf": [.shelf]
    case "item": [.item, .part]
    default: nil
    }
  }

  /// Each attribute has a type of its own.
  static func value(_ number: Int, of field: String) -> Any {
    switch field {
    case "code": URL(string: "code:\(number)")!
    case "mail": "m\(number)"
    case "a", "rank": number
    case "b": Double(number) / 4
    case "extra": Date(timeIntervalSinceReferenceDate: Double(number))
    // One number, whatever its zeros.
    case "tag":
      Decimal(
        sign: .plus, exponent: number % 2 - 1,
        significand: number % 2 == 0 ? Decimal(number * 10) : Decimal(number))
    default: UUID(uuidString: "00000000-0000-0000-0000-\(100_000_000_000 + number)")!
    }
  }

  static func number(_ value: Any?, of field: String) -> Int? {
    guard let value else { return nil }
    switch field {
    case "code": return Int((value as! URL).absoluteString.dropFirst(5))
    case "mail": return Int((value as! String).dropFirst())
    case "a", "rank": return (value as! NSNumber).intValue
    case "b": return Int((value as! NSNumber).doubleValue * 4)
    case "extra": return Int((value as! Date).timeIntervalSinceReferenceDate)
    case "tag": return (value as! NSDecimalNumber).intValue
    default: return Int((value as! UUID).uuidString.suffix(12))! - 100_000_000_000
    }
  }

  static func model() -> NSManagedObjectModel {
    let shelf = entity("Shelf", [attribute("code", .URIAttributeType)])
    let item = entity(
      "Item",
      [
        attribute("mail"), attribute("a", .integer16AttributeType), attribute("b", .doubleAttributeType),
        attribute("extra", .dateAttributeType),
      ])
    let part = entity("Part", [attribute("tag", .decimalAttributeType)])
    let note = entity(
      "Note", [attribute("name", .UUIDAttributeType), attribute("rank", .integer64AttributeType)])
    item.subentities = [part]
    join(
      relate(shelf, "items", .many, to: item, rule: .cascadeDeleteRule),
      relate(item, "shelf", .one, to: shelf))
    join(relate(item, "notes", .many, to: note), relate(note, "item", .one, to: item))
    let entities = [shelf, item, part, note]
    for (entity, kind) in zip(entities, ThingKind.allCases) {
      entity.uniquenessConstraints = kind.constraints
    }
    return CoreDataTestModel.make(entities)
  }
}

/// The helper `model(_:)` under a name that the method above does not hide.
private enum CoreDataTestModel {
  static func make(_ entities: [NSEntityDescription]) -> NSManagedObjectModel { model(entities) }
}

/// An object as plain values; a field that is nil is absent.
struct Thing: Equatable, CustomStringConvertible {
  let kind: ThingKind
  var fields: [String: Int] = [:]

  func values(of constraint: [String]) -> [Int]? {
    let values = constraint.compactMap { fields[$0] }
    return values.count == constraint.count ? values : nil
  }

  var description: String {
    let list = fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return "\(kind.rawValue)(\(list))"
  }
}

/// Objects by number; later ones have higher numbers.
typealias ThingGraph = [Int: Thing]

enum ThingEdit: CustomStringConvertible {
  case insert(Int, ThingKind)
  case set(Int, String, Int?)
  case delete(Int)

  var description: String {
    switch self {
    case .insert(let number, let kind): "insert \(kind.rawValue) \(number)"
    case .set(let number, let field, let value): "set \(number).\(field) = \(value.map { "\($0)" } ?? "nil")"
    case .delete(let number): "delete \(number)"
    }
  }
}

/// One save, and what leads to it.
struct ConstraintRound: CustomStringConvertible {
  var policy: NSMergePolicyType
  /// What the context has read before the other one saves, which leaves it alone.
  var read: Set<Int> = []
  /// Saved by another context, under the error policy.
  var other: [ThingEdit] = []
  /// Made in a child, or a child's child, and saved up to the context before its own edits.
  var child: [ThingEdit] = []
  var depth = 1
  var edits: [ThingEdit] = []

  var description: String {
    func lines(_ title: String, _ edits: [ThingEdit]) -> String {
      edits.isEmpty ? "" : "\n    \(title): " + edits.map(\.description).joined(separator: "; ")
    }
    return "policy \(policy), read \(read.sorted())" + lines("elsewhere", other)
      + lines("child, \(depth) deep", child)
      + lines("here", edits)
  }
}
