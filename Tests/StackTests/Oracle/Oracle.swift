import Foundation

/// What a step must lead to.
struct OracleExpectation {
  enum Outcome {
    case done
    /// The numbers that a fetch finds.
    case found([Int])
    /// A save with something to write, and what its notification carries.
    case saved(OracleNotice)
    /// A save that may have had nothing to write.
    case perhapsSaved(OracleNotice)
    case nothingToSave
    /// The codes of all validation errors.
    case invalid([Int])
    case conflict
  }

  var outcome = Outcome.done
  /// What the notification of `processPendingChanges` lists; nil if the step does not process changes.
  var event: OracleNotice?
  /// Whether to remove the undo manager's actions, because no rule says what they would do next.
  var clearsUndo = false
  /// Whether to refresh the context, because a merge policy has settled a conflict and no rule says which of the
  /// store's values the context has then.
  var mustRefresh = false
}

/// The rules of contexts over one store, and nothing else: values and sets.
struct Oracle {
  private(set) var store = OracleStore()
  private(set) var contexts: [OracleContext]
  private(set) var policies: [OraclePolicy]
  /// Of each context; nil without undo managers.
  private(set) var undo: [OracleUndo]?

  /// A context for each element: a root, or the child of an earlier one.
  init(parents: [Int?], undoes: Bool = false) {
    undo = undoes ? parents.map { _ in OracleUndo() } : nil
    contexts = parents.map(OracleContext.init)
    policies = parents.map { _ in .error }
  }

  /// What a context reads from: values, and versions where there are any.
  func source(of context: Int) -> (graph: OracleGraph, versions: [Int: OracleVersion]) {
    guard let parent = contexts[context].parent else { return (store.graph, store.versions) }
    return (contexts[parent].outcome, [:])
  }

  /// Whether a context has read everything that there is to read.
  func isLevel(_ context: Int) -> Bool { contexts[context].base == source(of: context).graph }

  func children(of context: Int) -> [Int] {
    contexts.indices.filter { contexts[$0].parent == context }
  }

  /// Takes a step; or throws, and then nothing has happened.
  mutating func take(_ step: OracleStep) throws -> OracleExpectation {
    var next = self
    var expectation = try next.perform(step.action, step.context)
    // No rule says what a child reads of a parent with changes that are not processed yet.
    if !children(of: step.context).isEmpty || undo != nil, expectation.event == nil {
      expectation.event = try next.contexts[step.context].process()
    }
    if !children(of: step.context).isEmpty, !next.contexts[step.context].outcome.isClosed {
      throw Unspecified("what children see of a denied deletion")
    }
    next.record(step, since: self, &expectation)
    // Rules that are yet to be applied must not leave relationships leading nowhere.
    var later = next.contexts[step.context]
    try later.process()
    self = next
    return expectation
  }

  /// Adds a step to what can be undone.
  private mutating func record(
    _ step: OracleStep, since former: Oracle, _ expectation: inout OracleExpectation
  ) {
    let index = step.context
    guard undo != nil else { return }
    let (before, after) = (OracleMoment(former.contexts[index]), OracleMoment(contexts[index]))
    switch step.action {
    case .rollback: undo![index].clear()
    case .reset, .refresh, .refreshAll, .merge: expectation.clearsUndo = true
    case _ where step.action.changesObjects:
      if before.outcome != after.outcome {
        undo![index].record(before, after)
      } else {
        // No rule says whether setting a value to what it was can be undone.
        expectation.clearsUndo = true
      }
    default: if expectation.mustRefresh { expectation.clearsUndo = true }
    }
    if expectation.clearsUndo { undo![index].clear() }
  }

  private mutating func perform(_ action: OracleAction, _ index: Int) throws -> OracleExpectation {
    var expectation = OracleExpectation()
    switch action {
    case .insert(let number, let entity):
      contexts[index].insert(number, entity)
    case .set(let number, let key, let value):
      try check(number, index)
      contexts[index].set(number, key, value)
    case .assign(let number, let name, let members):
      try check(number, index, members)
      contexts[index].assign(number, name, members)
    case .add(let number, let name, let member):
      try check(number, index, [member])
      let members = contexts[index].now.links(number, name)
      if members.contains(member) { throw Unspecified("a member that is there already") }
      contexts[index].assign(number, name, members + [member])
    case .remove(let number, let name, let member):
      try check(number, index, [member])
      let members = contexts[index].now.links(number, name)
      if !members.contains(member) { throw Unspecified("a member that is not there") }
      contexts[index].assign(number, name, members.filter { $0 != member })
    case .move(let number, let name, let from, let to):
      try check(number, index)
      var members = contexts[index].now.links(number, name)
      if !members.indices.contains(from) || !members.indices.contains(to) {
        throw Unspecified("no such place")
      }
      members.insert(members.remove(at: from), at: to)
      contexts[index].assign(number, name, members)
    case .delete(let number):
      try check(number, index)
      contexts[index].delete(number)
    case .process: expectation.event = try contexts[index].process()
    case .save: return try save(index)
    case .policy(let policy): policies[index] = policy
    case .rollback, .reset:
      let source = source(of: index)
      contexts[index].level(with: source.graph, source.versions)
      // No rule says what a child has of objects that were new in its parent. So the child is reset, too.
      for child in children(of: index) { _ = try perform(.reset, child) }
    case .refresh(let number, let merging):
      try check(number, index)
      if !isLevel(index) { throw Unspecified("reading one object again, of many that are old") }
      if !merging {
        if contexts[index].inserted.contains(number) {
          throw Unspecified("a fault of an object without a row")
        }
        try contexts[index].dropAttributes(of: number)
      }
    case .merge where contexts[index].parent != nil:
      throw Unspecified("merging a parent's save by hand")
    case .refreshAll: try refresh(index, isMerge: false)
    case .merge: try refresh(index, isMerge: true)
    case .undo, .redo:
      guard undo != nil else { throw Unspecified("no undo manager") }
      if case .undo = action {
        contexts[index].restore(try undo![index].undo())
      } else {
        contexts[index].restore(try undo![index].redo())
      }
    case .obtainIDs: break
    case .fetch(let fetch): return try self.fetch(fetch, index)
    case .look: break
    }
    return expectation
  }

