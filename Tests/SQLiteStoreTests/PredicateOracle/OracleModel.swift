import Foundation
import TestDice

extension Dice {
  /// From 0 up to, and without, `sides`.
  mutating func roll(_ sides: Int) -> Int { Int(next() % UInt64(sides)) }

  mutating func chance(_ one: Int, in sides: Int) -> Bool { roll(sides) < one }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }
}

enum OracleKind: String, CaseIterable {
  case int16, int32, int64, double, float, decimal, text, flag, date, uuid, link, bytes

  var isNumber: Bool { [.int16, .int32, .int64, .double, .float, .decimal].contains(self) }
  /// Whether sums of its values are exact, whatever the order: not so with decimal fractions. Sums of integers beyond
  /// 64 bits SQLite refuses.
  var isSummable: Bool { isNumber && self != .decimal && self != .int64 }
}

struct OracleAttribute {
  let name: String
  let kind: OracleKind
  /// What an object has that nobody gave a value.
  var standard = OracleConstant.null
}

struct OracleRelationship {
  let name: String
  let destination: String
  let inverse: String
  var isToMany = false
  var isOrdered = false
}

struct OracleEntity {
  let name: String
  var parent: String?
  var attributes: [OracleAttribute] = []
  var relationships: [OracleRelationship] = []
}

/// A model as plain data.
struct OracleModel: CustomStringConvertible {
  var entities: [OracleEntity] = [] { didSet { index() } }
  private var lines: [String: [OracleEntity]] = [:]

  /// Entities from the root down to the one of that name.
  private mutating func index() {
    func line(_ name: String) -> [OracleEntity] {
      guard let entity = entities.first(where: { $0.name == name }) else { return [] }
      return (entity.parent.map(line) ?? []) + [entity]
    }
    lines = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, line($0.name)) })
  }

  /// An entity's properties, inherited ones included.
  func attributes(of entity: String) -> [OracleAttribute] { lines[entity]!.flatMap(\.attributes) }
  func relationships(of entity: String) -> [OracleRelationship] { lines[entity]!.flatMap(\.relationships) }

  func attribute(_ name: String, of entity: String) -> OracleAttribute? {
    for level in lines[entity]! {
      if let found = level.attributes.first(where: { $0.name == name }) { return found }
    }
    return nil
  }

  func relationship(_ name: String, of entity: String) -> OracleRelationship? {
    for level in lines[entity]! {
      if let found = level.relationships.first(where: { $0.name == name }) { return found }
    }
    return nil
  }

  func isKind(_ entity: String, of other: String) -> Bool { lines[entity]!.contains { $0.name == other } }

  var description: String {
    entities.map { entity in
      let attributes = entity.attributes.map {
        "\($0.name)\($0.standard.isNull ? "" : " = \($0.standard)")"
      }
      let relationships = entity.relationships.map {
        "\($0.name)\($0.isToMany ? $0.isOrdered ? " ->> in order " : " ->> " : " -> ")\($0.destination).\($0.inverse)"
      }
      return "\(entity.name)\(entity.parent.map { ": \($0)" } ?? "") "
        + "{ \((attributes + relationships).joined(separator: "; ")) }"
    }.joined(separator: "\n  ")
  }
}

/// A value as a program writes it.
enum OracleConstant: Hashable, CustomStringConvertible {
  case null
  case flag(Bool)
  case int(Int64)
  case real(Double)
  case decimal(String)
  case text(String)
  /// Seconds since 2001.
  case date(Double)
  case uuid(UUID)
  case link(String)
  case bytes([UInt8])
  /// By its number.
  case object(Int)

  var isNull: Bool { if case .null = self { true } else { false } }

  var description: String {
    switch self {
    case .null: "nil"
    case .flag(let value): value ? "YES" : "NO"
    case .int(let value): "\(value)"
    case .real(let value): "\(value)"
    case .decimal(let value): "Decimal(\(value))"
    case .text(let value): OracleText.quoted(value)
    case .date(let value): "Date(\(value))"
    case .uuid(let value): "UUID(\(value.uuidString.suffix(4)))"
    case .link(let value): "URL(\(value))"
    case .bytes(let value): "Data(\(value))"
    case .object(let number): "#\(number)"
    }
  }
}
