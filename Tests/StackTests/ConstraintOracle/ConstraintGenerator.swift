import CoreData
import TestDice

/// Thinks of rounds: edits that exchange, rotate, shift, free and take values, and some that collide.
struct ConstraintGenerator {
  private var dice: Dice
  private var last = 0
  private static let policies: [NSMergePolicyType] = [
    .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    .mergeByPropertyObjectTrumpMergePolicyType,
    .overwriteMergePolicyType, .rollbackMergePolicyType,
  ]

  init(seed: UInt64) { dice = Dice(state: seed) }

  mutating func roll(_ sides: Int) -> Int { dice.roll(sides) }

  mutating func round(_ stored: ThingGraph) -> ConstraintRound {
    var round = ConstraintRound(policy: Self.policies[dice.roll(5)])
    round.read = Set(stored.keys.filter { _ in dice.roll(3) == 0 })
    var oracle = ConstraintOracle(stored)
    if dice.roll(5) == 0 {
      round.other = edits(&oracle, 1, elsewhere: round.read)
      oracle.endEvent()
      oracle = ConstraintOracle(ConstraintOracle.isLegal(oracle.now) ? oracle.now : stored)
    }
    if dice.roll(5) == 0 {
      round.depth = 1 + dice.roll(2)
      round.child = edits(&oracle, 1 + dice.roll(2))
      oracle.endEvent()
    }
    if round.child.isEmpty || dice.roll(2) == 0 { round.edits = edits(&oracle, 1 + dice.roll(4)) }
    return round
  }

  private mutating func edits(
    _ oracle: inout ConstraintOracle, _ groups: Int, elsewhere read: Set<Int>? = nil
  ) -> [ThingEdit] {
    var edits: [ThingEdit] = []
    for _ in 0..<groups {
      for edit in group(oracle.now, isElsewhere: read != nil) {
        if let read, !Self.mayHappenElsewhere(edit, oracle.now, read) { continue }
        if oracle.take(edit) { edits.append(edit) }
      }
    }
    return edits
  }

  /// Only what changes no version of an object that was read: attributes, and rows that nothing is related to.
  private static func mayHappenElsewhere(_ edit: ThingEdit, _ now: ThingGraph, _ read: Set<Int>) -> Bool {
    switch edit {
    case .insert: return true
    case .set(let number, let field, _):
      return !read.contains(number) && ThingKind.destination(of: field) == nil
    case .delete(let number):
      if read.contains(number) { return false }
      let leadsSomewhere = ["shelf", "item"].contains { now[number]?.fields[$0] != nil }
      return !leadsSomewhere
        && !now.values.contains { $0.fields["shelf"] == number || $0.fields["item"] == number }
    }
  }

  private mutating func group(_ now: ThingGraph, isElsewhere: Bool) -> [ThingEdit] {
    let numbers = now.keys.sorted()
    if numbers.count < 3 { return insertion(now) }
    switch dice.roll(100) {
    case 0..<22: return numbers.count < 12 ? insertion(now) : [.delete(pick(numbers))]
    case 22..<48: return rotation(now, numbers)
    case 48..<76:
      let number = pick(numbers)
      let field = pick(now[number]!.kind.fields)
      return [.set(number, field, value(field, now))]
    case 76..<83: return [.delete(pick(numbers))]
    default: return succession(now, numbers)
    }
  }

  private mutating func pick<Element>(_ list: [Element]) -> Element { list[dice.roll(list.count)] }

  private mutating func value(_ field: String, _ now: ThingGraph) -> Int? {
    if let kinds = ThingKind.destination(of: field) {
      let destinations = now.filter { kinds.contains($0.value.kind) }.keys.sorted()
      return destinations.isEmpty || dice.roll(4) == 0 ? nil : pick(destinations)
    }
    return dice.roll(8) == 0 ? nil : dice.roll(6)
  }

  private mutating func insertion(_ now: ThingGraph) -> [ThingEdit] {
    last += 1
    let number = last
    let kind = pick([.shelf, .item, .item, .part, .part, .note] as [ThingKind])
    var edits: [ThingEdit] = [.insert(number, kind)]
    for field in kind.fields where dice.roll(5) > 0 { edits.append(.set(number, field, value(field, now))) }
    // A new shelf is there to have something on it.
    if kind == .shelf, dice.roll(2) == 0 {
      for item in now.filter({ $0.value.kind.lineage[0] == .item }).keys.sorted() where dice.roll(3) == 0 {
        edits.append(.set(item, "shelf", number))
      }
    }
    return edits
  }

  /// Objects that have a field hand its value on: two exchange theirs; or the first takes one that nobody has.
  private mutating func rotation(_ now: ThingGraph, _ numbers: [Int]) -> [ThingEdit] {
    let first = pick(numbers)
    let field = pick(now[first]!.kind.fields)
    var members = numbers.filter { now[$0]!.fields[field] != nil }
    guard members.count > 1 else { return [] }
    members.shuffle(using: &dice)
    members = Array(members.prefix(2 + dice.roll(members.count - 1)))
    var values = members.map { now[$0]!.fields[field] }
    let last = values.removeLast()
    values.insert(dice.roll(4) == 0 ? value(field, now) : last, at: 0)
    return zip(members, values).map { .set($0, field, $1) }
  }

  /// One object goes, and another takes what it had.
  private mutating func succession(_ now: ThingGraph, _ numbers: [Int]) -> [ThingEdit] {
    let old = pick(numbers)
    let thing = now[old]!
    var edits: [ThingEdit] = dice.roll(2) == 0 ? [] : [.delete(old)]
    var new = pick(numbers)
    if new == old || dice.roll(2) == 0 {
      last += 1
      new = last
      edits.append(.insert(new, thing.kind))
    }
    for (field, value) in thing.fields.sorted(by: { $0.key < $1.key }) where dice.roll(3) > 0 {
      edits.append(.set(new, field, value))
    }
    return edits
  }
}
