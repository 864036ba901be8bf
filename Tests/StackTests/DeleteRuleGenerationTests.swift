import CoreData
import Testing

/// Every delete rule against every rule, cardinality, order and topology, and in every state objects can be
/// in. What is to come out is said by `RelationshipModel`.
@Suite("Delete rules, every combination")
struct DeleteRuleGenerationTests {
  /// What the objects are when the deletion comes.
  enum Condition: CaseIterable { case loaded, faults, unsaved, ownersSaved, targetsSaved }
  enum Victims: CaseIterable { case owner, destination, both }

  struct Round: CustomStringConvertible {
    var condition: Condition
    var victims: Victims
    var propagatesAtEndOfEvent: Bool

    static let all: [Round] = Condition.allCases.flatMap { condition in
      Victims.allCases.flatMap { victims in
        [true, false].map {
          Round(condition: condition, victims: victims, propagatesAtEndOfEvent: $0)
        }
      }
    }

    var description: String {
      let moment = propagatesAtEndOfEvent ? "the end of the event" : "the save"
      return "\(condition), delete \(victims), rules at \(moment)"
    }
  }

  /// One shape's objects in a context, beside what the rules say of them.
  final class Graph: RelationshipGraph {
    let round: Round
    let victims: [Int]

    init(_ number: Int, _ shape: RelationshipShape, _ round: Round) {
      self.round = round
      let isSame = shape.topology == .sameEntity
      let there: [(owner: Int, targets: [Int])] =
        switch (shape.there, shape.owners) {
        case (.one, .one):
          isSame
            ? shape.isSymmetric ? [(0, [1]), (3, [3])] : [(0, [1]), (1, [2]), (3, [3])]
            : [(0, [10]), (1, [11])]
        case (.one, _): isSame ? [(0, [1]), (2, [1]), (1, [3]), (4, [4])] : [(0, [10]), (1, [10])]
        case (_, .one): isSame ? [(0, [2, 1]), (1, [3]), (4, [4])] : [(0, [11, 10]), (1, [12])]
        default:
          isSame ? [(0, [2, 1]), (1, [2, 4]), (3, [3])] : [(0, [11, 10]), (1, [11, 12])]
        }
      var expected = RelationshipModel(
        shape, members: isSame ? [0, 1, 2, 3, 4] : [0, 1, 10, 11, 12], there)
      let owner = isSame ? [0, 3] : [0]
      let destination = isSame ? [1] : [10]
      victims =
        switch round.victims {
        case .owner: owner
        case .destination: destination
        case .both: destination + owner
        }
      switch round.condition {
      case .loaded, .faults: break
      case .unsaved: expected.unsaved = Set(expected.members)
      case .ownersSaved:
        expected.unsaved = Set(expected.members.filter { isSame ? $0 % 2 == 1 : $0 >= 10 })
      case .targetsSaved:
        expected.unsaved = Set(expected.members.filter { isSame ? $0 % 2 == 0 : $0 < 10 })
      }
      super.init(number, expected)
    }

    lazy var outcome: RelationshipModel = {
      var outcome = expected
      outcome.delete(victims)
      return outcome
    }()

    func differences(_ moment: String, _ wanted: [Int: String], _ found: [Int: String]) -> [String] {
      wanted == found
        ? [] : ["\(shape), \(round), \(moment): expected \(wanted.lines), found \(found.lines)"]
    }
  }

  /// Graphs of many shapes, built in one context, so that one save serves them all.
  private func build(_ graphs: [Graph], _ round: Round, in context: NSManagedObjectContext) throws {
    context.propagatesDeletesAtEndOfEvent = round.propagatesAtEndOfEvent
    for graph in graphs {
      graph.insert(
        graph.expected.members.filter { !graph.expected.unsaved.contains($0) }, into: context)
      if round.condition == .loaded || round.condition == .faults { graph.connect() }
    }
    try context.save()
    for graph in graphs where !graph.expected.unsaved.isEmpty {
      graph.insert(graph.expected.members.filter(graph.expected.unsaved.contains), into: context)
      graph.connect()
    }
    context.processPendingChanges()
    if round.condition == .faults {
      context.refreshAllObjects()
    } else {
      for graph in graphs { _ = graph.description { graph.objects[$0] } }
    }
  }

