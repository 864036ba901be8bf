import CoreData

/// What a save with uniqueness constraints has to lead to, over plain values. Knows nothing of the module but the names
/// of the policies.
struct ConstraintOracle {
  enum Outcome: Equatable {
    case saved
    /// Whether the first look has shown it: then the context is as it was.
    case refused(atOnce: Bool)
  }

  /// Objects with the same values of a constraint.
  private struct Clash {
    let names: [String]
    /// The stored object that has them in the store.
    var keeper: Int?
    /// Stored objects that were edited to have them.
    var edited: [Int] = []
    var new: [Int] = []

    var stored: [Int] { (keeper.map { [$0] } ?? []) + edited }
  }

  /// What the store has.
  private(set) var stored: ThingGraph
  /// What the context has that saves.
  private(set) var now: ThingGraph
  private var deleted: Set<Int> = []

  init(_ stored: ThingGraph) {
    self.stored = stored
    now = stored
  }

  // Editing.

  /// False for what can't be done, which is left out.
  mutating func take(_ edit: ThingEdit) -> Bool {
    switch edit {
    case .insert(let number, let kind):
      if now[number] != nil { return false }
      now[number] = Thing(kind: kind)
    case .set(let number, let field, let value):
      guard let thing = now[number], !deleted.contains(number), thing.kind.fields.contains(field) else {
        return false
      }
      if let kinds = ThingKind.destination(of: field), let value {
        guard let destination = now[value], !deleted.contains(value), kinds.contains(destination.kind) else {
          return false
        }
      }
      now[number]!.fields[field] = value
    case .delete(let number):
      if now[number] == nil || deleted.contains(number) { return false }
      deleted.insert(number)
    }
    return true
  }

  /// Delete rules: shelves take their items along, and nothing leads to what is gone.
  mutating func endEvent() {
    for shelf in deleted {
      for (number, thing) in now where thing.fields["shelf"] == shelf { deleted.insert(number) }
    }
    for number in deleted { now[number] = nil }
    for (number, thing) in now {
      for (field, value) in thing.fields
      where ThingKind.destination(of: field) != nil && deleted.contains(value) {
        now[number]!.fields[field] = nil
      }
    }
    deleted = []
  }

  // Saving.

  static func isLegal(_ graph: ThingGraph) -> Bool { ConstraintOracle(graph).clashes.isEmpty }

  private var clashes: [Clash] {
    var clashes: [Clash] = []
    for declaring in ThingKind.allCases {
      for names in declaring.constraints {
        var groups: [[Int]: [Int]] = [:]
        for (number, thing) in now where thing.kind.lineage.contains(declaring) {
          if let values = thing.values(of: names) { groups[values, default: []].append(number) }
        }
        for group in groups.values where group.count > 1 {
          var clash = Clash(names: names)
          for number in group.sorted() {
            if stored[number] == nil {
              clash.new.append(number)
            } else if isEdited(number, names) {
              clash.edited.append(number)
            } else {
              clash.keeper = number
            }
          }
          clashes.append(clash)
        }
      }
    }
    return clashes
  }

  private func isEdited(_ number: Int, _ names: [String]) -> Bool {
    guard let before = stored[number], let thing = now[number] else { return false }
    return names.contains { before.fields[$0] != thing.fields[$0] }
  }

  mutating func save(_ policy: NSMergePolicyType) -> Outcome {
    var isFirst = true
    while true {
      let clashes = clashes
      if clashes.isEmpty {
        stored = now
        return .saved
      }
      if policy == .errorMergePolicyType { return .refused(atOnce: isFirst) }
      if policy == .rollbackMergePolicyType || policy == .mergeByPropertyStoreTrumpMergePolicyType {
        var returned: [Int: Set<[String]>] = [:]
        for clash in clashes where clash.stored.count > 1 {
          for number in clash.edited { returned[number, default: []].insert(clash.names) }
        }
        settleNew(clashes, but: takeBack(returned, policy), overwrites: false)
      } else {
        let isBetween = Set(clashes.flatMap(\.new)).contains { number in
          Set(clashes.filter { $0.new.contains(number) }.flatMap(\.stored)).count > 1
        }
        if isBetween || clashes.contains(where: { $0.stored.count > 1 }) { return .refused(atOnce: isFirst) }
        settleNew(clashes, but: [], overwrites: true)
      }
      isFirst = false
    }
  }

