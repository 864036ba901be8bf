import Foundation
import TestDice

/// Thinks of models, data, changes and requests.
struct OracleGenerator {
  var dice: Dice
  var model = OracleModel()
  private var paths: [String: [OraclePath]] = [:]
  /// Objects that constants may name, the deleted and the unsaved among them.
  private(set) var known: [Int: String] = [:]

  init(seed: UInt64) { dice = Dice(state: seed) }

  mutating func makeModel() -> OracleModel {
    var entities: [OracleEntity] = []
    var count = 0
    for index in 0..<(2 + dice.roll(3)) {
      var entity = OracleEntity(name: ["Ant", "Bee", "Cat", "Dog"][index])
      if index > 0, dice.chance(1, in: 3) { entity.parent = entities[dice.roll(index)].name }
      let kinds: [OracleKind] =
        (entity.parent == nil ? [.text, .int32] : [])
        + (0..<(1 + dice.roll(5))).map { _ in
          dice.pick(OracleKind.allCases)
        }
      for kind in kinds {
        count += 1
        let standard = dice.chance(1, in: 6) ? constant(kind) : .null
        entity.attributes.append(
          OracleAttribute(name: "\(kind.rawValue)\(count)", kind: kind, standard: standard))
      }
      entities.append(entity)
    }
    for _ in 0..<(2 + dice.roll(4)) {
      let (a, b) = (dice.roll(entities.count), dice.roll(entities.count))
      let shape = dice.roll(5)
      let names = (
        ["one", "kids", "many", "row", "one"][shape], ["single", "one", "many", "many", "row"][shape]
      )
      count += 2
      let first = names.0 + "\(count - 1)"
      let second = names.1 + "\(count)"
      entities[a].relationships.append(
        OracleRelationship(
          name: first, destination: entities[b].name, inverse: second, isToMany: [1, 2, 3].contains(shape),
          isOrdered: shape == 3))
      entities[b].relationships.append(
        OracleRelationship(
          name: second, destination: entities[a].name, inverse: first, isToMany: [2, 3, 4].contains(shape),
          isOrdered: shape == 4))
    }
    model.entities = entities
    for entity in entities { paths[entity.name] = OraclePath.all(from: entity.name, model) }
    return model
  }

  mutating func makeData() -> OracleData {
    var data = OracleData(model: model)
    var number = 0
    for entity in model.entities {
      for _ in 0..<dice.roll(dice.chance(1, in: 8) ? 13 : 7) {
        number += 1
        data.insert(number, entity.name)
        known[number] = entity.name
      }
    }
    for number in data.numbers {
      for attribute in model.attributes(of: data[number].entity) where !dice.chance(1, in: 5) {
        data.set(number, attribute.name, constant(attribute.kind))
      }
    }
    for number in data.numbers {
      for relationship in model.relationships(of: data[number].entity) where dice.chance(1, in: 2) {
        data.assign(number, relationship.name, members(relationship, data))
      }
    }
    return data
  }

  private mutating func members(_ relationship: OracleRelationship, _ data: OracleData) -> [Int] {
    let others = data.numbers(of: relationship.destination)
    guard !others.isEmpty, !dice.chance(1, in: 6) else { return [] }
    if !relationship.isToMany { return [dice.pick(others)] }
    return Array(others.shuffled(using: &dice).prefix(1 + dice.roll(3)))
  }

  mutating func makeChanges(_ data: OracleData) -> [OracleChange] {
    var changed = data
    var changes: [OracleChange] = []
    var next = 100
    for _ in 0..<(1 + dice.roll(10)) {
      let change: OracleChange
      let numbers = changed.numbers
      if numbers.isEmpty || dice.chance(1, in: 5) {
        next += 1
        let entity = dice.pick(model.entities).name
        known[next] = entity
        change = .insert(next, entity)
      } else {
        let number = dice.pick(numbers)
        let object = changed[number]
        switch dice.roll(8) {
        case 0: change = .delete(number)
        case 1...4:
          let attribute = dice.pick(model.attributes(of: object.entity))
          let clears = attribute.standard.isNull && dice.chance(1, in: 5)
          change = .set(number, attribute.name, clears ? .null : constant(attribute.kind))
        default:
          guard let relationship = model.relationships(of: object.entity).randomElement(using: &dice) else {
            continue
          }
          change = .assign(number, relationship.name, members(relationship, changed))
        }
      }
      change.make(in: &changed)
      changes.append(change)
    }
    return changes
  }

  /// A path from an entity with an end that will do.
  mutating func path(
    from entity: String, many: ClosedRange<Int> = 0...0, _ accepts: (OraclePath) -> Bool
  ) -> OraclePath? {
    let found = paths[entity]!.filter { many.contains($0.many) && accepts($0) }
    // Short ones are more usual.
    let short = found.filter { $0.keys.count <= 1 + many.lowerBound }
    return (dice.chance(3, in: 5) ? short.randomElement(using: &dice) : nil)
      ?? found.randomElement(using: &dice)
  }

  mutating func objectNumber(near entity: String) -> Int? {
    let near = known.keys.sorted().filter { model.isKind(known[$0]!, of: entity) }
    if let number = near.randomElement(using: &dice), !dice.chance(1, in: 6) { return number }
    return known.keys.sorted().randomElement(using: &dice)
  }
}

/// Where a key path leads.
struct OraclePath {
  let keys: [String]
  /// How many relationships to many are on it.
  let many: Int
  /// Its end; nil for a relationship.
  var attribute: OracleAttribute?
  /// The entity of the end, or of the attribute.
  let entity: String
  var endsToMany = false

  /// With up to two relationships, and an attribute behind them or none.
  static func all(from start: String, _ model: OracleModel) -> [OraclePath] {
    var found: [OraclePath] = []
    func explore(_ keys: [String], _ many: Int, _ entity: String) {
      for attribute in model.attributes(of: entity) {
        found.append(
          OraclePath(keys: keys + [attribute.name], many: many, attribute: attribute, entity: entity))
      }
      guard keys.count < 2 else { return }
      for relationship in model.relationships(of: entity) {
        let longer = keys + [relationship.name]
        let count = many + (relationship.isToMany ? 1 : 0)
        found.append(
          OraclePath(
            keys: longer, many: count, entity: relationship.destination, endsToMany: relationship.isToMany))
        explore(longer, count, relationship.destination)
      }
    }
    explore([], 0, start)
    return found
  }
}
