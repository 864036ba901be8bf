import CoreData
import Foundation

/// The contexts and the store that a program of steps runs with.
struct OracleSetting: CustomStringConvertible {
  let kind: StoreKind
  /// A context for each element: a root, or the child of an earlier one.
  let parents: [Int?]
  /// Whether the driver keeps all objects that contexts have read, and compares them after every step. Old values then
  /// stay until a step reads newer ones. Otherwise objects come and go between steps, contexts merge every change at
  /// once, and the driver compares only now and then.
  let keepsObjects: Bool
  /// Whether contexts have undo managers. Every step is a group then.
  var undoes = false

  var description: String {
    let contexts = parents.enumerated().map { index, parent in
      parent.map { "\(index) child of \($0)" } ?? "\(index)"
    }
    return
      "\(kind), contexts \(contexts.joined(separator: ", ")), \(keepsObjects ? "keeping" : "not keeping") objects"
      + (undoes ? ", undoing" : "")
  }
}

/// A difference from the oracle.
struct OracleMismatch: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Takes each step in the oracle and in the contexts, and compares the two.
final class OracleDriver {
  let setting: OracleSetting
  var oracle: Oracle
  private let stack: Stack
  let contexts: [NSManagedObjectContext]
  let logs: [NotificationLog]
  /// Which object an id is of, and the ids by which contexts know objects.
  var numbers: [NSManagedObjectID: Int] = [:]
  private var ids: [Int: NSManagedObjectID] = [:]
  /// By context: the first ids of objects that it inserted since it was last reset.
  private(set) var firstIDs: [[Int: NSManagedObjectID]]
  /// Only filled when objects are kept.
  var kept: [[Int: NSManagedObject]]
  /// Saves of siblings that a context has not merged.
  var missed: [[Notification]]
  private(set) var taken = 0

  init(_ setting: OracleSetting) throws {
    self.setting = setting
    oracle = Oracle(parents: setting.parents, undoes: setting.undoes)
    stack = try Stack(setting.kind, OracleDriver.model)
    var contexts: [NSManagedObjectContext] = []
    for (index, parent) in setting.parents.enumerated() {
      contexts.append(parent.map { .child(of: contexts[$0]) } ?? stack.newContext())
      contexts[index].name = "\(index)"
      guard setting.undoes else { continue }
      contexts[index].undoManager = UndoManager()
      contexts[index].undoManager!.groupsByEvent = false
    }
    self.contexts = contexts
    logs = contexts.map(NotificationLog.init)
    kept = contexts.map { _ in [:] }
    firstIDs = kept.map { _ in [:] }
    missed = contexts.map { _ in [] }
  }

  /// Steps are printed as they are taken: for programs that end the process.
  private static let traces = ProcessInfo.processInfo.environment["STRATA_ORACLE_TRACE"] != nil
  private static let model = OracleSchema.house.managedObjectModel()

  /// Takes a step, if the oracle knows what it leads to.
  func take(_ step: OracleStep) throws {
    let expectation: OracleExpectation
    do { expectation = try oracle.take(step) } catch is Unspecified { return }
    taken += 1
    if OracleDriver.traces { print(step) }
    logs.forEach { $0.clear() }
    try within(step.context) {
      if setting.undoes, step.action.changesObjects {
        contexts[step.context].undoManager!.beginUndoGrouping()
        defer { contexts[step.context].undoManager!.endUndoGrouping() }
        try perform(step, expectation)
      } else {
        try perform(step, expectation)
      }
      try compareUndo(step.context, expectation)
    }
    if setting.keepsObjects {
      try look(step.context)
      if step.action.startsAgain { try lookAtChildren(of: step.context) }
      return
    }
    try spread(from: step.context)
    if case .look = step.action { try look(step.context) } else { try glance(step.context) }
  }

  /// Everything of every context, and the store through a new one.
  func finish() throws {
    for index in contexts.indices {
      try look(index)
      try lookForTheDead(index)
    }
    var last = OracleContext(parent: nil)
    last.level(with: oracle.store.graph, [:])
    let context = stack.newContext()
    try context.performAndWait {
      var found = Set<Int>()
      for entity in OracleSchema.house.entities where entity.parent == nil {
        for object in try context.all(entity.name) { found.insert(try number(object)) }
      }
      try same("the store's objects", found, Set(oracle.store.graph.numbers))
      for number in oracle.store.graph.numbers {
        try compare(object: context.object(with: ids[number]!), number, last, "of the store")
      }
    }
  }

  /// What was deleted, or never saved, can't be had by its id.
  private func lookForTheDead(_ index: Int) throws {
    if !oracle.isLevel(index) || oracle.contexts[index].parent != nil { return }
    let dead = ids.filter { !$1.isTemporaryID && oracle.contexts[index].now[$0] == nil }
    try within(index) {
      for (number, id) in dead {
        let error = failure { _ = try contexts[index].existingObject(with: id) }
        try same("the error for #\(number)", error?.code, NSManagedObjectReferentialIntegrityError)
      }
    }
  }

