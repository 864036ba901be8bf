/// What relationships hold and who is deleted, by the rules alone: objects are numbers, and no stack is
/// asked.
///
/// Owners are 0, 1, …, targets 10, 11, …; with one entity all are owners.
struct RelationshipModel {
  let shape: RelationshipShape
  var ends: [String: [Int: [Int]]] = ["there": [:], "back": [:]]
  var deleted: Set<Int> = []
  let members: [Int]
  /// Who has no row: deleted, such an object is nowhere any more.
  var unsaved: Set<Int> = []

  func isOwner(_ member: Int) -> Bool { shape.topology == .sameEntity || member < 10 }

  /// The relationships of an object.
  func keys(_ member: Int) -> [String] {
    if shape.topology == .sameEntity {
      return shape.hasInverse && !shape.isSymmetric ? ["back", "there"] : ["there"]
    }
    return member < 10 ? ["there"] : shape.hasInverse ? ["back"] : []
  }

  subscript(key: String, member: Int) -> [Int] {
    get { ends[key]![member] ?? [] }
    set { ends[key]![member] = newValue }
  }

  init(_ shape: RelationshipShape, members: [Int], _ there: [(owner: Int, targets: [Int])] = []) {
    self.shape = shape
    self.members = members
    for (owner, targets) in there { set("there", of: owner, to: targets) }
  }

  // Inverse maintenance.

  private mutating func take(_ member: Int, outOf key: String, of holder: Int) {
    self[key, holder].removeAll { $0 == member }
  }

  mutating func unlink(_ key: String, _ holder: Int, _ member: Int) {
    take(member, outOf: key, of: holder)
    if let inverse = shape.inverse(of: key) { take(holder, outOf: inverse, of: member) }
  }

  /// Puts a member in at an index (the end without one); a to-one at either side lets go of what it held.
  mutating func link(_ key: String, _ holder: Int, _ member: Int, at index: Int? = nil) {
    if self[key, holder].contains(member) { return }
    if shape.count(of: key) == .one {
      for former in self[key, holder] { unlink(key, holder, former) }
    }
    self[key, holder].insert(member, at: index ?? self[key, holder].count)
    guard let inverse = shape.inverse(of: key) else { return }
    if shape.count(of: inverse) == .one {
      for former in self[inverse, member] where former != holder || inverse != key {
        unlink(inverse, member, former)
      }
      // A to-one that held itself lets go of both ends at once.
      if !self[key, holder].contains(member) { self[key, holder].append(member) }
    }
    if !self[inverse, member].contains(holder) { self[inverse, member].append(holder) }
  }

  mutating func set(_ key: String, of holder: Int, to members: [Int]) {
    for former in self[key, holder] where !members.contains(former) { unlink(key, holder, former) }
    for member in members { link(key, holder, member) }
    if shape.count(of: key) == .ordered { self[key, holder] = members }
  }

  // Delete rules.

  mutating func delete(_ members: [Int]) {
    var waiting = members
    deleted.formUnion(members)
    while !waiting.isEmpty {
      let member = waiting.removeFirst()
      for key in keys(member) {
        let rule = shape.deleteRule(of: key)
        if rule == .cascadeDeleteRule {
          for destination in self[key, member] where deleted.insert(destination).inserted {
            waiting.append(destination)
          }
        }
        if rule == .cascadeDeleteRule || rule == .nullifyDeleteRule,
          let inverse = shape.inverse(of: key)
        {
          for destination in self[key, member] { take(member, outOf: inverse, of: destination) }
        }
      }
    }
  }

  /// The deleted objects that a deny rule holds back, with the relationship's name.
  var denied: Set<String> {
    var found: Set<String> = []
    for member in deleted where !unsaved.contains(member) {
      for key in keys(member) where shape.deleteRule(of: key) == .denyDeleteRule {
        if self[key, member].contains(where: { !deleted.contains($0) }) {
          found.insert("\(member).\(key)")
        }
      }
    }
    return found
  }

  /// Every object that stays, with what it leads to; `afterSave` leaves out what no row can say.
  func description(afterSave: Bool = false) -> [Int: String] {
    var lines: [Int: String] = [:]
    for member in members where !deleted.contains(member) {
      lines[member] = keys(member).map { key in
        let isOrdered = shape.count(of: key) == .ordered
        let leads = self[key, member].filter { destination in
          if !afterSave || !deleted.contains(destination) { return true }
          // A key to a row that is gone stays; a member of a set is found by its own row.
          return shape.count(of: key) == .one && !unsaved.contains(destination)
        }
        return "\(key) = \(isOrdered ? leads : leads.sorted())"
      }.joined(separator: "; ")
    }
    return lines
  }
}