  /// Edited objects get the store's values again, then those that have what they get, and so on. Returns who did.
  private mutating func takeBack(_ first: [Int: Set<[String]>], _ policy: NSMergePolicyType) -> Set<Int> {
    var all: Set<Int> = []
    var wave = first
    while !wave.isEmpty {
      all.formUnion(wave.keys)
      var next: [Int: Set<[String]>] = [:]
      for (number, constraints) in wave {
        let counting = Set(constraints.joined())
        let fields = policy == .rollbackMergePolicyType ? Set(now[number]!.kind.fields) : counting
        for field in fields { restore(number, field, clearing: counting.contains(field)) }
      }
      for (number, constraints) in wave {
        let kind = now[number]!.kind
        let fields = policy == .rollbackMergePolicyType ? Set(kind.fields) : Set(constraints.joined())
        for declaring in kind.lineage {
          for names in declaring.constraints where !fields.isDisjoint(with: names) {
            guard let values = now[number]!.values(of: names) else { continue }
            for (other, thing) in now where other != number && thing.kind.lineage.contains(declaring) {
              if isEdited(other, names), thing.values(of: names) == values {
                next[other, default: []].insert(names)
              }
            }
          }
        }
      }
      wave = next
    }
    return all
  }

  /// Where the stored destination is gone, the new one stays, unless it counts.
  private mutating func restore(_ number: Int, _ field: String, clearing: Bool) {
    let before = stored[number]!.fields[field]
    if ThingKind.destination(of: field) != nil, let before, now[before] == nil {
      if clearing { now[number]!.fields[field] = nil }
      return
    }
    now[number]!.fields[field] = before
  }

  /// New objects in their order: each goes that has what a stored one has, or an earlier new one that stays.
  private mutating func settleNew(_ clashes: [Clash], but former: Set<Int>, overwrites: Bool) {
    var holders = clashes.map { clash in clash.keeper ?? clash.edited.first { !former.contains($0) } }
    var losers: [Int] = []
    var successions: [(loser: Int, keeper: Int)] = []
    var last: [Int: Int] = [:]
    for number in Set(clashes.flatMap(\.new)).sorted() {
      let places = clashes.indices.filter { clashes[$0].new.contains(number) }
      if places.allSatisfy({ holders[$0] == nil }) {
        for place in places { holders[place] = number }
        continue
      }
      losers.append(number)
      let rows = Set(places.compactMap { clashes[$0].keeper })
      let those = places.compactMap { holders[$0] }
      let saved = rows.isEmpty ? Set(those.filter { stored[$0] != nil }) : rows
      guard saved.count < 2, let keeper = saved.first ?? those.min() else { continue }
      successions.append((number, keeper))
      if overwrites, !rows.isEmpty { last[keeper] = number }
    }
    for (loser, keeper) in successions where stored[keeper] == nil {
      fill(keeper, loser, newOnly: !overwrites)
      inherit(keeper, loser, newOnly: !overwrites)
    }
    for (loser, keeper) in successions where stored[keeper] != nil {
      if last[keeper] == loser { overwrite(keeper, loser) }
      inherit(keeper, loser, newOnly: !overwrites)
    }
    remove(losers)
  }

  private mutating func overwrite(_ keeper: Int, _ successor: Int) {
    let (mine, theirs) = (now[keeper]!.kind.fields, now[successor]!.kind.fields)
    for field in theirs where mine.contains(field) {
      now[keeper]!.fields[field] = now[successor]!.fields[field]
    }
  }

  /// A new object that stays leads to what the other one does, where it leads to nothing.
  private mutating func fill(_ keeper: Int, _ loser: Int, newOnly: Bool) {
    let mine = now[keeper]!.kind.fields
    for (field, value) in now[loser]!.fields where ThingKind.destination(of: field) != nil && mine.contains(field) {
      if now[keeper]!.fields[field] == nil, !newOnly || stored[value] == nil { now[keeper]!.fields[field] = value }
    }
  }

  /// What leads to one that goes leads to the one that stays.
  private mutating func inherit(_ keeper: Int, _ loser: Int, newOnly: Bool) {
    for (number, thing) in now where !newOnly || stored[number] == nil {
      for (field, value) in thing.fields where ThingKind.destination(of: field) != nil && value == loser {
        now[number]!.fields[field] = keeper
      }
    }
  }

  /// New objects go with the new ones that their rules take along; stored ones return.
  private mutating func remove(_ losers: [Int]) {
    var gone = Set(losers)
    for shelf in losers {
      for (number, thing) in now where thing.fields["shelf"] == shelf && stored[number] == nil {
        gone.insert(number)
      }
    }
    for number in gone { now[number] = nil }
    for (number, thing) in now {
      for (field, value) in thing.fields where ThingKind.destination(of: field) != nil && gone.contains(value) {
        if stored[number] != nil {
          restore(number, field, clearing: true)
        } else {
          now[number]!.fields[field] = nil
        }
      }
    }
  }
}
