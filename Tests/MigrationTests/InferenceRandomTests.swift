import DataModelFiles
import Foundation
import TestDice
import Testing

@testable import CoreData

/// Random pairs of small models, with few names so that renamings meet.
@Suite("Inferred mappings: random pairs of models") struct InferenceRandomTests {
  @Test("Random pairs of models are inferred or refused as the rules say")
  func random() throws {
    var outcomes: [String: Int] = [:]
    let count = RandomTest.count("STRATA_INFERENCE_CASES", 400)
    let first = Int(RandomTest.seed("STRATA_INFERENCE_SEED", 0))
    for seed in first..<first + count {
      var random = InferenceRandom(seed: UInt64(seed))
      let from = random.model(named: "from")
      let to = seed % 3 == 0 ? random.model(named: "to") : random.changed(from)
      let outcome = try compare(from, to, seed)
      outcomes[outcome, default: 0] += 1
    }
    print(
      "Random pairs: " + outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    #expect((outcomes["inferred"] ?? 0) > count / 3)
    #expect(outcomes.count > 4, "most reasons occur")
  }

  private func compare(_ from: DataModel, _ to: DataModel, _ seed: Int) throws -> String {
    let url = URL(fileURLWithPath: "/random/\(seed)")
    let source = try NSManagedObjectModel(values: from, url: url)
    let destination = try NSManagedObjectModel(values: to, url: url)
    if seed % 2 == 0 {
      source.freeze()
      destination.freeze()
    }
    let what = Comment(rawValue: "seed \(seed)")
    let expected: String
    var reason = "inferred"
    do {
      let rules = try MigrationRules(from: from, to: to)
      expected = Self.text(rules)
    } catch let refusal as MigrationRules.Refusal {
      expected = "\(refusal.entity).\(refusal.property ?? "-"): \(refusal.reason)"
      reason = refusal.reason.rawValue
    }
    let found: String
    do {
      found = Self.text(try ModelDelta(inferredFrom: source, to: destination))
    } catch Failure.notInferable(let entity, let property, let words, _) {
      let reason = MigrationRules.Reason.all.first { words.contains($0.words) }
      found = "\(entity ?? "-").\(property ?? "-"): \(reason?.rawValue ?? words)"
    }
    #expect(found == expected, what)
    return reason
  }

  private static func text(_ rules: MigrationRules) -> String {
    let lines = rules.entities.sorted { $0.key < $1.key }.map { name, rule -> String in
      guard let source = rule.source else { return "+\(name)" }
      let kept = rule.attributes.merging(rule.relationships, uniquingKeysWith: { $1 }).compactMap {
        if case .kept(let former) = $0.value { "\($0.key)=\(former)" } else { nil }
      }
      return ([name, source] + kept.sorted()).joined(separator: " ")
    }
    return (lines + rules.removed.sorted().map { "-\($0)" }).joined(separator: "\n")
  }

  private static func text(_ delta: ModelDelta) -> String {
    let kept = delta.pairs.map { pair in
      ([pair.destination.name!, pair.source.name!]
        + pair.properties.map { "\($0.destination.name)=\($0.source.name)" }.sorted()).joined(separator: " ")
    }
    let lines = (kept + delta.added.map { "+\($0.name!)" }).sorted {
      $0.drop { $0 == "+" } < $1.drop { $0 == "+" }
    }
    return (lines + delta.removed.map { "-\($0.name!)" }).joined(separator: "\n")
  }
}

extension MigrationRules.Reason {
  static let all: [Self] = [
    .ambiguous, .mergedHierarchies, .typeChanged, .toManyBecameToOne, .otherInverse,
  ]
}

/// Models by chance, and changes of them.
struct InferenceRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

  mutating func next(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }

