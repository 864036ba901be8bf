import CoreData
import Foundation
import TestFiles

/// One model with its data, in both kinds of stores, and requests to them.
struct PredicateTrial {
  let model: OracleModel
  let data: OracleData
  let changes: [OracleChange]

  var changedData: OracleData {
    var changed = data
    for change in changes where change.isPossible(in: changed) { change.make(in: &changed) }
    return changed
  }

  /// Makes requests as long as they are answered rightly. How many fetches were compared, and what failed.
  func run(
    _ count: Int, _ kinds: [String] = ComparedStores.types, _ next: () -> OracleRequest
  ) throws -> (Int, PredicateFailure?) {
    let folder = TemporaryFolder()
    let stacks = try kinds.map { try PredicateStack($0, model, data, at: folder.place("\($0).store", ofType: $0)) }
    for stack in stacks { stack.change(changes, data) }
    var clean = stacks.map { $0.newContext() }
    let changed = changedData
    var compared = 0
    for index in 0..<count {
      let request = next()
      if index % 10 == 9 { clean = stacks.map { $0.newContext() } }
      for (stack, context) in zip(stacks, clean) {
        for isChanged in [false, true] {
          compared += 1
          // Dictionaries are of what is saved.
          let truth = isChanged && request.result != .dictionaries ? changed : data
          if let mismatch = stack.mismatch(request, truth, isChanged: isChanged, in: context) {
            let failure = PredicateFailure(
              trial: self, request: request, kind: stack.kind, isChanged: isChanged, mismatch: mismatch)
            return (compared, failure)
          }
        }
      }
    }
    return (compared, nil)
  }
}

struct PredicateFailure: CustomStringConvertible {
  var trial: PredicateTrial
  var request: OracleRequest
  let kind: String
  let isChanged: Bool
  let mismatch: String

  var description: String {
    """
      \(trial.model)
      \(trial.data)
    Unsaved:
      \(trial.changes.map(\.description).joined(separator: "\n  "))
    \(request)
    \(kind)\(isChanged ? " with unsaved changes" : "") \(mismatch)
    """
  }

  /// Makes the case smaller as long as it fails in the same place.
  func shrunk() -> PredicateFailure {
    var smallest = self
    var place = 0
    var sinceSmaller = 0
    var candidates = candidates
    // Round and round, until no candidate is left that fails.
    while sinceSmaller < candidates.count {
      place %= candidates.count
      if let failure = candidates[place].again(), failure.isChanged == isChanged,
        failure.isRefusal == isRefusal
      {
        smallest = failure
        candidates = smallest.candidates
        sinceSmaller = 0
      } else {
        place += 1
        sinceSmaller += 1
      }
    }
    return smallest
  }

  private var isRefusal: Bool { mismatch.hasPrefix("threw") }

  private func again() -> PredicateFailure? { try? trial.run(1, [kind]) { request }.1 }

  private var candidates: [PredicateFailure] {
    var found: [PredicateFailure] = []
    func with(_ change: (inout OracleRequest) -> Void) {
      var other = self
      change(&other.request)
      found.append(other)
    }
    func with(_ model: OracleModel, _ data: OracleData, _ changes: [OracleChange]) {
      var other = self
      other.trial = PredicateTrial(model: model, data: data.reduced(to: model), changes: changes)
      found.append(other)
    }
    let (model, data, changes) = (trial.model, trial.data, trial.changes)
    // First what goes away at one stroke.
    if !changes.isEmpty { with(model, data, []) }
    if request.spelling != 1 { with { $0.spelling = 1 } }
    if !request.sort.isEmpty { with { $0.sort = [] } }
    if request.limit > 0 { with { $0.limit = 0 } }
    if request.offset > 0 { with { $0.offset = 0 } }
    if !request.withSubentities { with { $0.withSubentities = true } }
    if request.result == .ids || request.result == .count { with { $0.result = .objects } }
    if request.isDistinct { with { $0.isDistinct = false } }
    if request.having != nil { with { $0.having = nil } }
    if request.predicate != nil { with { $0.predicate = nil } }
    found += fewerProperties
    for less in request.predicate?.simpler ?? [] where less.freeVariables.isEmpty {
      with { $0.predicate = less }
    }
    for index in request.columns.indices where request.columns.count > 1 && request.having == nil {
      if case .path(let path) = request.columns[index], request.groups.contains(path) { continue }
      with { $0.columns.remove(at: index) }
    }
    let numbers = data.numbers
    for size in [numbers.count / 2, numbers.count / 4, 1] where size > 0 {
      for start in stride(from: 0, to: numbers.count, by: size) {
        var fewer = data
        for number in numbers[start..<min(start + size, numbers.count)] { fewer.delete(number) }
        with(model, fewer, changes)
      }
    }
    for index in changes.indices {
      with(model, data, changes.enumerated().filter { $0.offset != index }.map(\.element))
    }
    return found
  }

  private var fewerProperties: [PredicateFailure] {
    var used = request.predicate?.keys ?? []
    for key in request.sort { used.formUnion(key.path) }
    for path in request.groups { used.formUnion(path) }
    for column in request.columns {
      switch column {
      case .path(let path), .aggregate(_, let path): used.formUnion(path)
      }
    }
    let relationships = trial.model.entities.flatMap(\.relationships)
    let inverses = Set(relationships.filter { used.contains($0.name) }.map(\.inverse))
    var found: [PredicateFailure] = []
    func with(_ change: (inout OracleModel) -> Void) {
      var model = trial.model
      change(&model)
      var other = self
      other.trial = PredicateTrial(model: model, data: trial.data.reduced(to: model), changes: trial.changes)
      found.append(other)
    }
    // All that is not used at once, then one by one.
    let unused = trial.model.entities.flatMap(\.attributes).map(\.name).filter { !used.contains($0) }
    let loose = relationships.map(\.name).filter { !used.contains($0) && !inverses.contains($0) }
    func remove(_ names: Set<String>) {
      if names.isEmpty { return }
      with { model in
        for index in model.entities.indices {
          model.entities[index].attributes.removeAll { names.contains($0.name) }
          model.entities[index].relationships.removeAll { names.contains($0.name) }
        }
      }
    }
    remove(Set(unused + loose))
    if unused.count + loose.count > 1 {
      for name in unused { remove([name]) }
      for relationship in relationships where loose.contains(relationship.name) {
        remove([relationship.name, relationship.inverse])
      }
    }
    return found
  }
}