  private func delete(_ graphs: [Graph], _ moment: String, in context: NSManagedObjectContext)
    -> [String]
  {
    var problems: [String] = []
    for graph in graphs { graph.victims.forEach { context.delete(graph.objects[$0]!) } }
    context.processPendingChanges()
    for graph in graphs {
      // Rules that wait for the save leave everything but the victims as it is.
      let waits = !graph.round.propagatesAtEndOfEvent && graph.expected.unsaved.isEmpty
      if !graph.round.propagatesAtEndOfEvent && !waits { continue }
      var wanted = waits ? graph.expected : graph.outcome
      if waits { wanted.deleted = Set(graph.victims) }
      problems += graph.differences(
        moment, wanted.description(), graph.description { graph.objects[$0] })
    }
    return problems
  }

  /// Graphs that a deny rule holds back: the save fails with exactly those objects, and changes nothing.
  private func refused(_ graphs: [Graph], _ round: Round, _ stack: Stack) throws -> [String] {
    let context = stack.newContext()
    return try context.performAndWait { () throws -> [String] in
      try build(graphs, round, in: context)
      var problems = delete(graphs, "after processing, to be denied", in: context)
      let error = failure { try context.save() }
      let details =
        (error?.userInfo[NSDetailedErrorsKey] as? [NSError]) ?? [error].compactMap { $0 }
      var found: [NSManagedObject: Set<String>] = [:]
      for detail in details {
        guard detail.code == NSValidationRelationshipDeniedDeleteError,
          let object = detail.userInfo[NSValidationObjectErrorKey] as? NSManagedObject,
          let key = detail.userInfo[NSValidationKeyErrorKey] as? String
        else {
          problems.append("\(round): the save failed with \(detail.localizedDescription)")
          continue
        }
        found[object, default: []].insert(key)
      }
      for graph in graphs {
        let denied = graph.objects.flatMap { number, object in
          (found[object] ?? []).map { "\(number).\($0)" }
        }
        if Set(denied) != graph.outcome.denied {
          problems.append(
            "\(graph.shape), \(round): denied are \(denied.sorted()), not \(graph.outcome.denied.sorted())"
          )
        }
        problems += graph.differences(
          "after the failed save", graph.outcome.description(),
          graph.description { graph.objects[$0] })
      }
      context.rollback()
      let isSaved = round.condition == .loaded || round.condition == .faults
      for graph in graphs where isSaved {
        problems += graph.differences(
          "after the rollback", graph.expected.description(),
          graph.description { graph.objects[$0] })
      }
      try stack.elsewhere { other throws in
        for graph in graphs where isSaved {
          problems += graph.differences(
            "in the store after the failed save", graph.expected.description(),
            graph.description { try? other.existingObject(with: graph.objects[$0]!.objectID) })
        }
      }
      return problems
    }
  }

  /// Graphs that may be deleted: the rules in the context, then in the store.
  private func carriedOut(_ graphs: [Graph], _ round: Round, _ stack: Stack) throws -> [String] {
    let context = stack.newContext()
    return try context.performAndWait { () throws -> [String] in
      try build(graphs, round, in: context)
      var problems = delete(graphs, "after processing", in: context)
      do { try context.save() } catch {
        return problems + ["\(round): the save failed: \(error.localizedDescription)"]
      }
      if context.hasChanges { problems.append("\(round): the context has changes after the save") }
      for graph in graphs {
        let stay = Set(graph.expected.members).subtracting(graph.outcome.deleted)
        let found = Set(graph.objects.filter { $1.managedObjectContext != nil }.keys)
        if stay != found {
          problems.append(
            "\(graph.shape), \(round), after the save: \(found.sorted()) stay, not \(stay.sorted())"
          )
        }
      }
      try stack.elsewhere { other throws in
        for graph in graphs {
          problems += graph.differences(
            "in the store", graph.outcome.description(afterSave: true),
            graph.description { number in
              let id = graph.objects[number]!.objectID
              return id.isTemporaryID ? nil : try? other.existingObject(with: id)
            })
        }
      }
      return problems
    }
  }

  @Test(
    "Rule against rule, for every cardinality, order, inverse, topology and state",
    arguments: StoreKind.allCases, Topology.allCases)
  func everyCombination(_ kind: StoreKind, _ topology: Topology) throws {
    let shapes = RelationshipShape.all(topology)
    let stack = try Stack(kind, model(shapes.enumerated().flatMap { $1.entities($0) }))
    var problems: [String] = []
    for round in Turns.of(Round.all, kind, topology, every: 9) {
      let graphs = shapes.enumerated().map { Graph($0, $1, round) }
      problems += try refused(graphs.filter { !$0.outcome.denied.isEmpty }, round, stack)
      problems += try carriedOut(graphs.filter { $0.outcome.denied.isEmpty }, round, stack)
    }
    #expect(
      problems.isEmpty,
      "\(problems.count) problems:\n\(problems.prefix(20).joined(separator: "\n"))")
  }
}
