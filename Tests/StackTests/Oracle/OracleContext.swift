import Foundation

/// A set of which only bounds are promised.
struct OracleBounds: Equatable {
  var must: Set<Int>
  var may: Set<Int>

  init(_ exactly: Set<Int> = []) { (must, may) = (exactly, exactly) }
  init(must: Set<Int>, may: Set<Int>) { (self.must, self.may) = (must, may.union(must)) }

  func allow(_ numbers: Set<Int>) -> Bool {
    must.isSubset(of: numbers) && numbers.isSubset(of: may)
  }
}

/// What a notification carries.
struct OracleNotice {
  var inserted = OracleBounds()
  var updated = OracleBounds()
  var deleted = OracleBounds()

  var isCertain: Bool { !(inserted.must.isEmpty && updated.must.isEmpty && deleted.must.isEmpty) }
  var isPossible: Bool { !(inserted.may.isEmpty && updated.may.isEmpty && deleted.may.isEmpty) }
}

/// A context: what it read, what it has now, and who is inserted, touched and deleted.
struct OracleContext {
  /// The context it saves to; nil for the store.
  var parent: Int?
  /// What the store or the parent had when this context last had the same.
  var base = OracleGraph()
  var versions: [Int: OracleVersion] = [:]
  /// What its objects hold. Deleted ones stay until the save.
  var now = OracleGraph()
  private(set) var inserted: Set<Int> = []
  private(set) var deleted: Set<Int> = []
  /// Deleted objects whose rules have been applied.
  private var propagated: Set<Int> = []
  /// By object: the properties that were set since the last save, even if they have their old value again.
  private(set) var touched: [Int: Set<String>] = [:]
  /// By object: attributes that were set since the last save, perhaps to what they were.
  private(set) var written: [Int: Set<String>] = [:]

  private var event = Event()
  private struct Event {
    var inserted: Set<Int> = []
    var touched: Set<Int> = []
    var written: Set<Int> = []
    var deleted: Set<Int> = []
    var start = OracleGraph()
  }

  init(parent: Int?) { self.parent = parent }

  /// What a save would write: deleted objects are gone.
  var outcome: OracleGraph {
    var graph = now
    for number in deleted { graph.forget(number) }
    return graph
  }

  var living: [Int] { now.numbers.filter { !deleted.contains($0) } }

  /// Saved objects that differ from what was read.
  var differing: Set<Int> {
    Set(living.filter { !inserted.contains($0) && now[$0] != base[$0] })
  }

  private func countsAsUpdated(_ number: Int) -> Bool {
    !inserted.contains(number) && !deleted.contains(number)
  }

  /// An attribute that is set makes its object an updated one, be the value the same. A relationship that
  /// leads again where it led may or may not.
  var updated: OracleBounds {
    OracleBounds(
      must: differing.union(written.keys.filter(countsAsUpdated)),
      may: Set(touched.keys.filter(countsAsUpdated)))
  }

  /// What `changedValues()` has keys for.
  func changedKeys(_ number: Int) -> (must: Set<String>, may: Set<String>) {
    let must = now[number]!.differences(from: base[number])
    // A new object's values count from nothing: which of them are changes is not promised.
    if inserted.contains(number) { return ([], must) }
    return (must, must.union(touched[number] ?? []))
  }

  // Changes.

  private mutating func note() {
    for (number, keys) in now.takeTouched() {
      touched[number, default: []].formUnion(keys)
      event.touched.insert(number)
    }
  }

  mutating func insert(_ number: Int, _ entity: String) {
    now.insert(number, OracleRecord(entity, number: number))
    inserted.insert(number)
    event.inserted.insert(number)
  }

  mutating func set(_ number: Int, _ key: String, _ value: OracleValue) {
    now.set(number, key, value)
    written[number, default: []].insert(key)
    event.written.insert(number)
    note()
  }

  mutating func assign(_ number: Int, _ name: String, _ members: [Int]) {
    now.assign(number, name, members)
    note()
  }

  /// Marks an object: what it leads to learns of it when changes are processed.
  mutating func delete(_ number: Int) {
    deleted.insert(number)
    event.deleted.insert(number)
  }

  /// Applies delete rules until nobody else is to be deleted; then tells what the event was.
  @discardableResult
  mutating func process() throws -> OracleNotice {
    while let number = deleted.subtracting(propagated).min() {
      propagated.insert(number)
      for relationship in now.relationships(of: number) { apply(relationship, of: number) }
    }
    note()
    var notice = OracleNotice()
    notice.inserted = OracleBounds(event.inserted.subtracting(deleted))
    notice.deleted = OracleBounds(
      must: event.deleted.subtracting(inserted), may: event.deleted.subtracting(event.inserted))
    let start = event.start
    let changed = now.numbers.filter { event.written.contains($0) || now[$0] != start[$0] }
    notice.updated = OracleBounds(
      must: Set(changed).subtracting(inserted).subtracting(deleted),
      may: event.touched.subtracting(event.inserted).subtracting(deleted))
    // Inserted and deleted without a save between: as if it had never been.
    for number in inserted.intersection(deleted) { dismiss(number) }
    guard now.isClosed else { throw Unspecified("a relationship that is left leading nowhere") }
    event = Event()
    event.start = now
    return notice
  }

  private mutating func dismiss(_ number: Int) {
    now.forget(number)
    inserted.remove(number)
    deleted.remove(number)
    propagated.remove(number)
    touched[number] = nil
    written[number] = nil
  }

