import Foundation

struct OracleObject {
  let entity: String
  var values: [String: OracleConstant] = [:]
  /// One member or none of a to-one relationship.
  var links: [String: [Int]] = [:]
}

/// Objects by number, and the rules of inverses and of deletion, which nullifies.
struct OracleData: CustomStringConvertible {
  var model: OracleModel
  private(set) var objects: [Int: OracleObject] = [:]
  var numbers: [Int] { objects.keys.sorted() }

  subscript(number: Int) -> OracleObject { objects[number]! }

  func numbers(of entity: String, withKinds: Bool = true) -> [Int] {
    numbers.filter {
      withKinds ? model.isKind(objects[$0]!.entity, of: entity) : objects[$0]!.entity == entity
    }
  }

  mutating func insert(_ number: Int, _ entity: String) {
    var object = OracleObject(entity: entity)
    for attribute in model.attributes(of: entity) { object.values[attribute.name] = attribute.standard }
    objects[number] = object
  }

  mutating func set(_ number: Int, _ key: String, _ value: OracleConstant) {
    objects[number]!.values[key] = value
  }

  /// Makes `members` those of a relationship, and the inverse follow.
  mutating func assign(_ number: Int, _ name: String, _ members: [Int]) {
    let relationship = model.relationship(name, of: self[number].entity)!
    let inverse = model.relationship(relationship.inverse, of: relationship.destination)!
    for member in objects[number]!.links[name] ?? [] where !members.contains(member) {
      objects[member]!.links[inverse.name]?.removeAll { $0 == number }
    }
    let before = objects[number]!.links[name] ?? []
    objects[number]!.links[name] = members
    for member in members where !before.contains(member) {
      if !inverse.isToMany {
        for former in objects[member]!.links[inverse.name] ?? [] where former != number {
          objects[former]!.links[name]?.removeAll { $0 == member }
        }
        objects[member]!.links[inverse.name] = [number]
      } else if !(objects[member]!.links[inverse.name] ?? []).contains(number) {
        objects[member]!.links[inverse.name, default: []].append(number)
      }
    }
  }

  mutating func delete(_ number: Int) {
    objects[number] = nil
    for other in objects.keys {
      for name in objects[other]!.links.keys { objects[other]!.links[name]!.removeAll { $0 == number } }
    }
  }

  /// Only what a model still has.
  func reduced(to model: OracleModel) -> OracleData {
    var data = self
    data.model = model
    for number in numbers {
      guard model.entities.contains(where: { $0.name == self[number].entity }) else {
        data.delete(number)
        continue
      }
      let attributes = Set(model.attributes(of: self[number].entity).map(\.name))
      let relationships = Set(model.relationships(of: self[number].entity).map(\.name))
      data.objects[number]!.values = self[number].values.filter { attributes.contains($0.key) }
      data.objects[number]!.links = data[number].links.filter { relationships.contains($0.key) }
    }
    return data
  }

  var description: String {
    numbers.map { number in
      let object = self[number]
      let values = object.values.filter { !$0.value.isNull }.sorted { $0.key < $1.key }
        .map { "\($0.key) = \($0.value)" }
      let links = object.links.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        .map { "\($0.key) = \($0.value.map { "#\($0)" }.joined(separator: " "))" }
      return "#\(number) \(object.entity) { \((values + links).joined(separator: "; ")) }"
    }.joined(separator: "\n  ")
  }
}

/// A change that is not saved.
enum OracleChange: CustomStringConvertible {
  case insert(Int, String)
  case set(Int, String, OracleConstant)
  case assign(Int, String, [Int])
  case delete(Int)

  /// Whether the objects and properties that it needs exist.
  func isPossible(in data: OracleData) -> Bool {
    func has(_ number: Int) -> Bool { data.objects[number] != nil }
    switch self {
    case .insert(let number, let entity):
      return !has(number) && data.model.entities.contains { $0.name == entity }
    case .set(let number, let key, _): return has(number) && data[number].values[key] != nil
    case .assign(let number, let name, let members):
      return has(number) && members.allSatisfy(has)
        && data.model.relationship(name, of: data[number].entity) != nil
    case .delete(let number): return has(number)
    }
  }

  func make(in data: inout OracleData) {
    switch self {
    case .insert(let number, let entity): data.insert(number, entity)
    case .set(let number, let key, let value): data.set(number, key, value)
    case .assign(let number, let name, let members): data.assign(number, name, members)
    case .delete(let number): data.delete(number)
    }
  }

  var description: String {
    switch self {
    case .insert(let number, let entity): "insert \(entity) #\(number)"
    case .set(let number, let key, let value): "#\(number).\(key) = \(value)"
    case .assign(let number, let name, let members):
      "#\(number).\(name) = [\(members.map { "#\($0)" }.joined(separator: ", "))]"
    case .delete(let number): "delete #\(number)"
    }
  }
}
