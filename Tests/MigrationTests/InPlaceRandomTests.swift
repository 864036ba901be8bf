import Foundation
import TestDice
import TestFiles
import Testing

@testable import CoreData

/// Random models, random changes, random data; what should come of them is worked out over dictionaries.
///
/// `STRATA_INPLACE_ROUNDS` says how many models are migrated, `STRATA_INPLACE_SEED` where the seeds begin.
@Suite("Migration in place: random models")
struct InPlaceRandomTests {
  /// An object as plain values.
  struct Thing {
    var entity: String
    var values: [String: String] = [:]
    /// By relationship; in order, or sorted.
    var links: [String: [String]] = [:]
  }

  typealias Things = [String: Thing]

  @Test("What is migrated is what the two models and the old objects say")
  func random() throws {
    let rounds = RandomTest.count("STRATA_INPLACE_ROUNDS", 20)
    let first = RandomTest.seed("STRATA_INPLACE_SEED")
    var refused = 0
    for round in 0..<rounds {
      let seed = first &+ UInt64(round)
      do {
        if try !run(seed) { refused += 1 }
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
    #expect(refused < rounds / 2 + 1)
  }

  /// False where the change can't be inferred.
  private func run(_ seed: UInt64) throws -> Bool {
    var random = Dice(state: seed)
    let folder = TemporaryFolder()
    let url = folder.file("store.sqlite")
    var spec = InPlaceRandomModel(&random)
    var model = spec.model()
    try InPlace.open(url, model) { try fill($0, model, &random) }
    var migrations = 0
    for _ in 0..<3 {
      let next = spec.changed(&random)
      let nextModel = next.model()
      let delta: ModelDelta
      do {
        delta = try ModelDelta(inferredFrom: model, to: nextModel)
      } catch Failure.notInferable {
        continue
      }
      let before = try InPlace.open(url, model) { try read($0, model) }
      let after = try InPlace.migrate(url, to: nextModel) { try read($0, nextModel) }
      compare(after, expected(before, delta), seed, migrations)
      migrations += 1
      (spec, model) = (next, nextModel)
      try InPlace.open(url, model) { try fill($0, model, &random) }
    }
    return migrations > 0
  }

  // Data.

  private func fill(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel, _ random: inout Dice)
    throws
  {
    for entity in model.entitiesInStoreOrder where !entity.isAbstract {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let object = InPlace.new(context, entity.name!, ["uid": "\(random.next())"])
        for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key }) where name != "uid" {
          if attribute.isOptional, Bool.random(using: &random) {
            object.setValue(nil, forKey: name)
          } else if Bool.random(using: &random) {
            object.setValue(value(attribute.attributeType, &random), forKey: name)
          }
        }
      }
    }
    try context.save()
    for entity in model.entitiesInStoreOrder where !entity.isAbstract {
      let owners = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name!))
        .sorted { ($0.value(forKey: "uid") as! String) < ($1.value(forKey: "uid") as! String) }
      for owner in owners where owner.entity === entity {
        for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
        where Bool.random(using: &random) {
          let all = try context.fetch(
            NSFetchRequest<NSManagedObject>(entityName: relationship.destinationEntity!.name!)
          )
          .sorted { ($0.value(forKey: "uid") as! String) < ($1.value(forKey: "uid") as! String) }
          let chosen = all.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
          if !relationship.isToMany {
            owner.setValue(chosen.first, forKey: name)
          } else if relationship.isOrdered {
            owner.setValue(NSOrderedSet(array: chosen), forKey: name)
          } else {
            owner.setValue(NSSet(array: chosen), forKey: name)
          }
        }
      }
    }
    try context.save()
  }

  private func value(_ type: NSAttributeType, _ random: inout Dice) -> Any {
    let number = Int(random.next() % 1000)
    switch type {
    case .integer32AttributeType: return number
    case .doubleAttributeType: return Double(number) / 8
    case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number) / 4)
    case .booleanAttributeType: return number % 2 == 0
    case .binaryDataAttributeType:
      return Data((0..<(number % 20 == 0 ? 140_000 : number % 5)).map { UInt8(truncatingIfNeeded: $0 + number) })
    case .UUIDAttributeType: return UUID(uuidString: "00112233-4455-6677-8899-\(String(format: "%012d", number))")!
    case .decimalAttributeType: return NSDecimalNumber(value: Double(number) / 4)
    default: return "t\(number)"
    }
  }

  private func text(_ value: Any?) -> String {
    switch value {
    case nil: "nil"
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    case let data as Data: data.count > 100 ? "\(data.count) \(data.hashValue)" : data.base64EncodedString()
    case let value?: "\(value)"
    }
  }

  private func read(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws -> Things {
    func uid(_ object: Any?) -> String { (object as? NSManagedObject)?.value(forKey: "uid") as? String ?? "?" }
    var things: Things = [:]
    for entity in model.entities where !entity.isAbstract && entity.superentity == nil || entity.superentity == nil {
      for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name!)) {
        var thing = Thing(entity: object.entity.name!)
        for name in object.entity.attributesByName.keys { thing.values[name] = text(object.value(forKey: name)) }
        for (name, relationship) in object.entity.relationshipsByName {
          let value = object.value(forKey: name)
          if !relationship.isToMany {
            thing.links[name] = value.map { [uid($0)] } ?? []
          } else if relationship.isOrdered {
            thing.links[name] = (value as? NSOrderedSet)?.map(uid) ?? []
          } else {
            thing.links[name] = (value as? NSSet)?.map(uid).sorted() ?? []
          }
        }
        #expect(things.updateValue(thing, forKey: uid(object)) == nil)
      }
    }
    return things
  }

  // What should be.

  private struct Expectation {
    var things: Things = [:]
    /// Relationships of which some links can't stay, so that any of them may: by name.
    var loose: Set<String> = []
    /// Whose order is not told by the old one.
    var unordered: Set<String> = []
  }

  private func expected(_ before: Things, _ delta: ModelDelta) -> Expectation {
    var result = Expectation()
    for (uid, old) in before {
      guard let pair = delta.pairs.first(where: { $0.source.name == old.entity }) else { continue }
      var thing = Thing(entity: pair.destination.name!)
      for (name, attribute) in pair.destination.attributesByName {
        let standard = text(attribute.defaultValue)
        if let source = pair.source(of: name) {
          let value = old.values[source.name]!
          thing.values[name] = value == "nil" && !attribute.isOptional && source.isOptional ? standard : value
        } else {
          thing.values[name] = standard
        }
      }
      result.things[uid] = thing
    }
    func isOf(_ uid: String, _ entity: NSEntityDescription) -> Bool {
      guard let name = result.things[uid]?.entity else { return false }
      return delta.destination.entitiesByName[name]!.isKindOf(entity: entity)
    }
    for entity in delta.destination.entities {
      for relationship in entity.relationshipsByName.values where relationship.owningEntity === entity {
        let (links, isOrderKept) = links(relationship, before, delta)
        var members: [String: [String]] = [:]
        var owners: [String: Int] = [:]
        for (owner, member) in links
        where isOf(owner, entity) && isOf(member, relationship.destinationEntity!)
          && members[owner]?.contains(member) != true
        {
          members[owner, default: []].append(member)
          owners[member, default: 0] += 1
        }
        let inverse = relationship.inverseRelationship
        let isCrowded = !relationship.isToMany && members.values.contains { $0.count > 1 }
        let isShared = (inverse.map { !$0.isToMany } ?? relationship.isToMany) && owners.values.contains { $0 > 1 }
        if isCrowded || isShared {
          result.loose.formUnion([relationship.name] + (inverse.map { [$0.name] } ?? []))
        }
        if !isOrderKept || !relationship.isOrdered { result.unordered.insert(relationship.name) }
        for uid in result.things.keys where isOf(uid, entity) {
          let own = members[uid] ?? []
          result.things[uid]!.links[relationship.name] = own
        }
      }
    }
    return result
  }

  /// The links of a relationship of the destination as the source has them, from both of its ends; and whether they are
  /// in an order that stays.
  private func links(
    _ relationship: NSRelationshipDescription, _ before: Things, _ delta: ModelDelta
  ) -> ([(String, String)], Bool) {
    var links: [(String, String)] = []
    var isOrderKept = true
    for (uid, old) in before {
      guard let pair = delta.pairs.first(where: { $0.source.name == old.entity }) else { continue }
      if pair.destination.relationshipsByName[relationship.name] === relationship
        || pair.destination.relationshipsByName[relationship.name]?.owningEntity === relationship.owningEntity,
        let source = pair.source(of: relationship.name) as? NSRelationshipDescription
      {
        if !source.isOrdered { isOrderKept = false }
        links += old.links[source.name]!.map { (uid, $0) }
      }
    }
    guard let inverse = relationship.inverseRelationship else { return (links, isOrderKept) }
    for (uid, old) in before {
      guard let pair = delta.pairs.first(where: { $0.source.name == old.entity }) else { continue }
      if pair.destination.relationshipsByName[inverse.name]?.owningEntity === inverse.owningEntity,
        let source = pair.source(of: inverse.name) as? NSRelationshipDescription
      {
        for owner in old.links[source.name]! where !links.contains(where: { $0 == (owner, uid) }) {
          links.append((owner, uid))
          isOrderKept = false
        }
      }
    }
    return (links, isOrderKept)
  }

  private func compare(_ found: Things, _ expected: Expectation, _ seed: UInt64, _ step: Int) {
    let place = "seed \(seed), migration \(step)"
    #expect(Set(found.keys) == Set(expected.things.keys), "\(place)")
    for (uid, thing) in found {
      guard let wanted = expected.things[uid] else { continue }
      #expect(thing.entity == wanted.entity, "\(place)")
      #expect(thing.values == wanted.values, "\(place): \(uid) of \(thing.entity)")
      #expect(Set(thing.links.keys) == Set(wanted.links.keys), "\(place)")
      for (name, members) in thing.links {
        let all = wanted.links[name] ?? []
        if expected.loose.contains(name) {
          #expect(Set(members).isSubset(of: all), "\(place): \(name) of \(uid), a \(thing.entity)")
        } else if expected.unordered.contains(name) {
          #expect(members.sorted() == all.sorted(), "\(place): \(name) of \(uid), a \(thing.entity)")
        } else {
          #expect(members == all, "\(place): \(name) of \(uid), a \(thing.entity)")
        }
      }
    }
  }
}