  mutating func chance(_ percent: Int) -> Bool { next(100) < percent }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(elements.count)] }

  mutating func model(named name: String) -> DataModel {
    var model = DataModel(name: name)
    let names = ["A", "B", "C", "D", "E"].filter { _ in chance(65) }
    for name in names.isEmpty ? ["A"] : names {
      var entity = DataModel.Entity(name: name)
      if !model.entities.isEmpty, chance(45) { entity.parentName = pick(model.entities).name }
      if chance(15) { entity.renamingIdentifier = pick(["A", "B", "C", "D", "E", "old"]) }
      entity.isAbstract = chance(15)
      model.entities.append(entity)
      let taken = Set(model.allAttributes(of: entity).map(\.name))
      model.entities[model.entities.count - 1].attributes = ["a", "b", "c", "d"].filter { name in
        !taken.contains(name) && chance(40)
      }.map { attribute($0) }
    }
    for _ in 0..<next(4) { relate(&model) }
    return model
  }

  /// A few small changes, as a next version has them.
  mutating func changed(_ model: DataModel) -> DataModel {
    var model = model
    model.name = "to"
    for _ in 0...next(3) { change(&model) }
    return model
  }

  private mutating func attribute(_ name: String) -> DataModel.Attribute {
    var attribute = DataModel.Attribute(
      name: name, type: chance(80) ? .string : pick([.integer16, .integer32, .double, .boolean, .decimal]))
    attribute.isOptional = chance(80)
    attribute.isTransient = chance(8)
    if chance(20) { attribute.renamingIdentifier = pick(["a", "b", "c", "d", "x"]) }
    if chance(30) {
      switch attribute.type {
      case .string: attribute.defaultValue = .string("-")
      case .decimal: attribute.defaultValue = .decimal(1)
      case .boolean: attribute.defaultValue = .boolean(true)
      default: attribute.defaultValue = .integer(1)
      }
    }
    return attribute
  }

  private mutating func change(_ model: inout DataModel) {
    let place = next(model.entities.count)
    switch next(12) {
    case 10:
      // A number of a larger type, or of none that holds it.
      let numbers: [DataModel.AttributeType] = [.boolean, .integer16, .integer32, .integer64, .float, .double]
      for place in model.entities.indices {
        guard let number = model.entities[place].attributes.firstIndex(where: { numbers.contains($0.type) }) else {
          continue
        }
        model.entities[place].attributes[number].type = pick(numbers)
        model.entities[place].attributes[number].defaultValue = nil
      }
    case 11:
      // A relationship that leads elsewhere, to something that may be related.
      for owner in model.entities.indices {
        guard let free = model.entities[owner].relationships.firstIndex(where: { $0.inverseName == nil }) else {
          continue
        }
        model.entities[owner].relationships[free].destinationName = pick(model.entities).name
      }
    case 0:
      rename(place, to: pick(["A", "B", "C", "D", "E"]), &model)
    case 1, 2:
      let taken = model.entities.flatMap(\.attributes).map(\.name)
      if let name = ["a", "b", "c", "d", "e"].first(where: { !taken.contains($0) }) {
        model.entities[place].attributes.append(attribute(name))
      }
    case 3:
      if !model.entities[place].attributes.isEmpty { model.entities[place].attributes.removeFirst() }
    case 4:
      guard !model.entities[place].attributes.isEmpty else { return }
      let former = model.entities[place].attributes[0]
      let names = ["a", "b", "c", "d", "f"]
      let taken = model.entities.flatMap(\.attributes).map(\.name)
      guard let name = names.first(where: { !taken.contains($0) }) else { return }
      model.entities[place].attributes[0].name = name
      model.entities[place].attributes[0].renamingIdentifier = former.renamingIdentifier ?? former.name
    case 5:
      if !model.entities[place].attributes.isEmpty { model.entities[place].attributes[0].isOptional.toggle() }
    case 6:
      var parent = DataModel.Entity(name: "N")
      guard model.entity(named: "N") == nil else { return }
      parent.isAbstract = true
      model.entities.append(parent)
      for child in model.entities.indices where child < model.entities.count - 1 {
        if model.entities[child].parentName == nil, chance(50) { model.entities[child].parentName = "N" }
      }
    case 7:
      relate(&model)
    case 8:
      for child in model.entities.indices where !model.entities[child].relationships.isEmpty {
        let relationship = model.entities[child].relationships[0]
        model.entities[child].relationships[0].maxCount = relationship.maxCount == 1 ? 0 : 1
        return
      }
    default:
      swapInverses(&model)
    }
  }

  private mutating func rename(_ place: Int, to name: String, _ model: inout DataModel) {
    guard model.entity(named: name) == nil else { return }
    let former = model.entities[place].name
    model.entities[place].name = name
    if chance(70) { model.entities[place].renamingIdentifier = model.entities[place].renamingIdentifier ?? former }
    for other in model.entities.indices {
      if model.entities[other].parentName == former { model.entities[other].parentName = name }
      for relationship in model.entities[other].relationships.indices
      where model.entities[other].relationships[relationship].destinationName == former {
        model.entities[other].relationships[relationship].destinationName = name
      }
    }
  }

  /// A relationship under a name of its own in the model, with an inverse or without.
  private mutating func relate(_ model: inout DataModel) {
    let taken = Set(model.entities.flatMap(\.relationships).map(\.name))
    let free = ["r", "s", "t", "u", "v", "w"].filter { !taken.contains($0) }
    guard free.count > 1 else { return }
    let (owner, other) = (next(model.entities.count), next(model.entities.count))
    var relationship = DataModel.Relationship(name: free[0], destinationName: model.entities[other].name)
    relationship.maxCount = next(2)
    relationship.isOptional = true
    if chance(10) { relationship.renamingIdentifier = pick(["r", "s", "t"]) }
    if chance(60) {
      var inverse = DataModel.Relationship(name: free[1], destinationName: model.entities[owner].name)
      inverse.maxCount = next(2)
      inverse.isOptional = true
      inverse.inverseName = free[0]
      relationship.inverseName = free[1]
      model.entities[other].relationships.append(inverse)
    }
    model.entities[owner].relationships.append(relationship)
  }

  /// Of two relationships between the same entities, each gets the other's inverse.
  private mutating func swapInverses(_ model: inout DataModel) {
    for owner in model.entities.indices {
      let candidates = model.entities[owner].relationships.indices.filter {
        model.entities[owner].relationships[$0].inverseName != nil
      }
      guard candidates.count > 1 else { continue }
      let (one, two) = (candidates[0], candidates[1])
      let (first, second) = (model.entities[owner].relationships[one], model.entities[owner].relationships[two])
      guard first.destinationName == second.destinationName, first.inverseName != second.name else { continue }
      model.entities[owner].relationships[one].inverseName = second.inverseName
      model.entities[owner].relationships[two].inverseName = first.inverseName
      for other in model.entities.indices {
        for relationship in model.entities[other].relationships.indices {
          let name = model.entities[other].relationships[relationship].name
          if name == first.inverseName { model.entities[other].relationships[relationship].inverseName = second.name }
          if name == second.inverseName { model.entities[other].relationships[relationship].inverseName = first.name }
        }
      }
      return
    }
  }
}
