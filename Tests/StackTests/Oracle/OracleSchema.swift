import Foundation

/// The model of the model-based tests, as plain data: the oracle reads it as it is, and the driver makes the
/// managed object model from it.
struct OracleEntity {
  let name: String
  var parent: String?
  var attributes: [OracleAttribute] = []
  var relationships: [OracleRelationship] = []
}

struct OracleAttribute {
  enum Kind { case integer, real, text, flag }
  let name: String
  let kind: Kind
  var isOptional = true
  var standard = OracleValue.null
  /// What a number may be, or how long a text.
  var limits: ClosedRange<Int>?
}

struct OracleRelationship {
  enum DeleteRule { case noAction, nullify, cascade, deny }
  let name: String
  let destination: String
  let inverse: String
  var isToMany = false
  var isOrdered = false
  var isOptional = true
  var rule = DeleteRule.nullify
}

/// The value of an attribute.
enum OracleValue: Hashable, CustomStringConvertible {
  case null
  case integer(Int)
  case real(Double)
  case text(String)
  case flag(Bool)

  var description: String {
    switch self {
    case .null: "nil"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "\"\(value)\""
    case .flag(let value): "\(value)"
    }
  }
}

struct OracleSchema {
  let entities: [OracleEntity]
  private let attributesOf: [String: [OracleAttribute]]
  private let relationshipsOf: [String: [OracleRelationship]]
  private let kindsOf: [String: Set<String>]

  init(_ entities: [OracleEntity]) {
    self.entities = entities
    func line(_ name: String) -> [OracleEntity] {
      let entity = entities.first { $0.name == name }!
      return (entity.parent.map(line) ?? []) + [entity]
    }
    let lines = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, line($0.name)) })
    attributesOf = lines.mapValues { $0.flatMap(\.attributes) }
    relationshipsOf = lines.mapValues { $0.flatMap(\.relationships) }
    kindsOf = Dictionary(
      uniqueKeysWithValues: entities.map { entity in
        (entity.name, Set(lines.filter { $0.value.contains { $0.name == entity.name } }.keys))
      })
  }

  /// An entity's properties, inherited ones included.
  func attributes(of entity: String) -> [OracleAttribute] { attributesOf[entity]! }
  func relationships(of entity: String) -> [OracleRelationship] { relationshipsOf[entity]! }

  func relationship(_ name: String, of entity: String) -> OracleRelationship {
    relationshipsOf[entity]!.first { $0.name == name }!
  }

  func inverse(of relationship: OracleRelationship) -> OracleRelationship {
    self.relationship(relationship.inverse, of: relationship.destination)
  }

  /// An entity and those under it.
  func kinds(of entity: String) -> Set<String> { kindsOf[entity]! }

  /// Shelf.items <->> Item.shelf; Item.tags <<->> Tag.items; Shelf.row <->> Book.rowOf in order;
  /// Shelf.label <-> Label.shelf; Label.tools <->> Tool.user; Tag.children <->> Tag.parent; Shelf.picks <<->>
  /// Tag.pickedBy, in order on one side. Book and Tool are kinds of Item.
  static let house = OracleSchema([
    OracleEntity(
      name: "Item",
      attributes: [
        .init(name: "serial", kind: .integer),
        .init(name: "title", kind: .text, limits: 0...4),
        .init(
          name: "count", kind: .integer, isOptional: false, standard: .integer(0), limits: 0...9),
      ],
      relationships: [
        .init(name: "shelf", destination: "Shelf", inverse: "items"),
        .init(name: "tags", destination: "Tag", inverse: "items", isToMany: true),
      ]),
    OracleEntity(
      name: "Book", parent: "Item", attributes: [.init(name: "isRead", kind: .flag)],
      relationships: [.init(name: "rowOf", destination: "Shelf", inverse: "row")]),
    OracleEntity(
      name: "Tool", parent: "Item", attributes: [.init(name: "weight", kind: .real)],
      relationships: [.init(name: "user", destination: "Label", inverse: "tools")]),
    OracleEntity(
      name: "Shelf",
      attributes: [
        .init(name: "serial", kind: .integer),
        .init(name: "title", kind: .text, isOptional: false, standard: .text("new"), limits: 1...4),
        .init(name: "count", kind: .integer),
      ],
      relationships: [
        .init(name: "items", destination: "Item", inverse: "shelf", isToMany: true, rule: .cascade),
        .init(name: "row", destination: "Book", inverse: "rowOf", isToMany: true, isOrdered: true),
        .init(name: "label", destination: "Label", inverse: "shelf", rule: .cascade),
        .init(
          name: "picks", destination: "Tag", inverse: "pickedBy", isToMany: true, isOrdered: true),
      ]),
    OracleEntity(
      name: "Label",
      attributes: [
        .init(name: "serial", kind: .integer), .init(name: "title", kind: .text),
        .init(name: "count", kind: .integer),
      ],
      relationships: [
        .init(name: "shelf", destination: "Shelf", inverse: "label", isOptional: false),
        .init(name: "tools", destination: "Tool", inverse: "user", isToMany: true, rule: .noAction),
      ]),
    OracleEntity(
      name: "Tag",
      attributes: [
        .init(name: "serial", kind: .integer), .init(name: "title", kind: .text),
        .init(name: "count", kind: .integer, limits: 0...9),
      ],
      relationships: [
        .init(name: "items", destination: "Item", inverse: "tags", isToMany: true),
        .init(name: "pickedBy", destination: "Shelf", inverse: "picks", isToMany: true),
        .init(name: "parent", destination: "Tag", inverse: "children"),
        .init(name: "children", destination: "Tag", inverse: "parent", isToMany: true, rule: .deny),
      ]),
  ])
}
