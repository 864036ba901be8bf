import Foundation

/// What the rules of these tests do not say: a step that leads there is not taken.
struct Unspecified: Error {
  let why: String
  init(_ why: String) { self.why = why }
}

/// An object as values. Objects are known by number.
struct OracleRecord: Equatable {
  let entity: String
  var values: [String: OracleValue]
  /// Where each relationship leads: in order if it is ordered, else by number; one number at most for a
  /// to-one.
  var links: [String: [Int]]

  /// A new object: default values, and no relationships.
  init(_ entity: String, number: Int) {
    self.entity = entity
    values = Dictionary(
      uniqueKeysWithValues: OracleSchema.house.attributes(of: entity).map { ($0.name, $0.standard) }
    )
    values["serial"] = .integer(number)
    links = Dictionary(
      uniqueKeysWithValues: OracleSchema.house.relationships(of: entity).map { ($0.name, []) })
  }

  /// The properties in which two records differ.
  func differences(from other: OracleRecord?) -> Set<String> {
    guard let other else { return Set(values.keys).union(links.keys) }
    var keys = Set<String>()
    for (key, value) in values where other.values[key] != value { keys.insert(key) }
    for (key, value) in links where other.links[key] != value { keys.insert(key) }
    return keys
  }
}

/// Objects and their relationships. Both ends of a relationship say the same.
struct OracleGraph: Equatable {
  private(set) var records: [Int: OracleRecord] = [:]
  /// Which properties were touched, by whatever means, since somebody asked.
  private var touched: [Int: Set<String>] = [:]

  static func == (one: OracleGraph, other: OracleGraph) -> Bool { one.records == other.records }

  subscript(number: Int) -> OracleRecord? { records[number] }
  var numbers: [Int] { records.keys.sorted() }

  func relationship(_ name: String, of number: Int) -> OracleRelationship {
    OracleSchema.house.relationship(name, of: records[number]!.entity)
  }

  func relationships(of number: Int) -> [OracleRelationship] {
    OracleSchema.house.relationships(of: records[number]!.entity)
  }

  func links(_ number: Int, _ name: String) -> [Int] { records[number]?.links[name] ?? [] }

  mutating func takeTouched() -> [Int: Set<String>] {
    defer { touched = [:] }
    return touched
  }

  mutating func insert(_ number: Int, _ record: OracleRecord) { records[number] = record }
  mutating func forget(_ number: Int) { records[number] = nil }

  mutating func set(_ number: Int, _ key: String, _ value: OracleValue) {
    records[number]!.values[key] = value
    touched[number, default: []].insert(key)
  }

  /// Makes a relationship lead to these objects and no others. Both ends change at once.
  mutating func assign(_ number: Int, _ name: String, _ members: [Int]) {
    let relationship = relationship(name, of: number)
    let before = links(number, name)
    for member in before where !members.contains(member) { unlink(number, relationship, member) }
    for member in members where !before.contains(member) { link(number, relationship, member) }
    if relationship.isOrdered { records[number]!.links[name] = members }
    touched[number, default: []].insert(name)
  }

  /// A member comes in: at the end, where there is an order. What can lead to one object only lets go of
  /// another.
  mutating func link(_ number: Int, _ relationship: OracleRelationship, _ member: Int) {
    let inverse = OracleSchema.house.inverse(of: relationship)
    if !relationship.isToMany {
      for former in links(number, relationship.name) { unlink(number, relationship, former) }
    }
    if !inverse.isToMany {
      for former in links(member, inverse.name) { unlink(former, relationship, member) }
    }
    enter(member, number, relationship)
    enter(number, member, inverse)
  }

  mutating func unlink(_ number: Int, _ relationship: OracleRelationship, _ member: Int) {
    leave(member, number, relationship)
    leave(number, member, OracleSchema.house.inverse(of: relationship))
  }

  /// One end only: `member` leaves what `number` leads to.
  mutating func leave(_ member: Int, _ number: Int, _ relationship: OracleRelationship) {
    guard records[number] != nil else { return }
    records[number]!.links[relationship.name]!.removeAll { $0 == member }
    touched[number, default: []].insert(relationship.name)
  }

  private mutating func enter(_ member: Int, _ number: Int, _ relationship: OracleRelationship) {
    records[number]!.links[relationship.name]!.append(member)
    if !relationship.isOrdered { records[number]!.links[relationship.name]!.sort() }
    touched[number, default: []].insert(relationship.name)
  }

  /// Whether every relationship leads to an object that is there.
  var isClosed: Bool {
    records.values.allSatisfy {
      $0.links.values.allSatisfy { $0.allSatisfy { records[$0] != nil } }
    }
  }
}
