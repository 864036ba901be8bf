/// Unsaved changes take part in fetches.
///
/// Invariant 10: a fetch with pending changes equals evaluating the same description in memory over the merged
/// rows.
extension NSManagedObjectContext {
  /// Whether unsaved changes could affect the result of a fetch.
  func hasPendingChanges(touching description: FetchDescription) -> Bool {
    if ledger.isEmpty { return false }
    let own = description.layout.rootIndex
    let others = rootsBehindRelationships(description)
    return ledger.containsPending {
      $0.layout.rootIndex == own || others.contains($0.layout.rootIndex)
    }
  }

  /// The root entities of the objects whose own rows a fetch reads besides those that it finds: the ends and the steps
  /// of the key paths in its predicate, its order and its aggregates.
  ///
  /// Which object a to-one relationship leads to stands in the row that has the relationship, so a path that ends with
  /// one reads no row of its destination.
  private func rootsBehindRelationships(_ description: FetchDescription) -> Set<Int> {
    var roots: Set<Int> = []
    func follow(_ path: [String], from start: EntityLayout) {
      var layout = start
      let keys = path.filter { $0.utf8.first != UInt8(ascii: "@") }
      for (index, key) in keys.enumerated() {
        guard let property = layout.property(named: key), property.isRelationship else { return }
        layout = owner.layouts[property.destination]
        let isEnd = index + 1 == keys.count || keys[index + 1] == "objectID"
        if property.kind == .toMany || !isEnd { roots.insert(layout.rootIndex) }
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
    return roots
  }

  /// Whether an object is in one of the stores, or will be with its first save. nil are all stores.
  func isObject(_ object: NSManagedObject, in stores: [NSPersistentStore]?) throws -> Bool {
    guard let stores else { return true }
    let store =
      try owner.storeIdentity(object.store)
      ?? coordinator(for: "fetch(_:)").storeForNewObjects(of: object.layout).identity
    return stores.contains { $0.identity === store }
  }

  /// The stores' answer with this context's changes over it. A changed object that the stores found, and that still
  /// matches, keeps its place among the others; the rest of the changed and new ones follow.
  func overlaid(_ description: FetchDescription, _ options: FetchOptions) throws -> [NSManagedObject] {
    let root = description.layout.rootIndex
    let runsCode = description.runsCode
    let otherRoots = rootsBehindRelationships(description)
    // Only an evaluation over all objects can say how changes of other objects affect a key path.
    let isLocal = !runsCode && !ledger.containsPending { otherRoots.contains($0.layout.rootIndex) }
    var options = options
    options.answers = nil
    var wide = description.uncut
    let end = description.limitWithOffset
    if isLocal, end > 0 {
      // The stores may find each changed object where it no longer belongs.
      let surplus = (ledger.changedObjects + ledger.deletedObjects).count { $0.layout.rootIndex == root }
      if end <= .max - surplus { wide.limit = end + surplus }
    }
    if !isLocal { wide.predicate = nil }
    if runsCode { wide.sort = [] }
    wide.output = .rows
    let evaluator = try description.predicate.map { try PredicateEvaluator($0) }
    func isPending(_ object: NSManagedObject) -> Bool { !object.state.isDisjoint(with: .pending) }
    func matches(_ object: NSManagedObject) throws -> Bool {
      guard !object.state.contains(.deleted), description.entities.contains(object.layout.index) else { return false }
      return try evaluator?.matches(object) ?? true
    }
    // The changed objects that keep their places, and those that come behind.
    var foundAgain: Set<ObjectIdentifier> = []
    var others: [NSManagedObject] = []
    var found = try source.candidates(wide, options, for: self)
    found = try found.filter { object in
      if !isPending(object) { return try isLocal || matches(object) }
      guard try matches(object) else { return false }
      foundAgain.insert(ObjectIdentifier(object))
      return true
    }
    for object in ledger.newObjects where object.layout.rootIndex == root {
      if try matches(object), try isObject(object, in: options.stores) { others.append(object) }
    }
    for object in ledger.changedObjects
    where object.layout.rootIndex == root && !foundAgain.contains(ObjectIdentifier(object)) {
      if try matches(object), try isObject(object, in: options.stores) { others.append(object) }
    }
    found += others
    if !description.sort.isEmpty,
      try !foundAgain.isEmpty || !others.isEmpty || !isLocal || source.isSpread(description, options, for: self)
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