  func within<Result>(_ index: Int, _ body: () throws -> Result) throws -> Result {
    try contexts[index].performAndWait(body)
  }

  // Objects and numbers.

  func object(_ number: Int, _ index: Int) -> NSManagedObject {
    if let object = kept[index][number] { return object }
    let object = contexts[index].object(with: ids[number]!)
    if setting.keepsObjects { kept[index][number] = object }
    return object
  }

  func number(_ object: NSManagedObject) throws -> Int { try number(object.objectID) }

  func number(_ id: NSManagedObjectID) throws -> Int {
    guard let number = numbers[id] else { throw OracleMismatch("nobody knows the object \(id)") }
    return number
  }

  func learn(_ object: NSManagedObject, _ number: Int) {
    numbers[object.objectID] = number
    ids[number] = object.objectID
  }

  /// Asks objects for their ids again, when they may have changed.
  func learnIDs(_ held: [Int: NSManagedObject]) {
    for (number, object) in held where object.managedObjectContext != nil { learn(object, number) }
  }

  // Steps.

  func perform(_ step: OracleStep, _ expectation: OracleExpectation) throws {
    let index = step.context
    let context = contexts[index]
    func object(_ number: Int) -> NSManagedObject { self.object(number, index) }
    if step.action.endsEvent { context.processPendingChanges() }
    switch step.action {
    case .insert(let number, let entity):
      let object = context.new(entity, ["serial": number])
      learn(object, number)
      firstIDs[index][number] = object.objectID
      if setting.keepsObjects { kept[index][number] = object }
    case .set(let number, let key, let value): object(number).setValue(value.boxed, forKey: key)
    case .assign(let number, let name, let members):
      assign(object(number), name, members.map(object))
    case .add(let number, let name, let member):
      edit(object(number), name, { $0.add(object(member)) }, { $0.add(object(member)) })
    case .remove(let number, let name, let member):
      edit(object(number), name, { $0.remove(object(member)) }, { $0.remove(object(member)) })
    case .move(let number, let name, let from, let to):
      object(number).mutableOrderedSetValue(forKey: name).moveObjects(
        at: IndexSet(integer: from), to: to)
    case .delete(let number): context.delete(object(number))
    case .process: context.processPendingChanges()
    case .save: try save(index, expectation)
    case .policy(let policy): context.mergePolicy = policy.policy
    case .rollback:
      try reset(children: index)
      let isLevel = missed[index].isEmpty
      context.rollback()
      if !isLevel || context.parent != nil { context.refreshAllObjects() }
      try forget(index)
    case .reset:
      try reset(children: index)
      context.reset()
      kept[index] = [:]
      firstIDs[index] = [:]
      missed[index] = []
    case .refresh(let number, let merging): context.refresh(object(number), mergeChanges: merging)
    case .refreshAll:
      context.refreshAllObjects()
      try forget(index)
    case .merge:
      for notification in missed[index] { context.mergeChanges(fromContextDidSave: notification) }
      try forget(index)
    case .obtainIDs:
      let new = oracle.contexts[index].inserted.map { ($0, object($0)) }
      try context.obtainPermanentIDs(for: new.map(\.1))
      for (number, object) in new {
        if object.objectID.isTemporaryID {
          throw OracleMismatch("#\(number) has a temporary id still")
        }
        learn(object, number)
      }
    case .fetch(let fetch): try self.fetch(fetch, index, expectation)
    case .undo: context.undo()
    case .redo: context.redo()
    case .look: break
    }
    guard let event = expectation.event else { return }
    // A step that does not process changes is followed by processing in contexts that have children.
    context.processPendingChanges()
    switch step.action {
    // These post notifications of their own.
    case .rollback, .reset, .refresh, .refreshAll, .merge, .undo, .redo: break
    // The policy's changes have a notification of their own.
    case .save where expectation.mustRefresh: break
    default: try compare(event, logs[index], index)
    }
  }

  /// Compares the children of a context, and theirs, with the oracle.
  private func lookAtChildren(of index: Int) throws {
    for child in oracle.children(of: index) {
      try look(child)
      try lookAtChildren(of: child)
    }
  }

  func reset(children index: Int) throws {
    for child in oracle.children(of: index) {
      try within(child) {
        try perform(OracleStep(context: child, action: .reset), OracleExpectation())
      }
    }
  }

  /// After a context has what its store or parent has: it has missed no saves, and keeps no object that is gone.
  func forget(_ index: Int) throws {
    missed[index] = []
    let there = Set(oracle.contexts[index].now.numbers)
    kept[index] = kept[index].filter { there.contains($0.key) }
  }
}
