/// Unsaved changes take part in fetches.
///
/// Invariant 10: a fetch with pending changes equals evaluating the same description in memory over the merged
/// rows.
extension NSManagedObjectContext {
  /// Whether unsaved changes could affect the result of a fetch.
  func hasPendingChanges(touching description: FetchDescription) -> Bool {
    if ledger.isEmpty { return false }
    let touched = touchedRoots(description).roots
    return ledger.containsPending { touched.contains($0.layout.rootIndex) }
  }

  /// The root entities of the fetched entity and of every key path in the predicate, the sort order and aggregates, and
  /// whether no key path goes through a relationship.
  private func touchedRoots(_ description: FetchDescription) -> (roots: Set<Int>, areLocal: Bool) {
    var roots: Set<Int> = [description.layout.rootIndex]
    var areLocal = true
    func follow(_ path: [String], from start: EntityLayout) {
      var layout = start
      for key in path where key.utf8.first != UInt8(ascii: "@") {
        guard let property = layout.property(named: key), property.isRelationship else { return }
        layout = owner.layouts.layouts[property.destination]
        roots.insert(layout.rootIndex)
        areLocal = false
      }
    }
    description.predicate?.forEachRootedPath { path in
      guard let start = path.cast.map(owner.layouts.layout(of:)) ?? description.layout else { return }
      follow(path.keys, from: start)
    }
    for key in description.sort { follow(key.path, from: description.layout) }
    if case .dictionaries(let fetch) = description.output {
      for column in fetch.columns {
        if case .keyPath(let path)? = column.expression.aggregateOfRows?.of { follow(path, from: description.layout) }
      }
    }
    return (roots, areLocal)
  }

  /// Whether an object is in one of the stores, or will be with its first save. nil are all stores.
  func isObject(_ object: NSManagedObject, in stores: [NSPersistentStore]?) throws -> Bool {
    guard let stores else { return true }
    let store =
      try owner.storeIdentity(object.store)
      ?? coordinator(for: "fetch(_:)").storeForNewObjects(of: object.layout).identity
    return stores.contains { $0.identity === store }
  }

  /// The stores' answer with this context's changes over it.
  func overlaid(_ description: FetchDescription, _ options: FetchOptions) throws -> [NSManagedObject] {
    // Only an evaluation over all objects can say how changes of other objects affect a key path.
    let runsCode = description.runsCode
    let isLocal = !runsCode && touchedRoots(description).areLocal
    var options = options
    options.answers = nil
    var wide = description.uncut
    if !isLocal { wide.predicate = nil }
    if runsCode { wide.sort = [] }
    wide.output = .rows
    let evaluator = try description.predicate.map { try PredicateEvaluator($0) }
    let root = description.layout.rootIndex
    func isPending(_ object: NSManagedObject) -> Bool { !object.state.isDisjoint(with: .pending) }
    func matches(_ object: NSManagedObject) throws -> Bool {
      guard !object.state.contains(.deleted), description.entities.contains(object.layout.index) else { return false }
      return try evaluator?.matches(object) ?? true
    }
    var found = try source.candidates(wide, options, for: self)
    found = try found.filter { isPending($0) ? false : isLocal ? true : try matches($0) }
    var pending: [NSManagedObject] = []
    for object in ledger.newObjects where object.layout.rootIndex == root {
      if try matches(object), try isObject(object, in: options.stores) { pending.append(object) }
    }
    for object in ledger.changedObjects where object.layout.rootIndex == root {
      if try matches(object), try isObject(object, in: options.stores) { pending.append(object) }
    }
    found += pending
    if !description.sort.isEmpty,
      try !pending.isEmpty || !isLocal || source.isSpread(description, options, for: self)
    {
      try sort(&found, by: description.sort)
    }
    return description.cut(found)
  }

  func sort(_ objects: inout [NSManagedObject], by keys: [SortKey]) throws {
    objects = try keys.sorted(objects) { object in
      try keys.map { try PredicateEvaluator.value(of: object, path: $0.path) }
    }
  }
}
