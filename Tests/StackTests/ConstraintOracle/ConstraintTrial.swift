import CoreData
import Foundation

/// Takes rounds in contexts and in the oracle, and compares what is in the store after each.
final class ConstraintTrial {
  /// Where the graph lies. Each is made once for many rounds.
  enum Place: CaseIterable {
    /// SQLite without a file.
    case database
    case memory
    /// A file, which is read through a coordinator of its own.
    case file
  }

  let place: Place
  private let coordinator: NSPersistentStoreCoordinator
  private let reader: NSPersistentStoreCoordinator
  private let url: URL
  private(set) var stored: ThingGraph = [:]
  private var numbers: [String: Int] = [:]
  private var ids: [Int: NSManagedObjectID] = [:]
  /// How many saves have met a state that breaks a constraint, and how many of these have failed.
  private(set) var clashes = 0
  private(set) var refusals = 0

  private static let model = ThingKind.model()

  init(_ place: Place) throws {
    self.place = place
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
    url = place == .file ? file : URL(fileURLWithPath: "/dev/null")
    let options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["synchronous": "OFF"]]
    _ = try coordinator.addPersistentStore(
      ofType: place == .memory ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil, at: url,
      options: options)
    guard place == .file else {
      reader = coordinator
      return
    }
    reader = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    _ = try reader.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
  }

  deinit {
    guard place == .file else { return }
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
  }

  /// Removes everything, for another program.
  func clear() throws {
    try inContext { context in
      for kind in ThingKind.allCases {
        for object in try context.all(kind.rawValue) { context.delete(object) }
      }
      try context.save()
    }
    (stored, numbers, ids) = ([:], [:], [:])
  }

  private func inContext<Result>(
    _ coordinator: NSPersistentStoreCoordinator? = nil, _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator ?? self.coordinator
    context.undoManager = nil
    return try context.performAndWait { try body(context) }
  }

  func take(_ round: ConstraintRound) throws {
    try inContext { context in
      var objects: [Int: NSManagedObject] = [:]
      for number in round.read { if let id = ids[number] { objects[number] = context.object(with: id) } }
      for object in objects.values { object.read() }
      try changeElsewhere(round.other)
      var oracle = ConstraintOracle(stored)
      if !round.child.isEmpty { try changeInChild(of: context, round, &oracle, &objects) }
      apply(round.edits, &oracle, &objects, context)
      oracle.endEvent()
      try save(context, round, &oracle, objects)
    }
  }

  /// Makes the edits that the oracle can make too.
  private func apply(
    _ edits: [ThingEdit], _ oracle: inout ConstraintOracle, _ objects: inout [Int: NSManagedObject],
    _ context: NSManagedObjectContext
  ) {
    func object(_ number: Int) -> NSManagedObject {
      if let object = objects[number] { return object }
      let object = context.object(with: ids[number]!)
      objects[number] = object
      return object
    }
    for edit in edits where oracle.take(edit) {
      switch edit {
      case .insert(let number, let kind): objects[number] = context.new(kind.rawValue)
      case .set(let number, let field, let value):
        if ThingKind.destination(of: field) != nil {
          object(number).setValue(value.map(object), forKey: field)
        } else {
          object(number).setValue(value.map { ThingKind.value($0, of: field) }, forKey: field)
        }
      case .delete(let number): context.delete(object(number))
      }
    }
  }

  private func changeElsewhere(_ edits: [ThingEdit]) throws {
    if edits.isEmpty { return }
    try inContext { context in
      var objects: [Int: NSManagedObject] = [:]
      var oracle = ConstraintOracle(stored)
      apply(edits, &oracle, &objects, context)
      oracle.endEvent()
      let before = stored
      let error = failure { try context.save() }
      let outcome = oracle.save(.errorMergePolicyType)
      guard (error == nil) == (outcome == .saved) else {
        throw OracleMismatch(
          "the other context's save gave \(error.map { "\($0)" } ?? "no error"), not \(outcome)")
      }
      if error != nil { return }
      stored = oracle.stored
      note(objects, before)
    }
  }

  private func changeInChild(
    of parent: NSManagedObjectContext, _ round: ConstraintRound, _ oracle: inout ConstraintOracle,
    _ objects: inout [Int: NSManagedObject]
  ) throws {
    var line = [parent]
    for _ in 0..<round.depth { line.append(.child(of: line.last!)) }
    let child = line.last!
    var theirs: [Int: NSManagedObject] = [:]
    try child.performAndWait {
      apply(round.child, &oracle, &theirs, child)
      oracle.endEvent()
      try child.save()
    }
    for context in line.dropFirst().dropLast().reversed() {
      try context.performAndWait { try context.save() }
    }
    // What was inserted and deleted in the child, the parent never knows.
    for (number, object) in theirs
    where objects[number] == nil && (oracle.now[number] ?? stored[number]) != nil {
      objects[number] = parent.object(with: child.performAndWait { object.objectID })
    }
  }

  private func save(
    _ context: NSManagedObjectContext, _ round: ConstraintRound, _ oracle: inout ConstraintOracle,
    _ objects: [Int: NSManagedObject]
  ) throws {
    let isLegal = ConstraintOracle.isLegal(oracle.now)
    if !isLegal { clashes += 1 }
    context.mergePolicy = NSMergePolicy(merge: round.policy)
    var outcome = try compare(context, round.policy, &oracle, objects)
    if case .refused(let atOnce) = outcome {
      refusals += 1
      if isLegal { throw OracleMismatch("the oracle refuses what breaks no constraint") }
      guard atOnce else { return }
      // The context is as it was, so that another policy can settle it.
      let next: NSMergePolicyType =
        round.policy == .errorMergePolicyType
        ? .mergeByPropertyObjectTrumpMergePolicyType : .rollbackMergePolicyType
      context.mergePolicy = NSMergePolicy(merge: next)
      outcome = try compare(context, next, &oracle, objects)
      if case .refused(let atOnce) = outcome, atOnce {
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        _ = try compare(context, .mergeByPropertyStoreTrumpMergePolicyType, &oracle, objects)
      }
    }
  }

  /// Saves, and compares what is in the store and in the context with the oracle's rules.
  private func compare(
    _ context: NSManagedObjectContext, _ policy: NSMergePolicyType, _ oracle: inout ConstraintOracle,
    _ objects: [Int: NSManagedObject]
  ) throws -> ConstraintOracle.Outcome {
    let before = stored
    let asked = oracle.now
    context.processPendingChanges()
    let pending = (context.insertedObjects, context.updatedObjects, context.deletedObjects)
    let error = failure { try context.save() }
    let outcome = oracle.save(policy)
    if outcome == .saved {
      if let error { throw OracleMismatch("\(policy): the save failed: \(error) \(error.userInfo)") }
      stored = oracle.stored
      note(objects, before)
      let found = try read(reader)
      // Under any policy: an object that existed before is in the store, unless the program has deleted it.
      for number in before.keys where asked[number] != nil && found[number] == nil {
        throw OracleMismatch("\(policy): \(number) is gone from the store")
      }
      if !ConstraintOracle.isLegal(found) {
        throw OracleMismatch("\(policy): the store breaks a constraint: \(found)")
      }
      try same("in the store", policy, found, stored)
      if context.hasChanges { throw OracleMismatch("\(policy): there are changes left after the save") }
      for (number, object) in objects {
        guard let thing = stored[number] else {
          if object.managedObjectContext != nil {
            throw OracleMismatch("\(policy): \(number) is still in the context")
          }
          continue
        }
        try same("of \(number) in the context", policy, [number: self.thing(object)], [number: thing])
      }
    } else {
      guard let error else { throw OracleMismatch("\(policy): the save has not failed") }
      if error.code != NSManagedObjectConstraintMergeError {
        throw OracleMismatch("\(policy): the error is \(error)")
      }
      if (error.userInfo["conflictList"] as? [NSConstraintConflict])?.isEmpty != false {
        throw OracleMismatch("\(policy): the error has no conflicts: \(error)")
      }
      try same("in the store after an error", policy, try read(reader), before)
      if outcome == .refused(atOnce: true),
        pending != (context.insertedObjects, context.updatedObjects, context.deletedObjects)
      {
        throw OracleMismatch("\(policy): the context is not as it was")
      }
    }
    return outcome
  }

  private func same(_ what: String, _ policy: NSMergePolicyType, _ found: ThingGraph, _ wanted: ThingGraph)
    throws
  {
    if found == wanted { return }
    func list(_ graph: ThingGraph, but other: ThingGraph) -> String {
      graph.filter { other[$0.key] != $0.value }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        .joined(separator: "; ")
    }
    throw OracleMismatch(
      "\(policy): \(what): found [\(list(found, but: wanted))], not [\(list(wanted, but: found))]")
  }

  /// Which objects new rows are of.
  private func note(_ objects: [Int: NSManagedObject], _ before: ThingGraph) {
    for (number, object) in objects where before[number] == nil && stored[number] != nil {
      ids[number] = object.objectID
      numbers[object.objectID.uriRepresentation().absoluteString] = number
    }
  }

  private func number(_ object: NSManagedObject) -> Int? {
    numbers[object.objectID.uriRepresentation().absoluteString]
  }

  private func thing(_ object: NSManagedObject) -> Thing {
    var thing = Thing(kind: ThingKind(rawValue: object.entity.name!)!)
    for field in thing.kind.fields {
      let value = object.value(forKey: field)
      if let destination = value as? NSManagedObject {
        thing.fields[field] = number(destination) ?? -1
      } else {
        thing.fields[field] = ThingKind.number(value, of: field)
      }
    }
    return thing
  }

  private func read(_ coordinator: NSPersistentStoreCoordinator) throws -> ThingGraph {
    try inContext(coordinator) { context in
      var graph: ThingGraph = [:]
      for kind in [ThingKind.shelf, .item, .note] {
        for object in try context.all(kind.rawValue) {
          guard let number = number(object) else {
            throw OracleMismatch("nobody has made \(object.objectID)")
          }
          graph[number] = thing(object)
        }
      }
      return graph
    }
  }
}