  private func check(_ number: Int, _ index: Int, _ members: [Int] = []) throws {
    let context = contexts[index]
    for number in [number] + members
    where context.now[number] == nil || context.deleted.contains(number) {
      throw Unspecified("an object that is not there")
    }
  }

  mutating func refresh(_ index: Int, isMerge: Bool) throws {
    let source = source(of: index)
    try contexts[index].refresh(from: source.graph, source.versions, isMerge: isMerge)
  }

  private mutating func fetch(_ fetch: OracleFetch, _ index: Int) throws -> OracleExpectation {
    var reader: Int? = index
    while let level = reader {
      if !isLevel(level) { throw Unspecified("a fetch by a context that has old values") }
      reader = contexts[level].parent
    }
    var expectation = OracleExpectation()
    if fetch.withPendingChanges { expectation.event = try contexts[index].process() }
    let graph = fetch.withPendingChanges ? contexts[index].outcome : contexts[index].base
    if !graph.isClosed { throw Unspecified("a key path over a deleted object") }
    if case .leadsTo(_, let number) = fetch.condition {
      if graph[number] == nil { throw Unspecified("an object that is not there") }
    }
    expectation.outcome = .found(fetch.results(in: graph))
    return expectation
  }

  private mutating func save(_ index: Int) throws -> OracleExpectation {
    var expectation = OracleExpectation()
    expectation.event = try contexts[index].process()
    let context = contexts[index]
    let isCertain =
      !(context.inserted.isEmpty && context.deleted.isEmpty && context.updated.must.isEmpty)
    if !isCertain, context.updated.may.isEmpty {
      expectation.outcome = .nothingToSave
      return expectation
    }
    let problems = try OracleRules.problems(context)
    if !problems.isEmpty {
      expectation.outcome = .invalid(problems.map(\.rawValue).sorted())
      return expectation
    }
    var notice = OracleNotice()
    notice.inserted = OracleBounds(context.inserted)
    notice.deleted = OracleBounds(context.deleted)
    notice.updated = OracleBounds(must: context.differing, may: context.updated.may)
    expectation.outcome = isCertain ? .saved(notice) : .perhapsSaved(notice)
    if let parent = context.parent {
      try saveToParent(index, parent)
      return expectation
    }
    let conflicts = try OracleRules.conflicts(context, store)
    if !conflicts.isEmpty, policies[index] == .error {
      expectation.outcome = .conflict
      return expectation
    }
    let mine = try OracleRules.settle(conflicts, policies[index], context, store)
    try store.commit(mine, of: context)
    if conflicts.isEmpty {
      contexts[index].settle(store.versions)
    } else {
      if policies[index] == .overwrite {
        for number in conflicts { try store.overwrite(number, context.now[number]!.values) }
      }
      contexts[index].level(with: store.graph, store.versions)
      expectation.mustRefresh = true
      notice.updated.must.subtract(conflicts)
      expectation.outcome = .saved(notice)
    }
    return expectation
  }

  /// The later of two changes wins. No rule says which changes of parent and child conflict, so a save over
  /// what the parent has changed is unspecified.
  private mutating func saveToParent(_ index: Int, _ parent: Int) throws {
    let context = contexts[index]
    let source = contexts[parent].outcome
    for number in Set(context.touched.keys).union(context.deleted) where context.base[number] != nil {
      if source[number] != context.base[number] {
        throw Unspecified("a change of what the parent changed")
      }
    }
    let result = try source.merging(context.outcome, since: context.base)
    guard result.isClosed else {
      throw Unspecified("a relationship to what the parent has deleted")
    }
    _ = try contexts[parent].take(result, from: context)
    contexts[index].settle([:])
  }
}

extension OracleStore {
  /// Writes all values of an object over its row.
  mutating func overwrite(_ number: Int, _ values: [String: OracleValue]) throws {
    for (key, value) in values { graph.set(number, key, value) }
    _ = graph.takeTouched()
  }
}

extension OracleContext {
  /// The object is as it was read. No rule says what that means for the other ends of its relationships.
  mutating func dropAttributes(of number: Int) throws {
    let keys = touched[number] ?? []
    if !keys.isSubset(of: now[number]!.values.keys) {
      throw Unspecified("a fault whose relationships changed")
    }
    for key in keys { now.set(number, key, base[number]!.values[key]!) }
    forgetChanges(of: number)
  }
}
