import Foundation
import TestDice

/// Thinks of steps. Most are possible; whether they are, the oracle says.
struct OracleGenerator {
  private var dice: Dice
  private var count = 0
  /// Objects that there may be before it only deletes.
  private let limit: Int
  /// Steps that have a meaning one after another.
  private var planned: [OracleStep] = []

  init(seed: UInt64, limit: Int = 14) {
    dice = Dice(state: seed)
    self.limit = limit
  }

  mutating func step(_ oracle: Oracle) -> OracleStep {
    if oracle.undo != nil, dice.roll(6) == 0 {
      let index = dice.roll(oracle.contexts.count)
      return OracleStep(context: index, action: dice.roll(3) == 0 ? .redo : .undo)
    }
    if planned.isEmpty, dice.roll(30) == 0 { planClash(oracle) }
    if !planned.isEmpty { return planned.removeFirst() }
    let index = dice.roll(oracle.contexts.count)
    return OracleStep(context: index, action: action(oracle, index))
  }

  private mutating func action(_ oracle: Oracle, _ index: Int) -> OracleAction {
    let context = oracle.contexts[index]
    guard let number = context.living.randomElement(using: &dice) else { return insertion() }
    let graph = context.now
    switch dice.roll(100) {
    case 0..<12: return context.living.count < limit ? insertion() : .delete(number)
    case 12..<30: return attribute(number, graph[number]!)
    case 30..<58: return relationship(number, context)
    case 58..<62: return .delete(number)
    case 62..<66: return .process
    case 66..<76: return .save
    case 76..<77: return .policy(OraclePolicy.allCases.randomElement(using: &dice)!)
    // A denied deletion stays until it is taken back.
    case 77..<80: return .rollback
    case 80..<82: return .refresh(number, merging: true)
    case 82..<84: return .refresh(number, merging: false)
    case 84..<87: return .refreshAll
    case 87..<88: return .reset
    case 88..<92: return .merge
    case 92..<93: return .obtainIDs
    case 93..<98: return .fetch(fetch(context))
    default: return .look
    }
  }

  /// Two contexts save different values of one object, the second under some policy.
  private mutating func planClash(_ oracle: Oracle) {
    let roots = oracle.contexts.indices.filter { oracle.contexts[$0].parent == nil }.shuffled(
      using: &dice)
    guard roots.count > 1, let number = oracle.store.graph.numbers.randomElement(using: &dice)
    else { return }
    let (first, second) = (roots[0], roots[1])
    let record = oracle.store.graph[number]!
    planned = [
      OracleStep(context: first, action: .rollback), OracleStep(context: second, action: .merge),
      OracleStep(context: first, action: attribute(number, record)),
      OracleStep(context: first, action: attribute(number, record)),
      OracleStep(context: first, action: .save),
      OracleStep(context: second, action: attribute(number, record)),
      OracleStep(context: second, action: attribute(number, record)),
      OracleStep(
        context: second, action: .policy(OraclePolicy.allCases.randomElement(using: &dice)!)),
      OracleStep(context: second, action: .save),
    ]
  }

  private mutating func insertion() -> OracleAction {
    count += 1
    return .insert(
      count,
      ["Item", "Book", "Tool", "Shelf", "Shelf", "Label", "Tag", "Tag"].randomElement(using: &dice)!
    )
  }

  private mutating func attribute(_ number: Int, _ record: OracleRecord) -> OracleAction {
    let attributes = OracleSchema.house.attributes(of: record.entity).filter { $0.name != "serial" }
    let attribute = attributes.randomElement(using: &dice)!
    if dice.roll(8) == 0 { return .set(number, attribute.name, record.values[attribute.name]!) }
    if dice.roll(attribute.isOptional ? 6 : 40) == 0 { return .set(number, attribute.name, .null) }
    return .set(number, attribute.name, value(attribute))
  }

  private mutating func value(_ attribute: OracleAttribute) -> OracleValue {
    // Rarely one that is too much.
    let isBroken = attribute.limits != nil && dice.roll(25) == 0
    switch attribute.kind {
    case .integer: return .integer(isBroken ? [-1, 10].randomElement(using: &dice)! : dice.roll(4))
    case .text:
      return .text(isBroken ? "toolong" : ["a", "ab", "b", "bc"].randomElement(using: &dice)!)
    case .real: return .real(Double(dice.roll(8)) / 4)
    case .flag: return .flag(dice.roll(2) == 0)
    }
  }

  private mutating func relationship(_ number: Int, _ context: OracleContext) -> OracleAction {
    let relationship = context.now.relationships(of: number).randomElement(using: &dice)!
    let kinds = OracleSchema.house.kinds(of: relationship.destination)
    let others = context.living.filter { kinds.contains(context.now[$0]!.entity) }
    let members = context.now.links(number, relationship.name)
    let name = relationship.name
    guard let other = others.randomElement(using: &dice) else { return .assign(number, name, []) }
    if !relationship.isToMany { return .assign(number, name, dice.roll(4) == 0 ? [] : [other]) }
    switch dice.roll(8) {
    case 0: return .assign(number, name, [])
    case 1, 2:
      let some = others.shuffled(using: &dice).prefix(1 + dice.roll(3))
      return .assign(number, name, relationship.isOrdered ? Array(some) : some.sorted())
    case 3 where relationship.isOrdered && members.count > 1:
      return .move(number, name, from: dice.roll(members.count), to: dice.roll(members.count))
    default:
      return members.contains(other) ? .remove(number, name, other) : .add(number, name, other)
    }
  }

  private mutating func fetch(_ context: OracleContext) -> OracleFetch {
    let entity = OracleSchema.house.entities.randomElement(using: &dice)!.name
    let relationships = OracleSchema.house.relationships(of: entity)
    let toOne = relationships.filter { !$0.isToMany }.randomElement(using: &dice)
    let toMany = relationships.filter(\.isToMany).randomElement(using: &dice)
    let title = ["a", "ab", "b", "bc"].randomElement(using: &dice)!
    var condition = OracleFetch.Condition.all
    switch dice.roll(9) {
    case 0, 1: condition = .countAbove(dice.roll(3))
    case 2: condition = .titleMissing
    case 3: condition = .titleBegins(title)
    case 4: if let toOne { condition = .title(title, over: toOne.name) }
    case 5: if let toMany { condition = .anyTitle(title, over: toMany.name) }
    case 6: if let toMany { condition = .members(toMany.name, atLeast: 1 + dice.roll(2)) }
    case 7:
      let kinds = OracleSchema.house.kinds(of: toOne?.destination ?? entity)
      let others = context.living.filter { kinds.contains(context.now[$0]!.entity) }
      if let toOne, let other = others.randomElement(using: &dice) {
        condition = .leadsTo(toOne.name, other)
      }
    default: break
    }
    var fetch = OracleFetch(entity: entity, condition: condition)
    fetch.isDescending = dice.roll(3) == 0
    if dice.roll(3) == 0 { fetch.limit = 1 + dice.roll(4) }
    if dice.roll(5) == 0 { fetch.offset = dice.roll(3) }
    fetch.withPendingChanges = dice.roll(4) != 0
    return fetch
  }
}