  private mutating func apply(_ relationship: OracleRelationship, of number: Int) {
    switch relationship.rule {
    case .noAction, .deny: return
    case .cascade:
      for member in now.links(number, relationship.name) where !deleted.contains(member) {
        delete(member)
      }
    case .nullify: break
    }
    let inverse = OracleSchema.house.inverse(of: relationship)
    for member in now.links(number, relationship.name) { now.leave(number, member, inverse) }
  }

  // Where a context starts again.

  /// The object counts as unchanged. No rule says whether the next notification still lists it.
  mutating func forgetChanges(of number: Int) {
    _ = now.takeTouched()
    touched[number] = nil
    written[number] = nil
    event.written.remove(number)
    event.start.insert(number, now[number]!)
  }

  /// Goes back to a moment. An object that did not exist then is deleted or, if it was new, forgotten. An object that
  /// was deleted since exists again; it counts as inserted if the store does not have it.
  mutating func restore(_ moment: OracleMoment) {
    var graph = moment.outcome
    for number in graph.numbers {
      var keys = graph[number]!.differences(from: now[number])
      if deleted.contains(number) { keys = graph[number]!.differences(from: nil) }
      if keys.isEmpty { continue }
      touched[number, default: []].formUnion(keys)
      // No rule says whether an object that is as it was read counts as updated.
      written[number]?.subtract(keys)
      if written[number]?.isEmpty == true { written[number] = nil }
    }
    inserted = Set(graph.numbers.filter { base[$0] == nil })
    deleted = Set(base.numbers.filter { graph[$0] == nil })
    propagated = deleted
    for number in now.numbers where graph[number] == nil {
      (touched[number], written[number]) = (nil, nil)
    }
    for number in deleted {
      var record = moment.now[number] ?? now[number] ?? base[number]!
      if moment.now[number] == nil { record.links = record.links.mapValues { _ in [] } }
      graph.insert(number, record)
    }
    now = graph
    event = Event()
    event.start = now
  }

  /// Objects that were deleted elsewhere leave. Nothing of them remains to be saved.
  mutating func lose(_ gone: Set<Int>) throws {
    for number in gone {
      let changed = now[number]!.differences(from: base[number])
      if !deleted.contains(number), !changed.isSubset(of: now[number]!.values.keys) {
        throw Unspecified("what becomes of relationships with an object that is gone")
      }
    }
    for number in gone where deleted.contains(number) {
      for relationship in now.relationships(of: number) {
        for member in now.links(number, relationship.name) where !deleted.contains(member) {
          now.leave(number, member, OracleSchema.house.inverse(of: relationship))
        }
      }
    }
    note()
    for number in gone { dismiss(number) }
  }

  /// Everything it holds is what the others have.
  mutating func level(with source: OracleGraph, _ versions: [Int: OracleVersion]) {
    let parent = parent
    self = OracleContext(parent: parent)
    base = source
    now = source
    self.versions = versions
    event.start = source
  }

  /// Takes newer values in, and puts its own changes over them.
  ///
  /// Only a merge is told which objects were deleted.
  mutating func refresh(
    from source: OracleGraph, _ versions: [Int: OracleVersion], isMerge: Bool
  ) throws {
    try process()
    if isMerge {
      let gone = now.numbers.filter {
        base[$0] != nil && source[$0] == nil && (deleted.contains($0) || touched[$0] != nil)
      }
      try lose(Set(gone))
    }
    for (number, keys) in touched where now[number] != nil && base[number] != nil {
      let toMany = now.relationships(of: number).filter { $0.isToMany && !$0.isOrdered }.map(\.name)
      let kept = keys.subtracting(toMany).subtracting(now[number]!.differences(from: base[number]))
      if let other = source[number], !kept.isDisjoint(with: other.differences(from: base[number])) {
        throw Unspecified("a property that was set to what it was")
      }
    }
    for number in Set(touched.keys).union(deleted) where base[number] != nil && now[number] != nil {
      guard let other = source[number] else {
        throw Unspecified("a change of an object that is gone")
      }
      if deleted.contains(number), other != base[number] {
        throw Unspecified("a deletion of an object that was changed")
      }
    }
    now = try source.merging(now, since: base, deleted: deleted)
    base = source
    self.versions = versions
    event.start = now
  }

  /// After a save: what it has is what it read.
  mutating func settle(_ versions: [Int: OracleVersion]) {
    let outcome = outcome
    for number in inserted.union(differing) { self.versions[number] = versions[number] }
    let kept = self.versions
    level(with: outcome, kept)
  }

  /// Takes a child's save over, as changes of its own: `result` is what it has afterwards.
  mutating func take(_ result: OracleGraph, from child: OracleContext) throws -> OracleNotice {
    var taken = result
    for number in deleted { taken.insert(number, now[number]!) }
    for number in child.deleted {
      var record = now[number]!
      record.links = record.links.mapValues { _ in [] }
      taken.insert(number, record)
    }
    for number in taken.numbers {
      var keys = taken[number]!.differences(from: now[number])
      if now[number] == nil {
        inserted.insert(number)
        event.inserted.insert(number)
      }
      keys.formUnion(child.touched[number] ?? [])
      if keys.isEmpty { continue }
      touched[number, default: []].formUnion(keys)
      event.touched.insert(number)
    }
    now = taken
    for number in child.deleted { delete(number) }
    return try process()
  }
}
