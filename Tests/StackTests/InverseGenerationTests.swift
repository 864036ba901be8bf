import CoreData
import Testing

/// Every way to change a relationship, at either end, for every cardinality, order and topology, and on
/// objects that are new, loaded, or faults. What is to come out is said by `RelationshipModel`.
@Suite("Inverses, every combination")
struct InverseGenerationTests {
  enum Condition: CaseIterable { case unsaved, loaded, faults, targetsUnsaved }

  /// One change of one relationship of one object.
  struct Mutation {
    let key: String
    let holder: Int
    let name: String
    /// The members afterwards, in order.
    let result: [Int]
    let perform: (NSManagedObject, [Int: NSManagedObject]) -> Void
  }

  final class Graph: RelationshipGraph {
    let mutation: Mutation

    init(_ number: Int, _ expected: RelationshipModel, _ mutation: Mutation) {
      self.mutation = mutation
      super.init(number, expected)
    }

    lazy var outcome: RelationshipModel = {
      var outcome = expected
      outcome.set(mutation.key, of: mutation.holder, to: mutation.result)
      return outcome
    }()

    func problems(_ condition: Condition, _ moment: String, _ object: (Int) -> NSManagedObject?)
      -> [String]
    {
      let (wanted, found) = (outcome.description(), description(object))
      if wanted == found { return [] }
      return [
        "\(shape), \(condition), \(mutation.holder).\(mutation.key) \(mutation.name), \(moment): "
          + "expected \(wanted.lines), found \(found.lines)"
      ]
    }
  }

  /// The relationships before the change. The last target is free where there is a to-one, and where there is
  /// no inverse: there nobody tells an owner that another one took its member.
  private static func start(_ shape: RelationshipShape) -> RelationshipModel {
    let isSame = shape.topology == .sameEntity
    let (a, b, c) = isSame ? (2, 3, 4) : (10, 11, 12)
    let there: [(owner: Int, targets: [Int])] =
      switch (shape.there, shape.owners) {
      case (.one, .one): [(0, [a]), (1, [b])]
      case (.one, _): [(0, [a]), (1, [a])]
      case (_, .one): [(0, [b, a]), (1, isSame || !shape.hasInverse ? [] : [c])]
      default: [(0, [b, a]), (1, [a, c])]
      }
    return RelationshipModel(shape, members: isSame ? [0, 1, 2, 3, 4] : [0, 1, 10, 11, 12], there)
  }

  private static func mutations(_ model: RelationshipModel) -> [Mutation] {
    let isSame = model.shape.topology == .sameEntity
    var all: [Mutation] = []
    for (key, holder) in [("there", 0), ("back", isSame ? 2 : 10)]
    where model.keys(holder).contains(key) {
      let candidates = isSame ? model.members : model.members.filter { ($0 < 10) != (holder < 10) }
      let current = model[key, holder]
      func add(
        _ name: String, _ result: [Int],
        _ perform: @escaping (NSManagedObject, [Int: NSManagedObject]) -> Void
      ) {
        all.append(Mutation(key: key, holder: holder, name: name, result: result, perform: perform))
      }
      switch model.shape.count(of: key) {
      case .one:
        add("= nil", []) { holder, _ in holder[key] = nil }
        for one in candidates { add("= \(one)", [one]) { $0[key] = $1[one] } }
      case .many:
        for wanted in [[], candidates, [candidates.last!], current] {
          add("= \(wanted)", wanted) { holder, objects in
            holder[key] = Set(wanted.map { objects[$0]! })
          }
        }
        sets(key, current, candidates, add)
      case .ordered:
        for wanted in [
          [], candidates, candidates.reversed(), [candidates.last!], current.reversed(),
        ] {
          add("= \(wanted)", wanted) { holder, objects in
            holder[key] = NSOrderedSet(array: wanted.map { objects[$0]! })
          }
        }
        orderedSets(key, current, candidates, add)
      }
    }
    return all
  }

  private typealias Add = (
    String, [Int], @escaping (NSManagedObject, [Int: NSManagedObject]) -> Void
  ) -> Void

  private static func sets(_ key: String, _ current: [Int], _ candidates: [Int], _ add: Add) {
    let managed = ManagedKey(name: key)
    func set(_ holder: NSManagedObject) -> NSMutableSet { holder.mutableSetValue(forKey: key) }
    for one in candidates {
      let with = current.contains(one) ? current : current + [one]
      let without = current.filter { $0 != one }
      add("set.add(\(one))", with) { set($0).add($1[one]!) }
      add("set.remove(\(one))", without) { set($0).remove($1[one]!) }
      add("addTo(\(one))", with) { $0.addManagedMember($1[one]!, managed) }
      add("removeFrom(\(one))", without) { $0.removeManagedMember($1[one]!, managed) }
    }
    let union = current + candidates.filter { !current.contains($0) }
    let two = Array(candidates.suffix(2))
    let (left, kept) = (current.filter { !two.contains($0) }, current.filter(two.contains))
    add("set.union", union) { holder, objects in
      set(holder).union(Set(candidates.map { objects[$0]! }))
    }
    add("set.minus", left) { holder, objects in set(holder).minus(Set(two.map { objects[$0]! })) }
    add("set.intersect", kept) { holder, objects in
      set(holder).intersect(Set(two.map { objects[$0]! }))
    }
    add("set.removeAll", []) { holder, _ in set(holder).removeAllObjects() }
    add("addTo(all)", union) { holder, objects in
      holder.addManagedMembers(NSSet(array: candidates.map { objects[$0]! }), managed)
    }
    add("removeFrom(two)", left) { holder, objects in
      holder.removeManagedMembers(NSSet(array: two.map { objects[$0]! }), managed)
    }
  }

  private static func orderedSets(_ key: String, _ current: [Int], _ candidates: [Int], _ add: Add) {
    let managed = ManagedKey(name: key)
    func list(_ holder: NSManagedObject) -> NSMutableOrderedSet {
      holder.mutableOrderedSetValue(forKey: key)
    }
    for one in candidates {
      let isIn = current.contains(one)
      let without = current.filter { $0 != one }
      add("list.add(\(one))", isIn ? current : current + [one]) { list($0).add($1[one]!) }
      add("list.insert(\(one), at: 0)", isIn ? current : [one] + current) {
        list($0).insert($1[one]!, at: 0)
      }
      add("list.remove(\(one))", without) { list($0).remove($1[one]!) }
      add("addTo(\(one))", isIn ? current : current + [one]) {
        $0.addManagedMember($1[one]!, managed)
      }
      add("insert(\(one), at: 0)", isIn ? current : [one] + current) {
        $0.insertManagedMember($1[one]!, at: 0, managed)
      }
      add("removeFrom(\(one))", without) { $0.removeManagedMember($1[one]!, managed) }
      if !isIn, !current.isEmpty {
        let replaced = [one] + current.dropFirst()
        add("list.replace(at: 0, \(one))", replaced) {
          list($0).replaceObject(at: 0, with: $1[one]!)
        }
        add("list.setObject(\(one), at: 0)", replaced) { list($0).setObject($1[one]!, at: 0) }
        add("replace(at: 0, \(one))", replaced) {
          $0.replaceManagedMember(at: 0, with: $1[one]!, managed)
        }
      }
    }
    let new = candidates.filter { !current.contains($0) }
    let indexes = NSIndexSet(indexesIn: NSRange(location: 0, length: new.count))
    add("insert(new, at: 0…)", new + current) { holder, objects in
      holder.insertManagedMembers(new.map { objects[$0]! }, at: indexes, managed)
    }
    add("list.insert(new, at: 0…)", new + current) { holder, objects in
      list(holder).insert(new.map { objects[$0]! }, at: indexes as IndexSet)
    }
    add("list.removeAll", []) { holder, _ in list(holder).removeAllObjects() }
    guard current.count > 1 else { return }
    let swapped = [current[1], current[0]] + current.dropFirst(2)
    add("list.exchange", swapped) { holder, _ in list(holder).exchangeObject(at: 0, withObjectAt: 1)
    }
    add("list.move", swapped) { holder, _ in list(holder).moveObjects(at: [1], to: 0) }
    add("list.removeObject(at: 0)", Array(current.dropFirst())) { holder, _ in
      list(holder).removeObject(at: 0)
    }
    add("remove(at: 0)", Array(current.dropFirst())) { holder, _ in
      holder.removeManagedMember(at: 0, managed)
    }
    add("remove(at: 0…1)", Array(current.dropFirst(2))) { holder, _ in
      holder.removeManagedMembers(
        at: NSIndexSet(indexesIn: NSRange(location: 0, length: 2)), managed)
    }
  }

  /// Rules have no part in this, so one of each side is enough.
  private static func shapes(_ topology: Topology) -> [RelationshipShape] {
    RelationshipShape.all(topology, rules: [.nullifyDeleteRule])
  }

  private func build(_ graphs: [Graph], _ condition: Condition, in context: NSManagedObjectContext)
    throws
  {
    for graph in graphs {
      let waits = { (member: Int) in
        condition == .unsaved
          || condition == .targetsUnsaved && (member >= 10 || member == 2 || member == 4)
      }
      graph.expected.unsaved = Set(graph.expected.members.filter(waits))
      graph.insert(graph.expected.members.filter { !waits($0) }, into: context)
      if graph.expected.unsaved.isEmpty { graph.connect() }
    }
    try context.save()
    for graph in graphs where !graph.expected.unsaved.isEmpty {
      graph.insert(graph.expected.members.filter(graph.expected.unsaved.contains), into: context)
      graph.connect()
    }
    if condition == .faults {
      context.refreshAllObjects()
    } else {
      for graph in graphs { _ = graph.description { graph.objects[$0] } }
    }
  }

  @Test(
    "Every change of one end is a change of the other, in the context and in the store",
    arguments: StoreKind.allCases, Topology.allCases)
  func everyChange(_ kind: StoreKind, _ topology: Topology) throws {
    let shapes = InverseGenerationTests.shapes(topology)
    let stack = try Stack(kind, model(shapes.enumerated().flatMap { $1.entities($0) }))
    var problems: [String] = []
    // The topologies take turns, over each kind of store in another order; see `Turns`.
    for condition in Turns.of(Condition.allCases, kind, topology, every: 2) {
      let graphs = shapes.enumerated().flatMap { number, shape in
        let start = InverseGenerationTests.start(shape)
        return InverseGenerationTests.mutations(start).map { Graph(number, start, $0) }
      }
      let context = stack.newContext()
      try context.performAndWait { () throws in
        try build(graphs, condition, in: context)
        for graph in graphs {
          graph.mutation.perform(graph.objects[graph.mutation.holder]!, graph.objects)
          problems += graph.problems(condition, "before the save") { graph.objects[$0] }
        }
        try context.save()
        for graph in graphs {
          problems += graph.problems(condition, "after the save") { graph.objects[$0] }
        }
        try stack.elsewhere { other throws in
          for graph in graphs {
            problems += graph.problems(condition, "in the store") { other.same(graph.objects[$0]!) }
          }
        }
      }
    }
    #expect(
      problems.isEmpty,
      "\(problems.count) problems:\n\(problems.prefix(20).joined(separator: "\n"))")
  }
}
