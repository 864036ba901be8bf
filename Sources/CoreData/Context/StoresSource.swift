/// The coordinator's stores as the source of a context without a parent. It has no state of its own; it uses the
/// context's.
final class StoresSource: ContextSource {
  func didAttach(_ context: NSManagedObjectContext, to coordinator: NSPersistentStoreCoordinator) {
    coordinator.remember(context)
  }

  func sibling(of context: NSManagedObjectContext) -> NSManagedObjectContext {
    let sibling = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    sibling.persistentStoreCoordinator = context.persistentStoreCoordinator
    return sibling
  }

  var keepsTemporaryKeys: Bool { false }

  func learnKeys(for context: NSManagedObjectContext) -> Bool { false }

  func beginKeys(of context: NSManagedObjectContext) {}

  func noteTemporaryMembers(of plan: SavePlan) {}

  func obtainPermanentKeys(for objects: [NSManagedObject], in context: NSManagedObjectContext) {}

  func generation(for context: NSManagedObjectContext) throws -> QueryGeneration? { try context.pinnedGeneration() }

  func batchOrigin(of context: NSManagedObjectContext) -> ChangeOrigin { context.changeOrigin }

  // Rows.

  /// The row comes from the shared cache, unless ``NSManagedObjectContext/stalenessInterval`` forbids that; else from
  /// the batch that the object was fetched with, else from the store.
  func row(
    of object: NSManagedObject, for context: NSManagedObjectContext
  ) throws -> RowSnapshot? {
    guard object.key > 0, let reader = try context.reader(of: object.store) else { return nil }
    let allowedAge = context.stalenessInterval
    if allowedAge < 0, let cached = reader.rowCache.row(object.reference) {
      return try matching(cached, object)
    }
    if allowedAge >= 0 { distrustRow(of: object, context) }
    if let row = try batchedRow(of: object, reader, context) { return try matching(row, object) }
    let row = try publicErrors { try reader.faultRow(forKey: object.key, at: object.places) }
    return try matching(row, object)
  }

  /// The next read goes to the file, past the cache and past a transaction that an earlier read has left open.
  private func distrustRow(of object: NSManagedObject, _ context: NSManagedObjectContext) {
    if context.isPinned { return }
    context.owner.storeIdentity(object.store)?.rowStore?.changedElsewhere([object.reference])
  }

  /// If the fault comes from a batched fetch, the whole batch around it is read at once.
  private func batchedRow(
    of object: NSManagedObject, _ reader: any RowReader, _ context: NSManagedObjectContext
  ) throws -> RowSnapshot? {
    guard !context.batches.isEmpty, let keys = context.batchedKeys(around: object) else { return nil }
    let rows = try publicErrors { try reader.rows(forKeys: keys, in: object.layout.root) }
    var found: RowSnapshot?
    for row in rows {
      if row.key == object.key {
        found = row
      } else if let other = context.owner.registered(row.reference, store: object.store),
        other.state.contains(.fault), other.row == nil, other.places.entity == row.entity
      {
        other.row = row
      }
    }
    return found
  }

  func newestRow(of object: NSManagedObject, for context: NSManagedObjectContext) throws -> RowSnapshot? {
    let row = try publicErrors {
      try context.reader(of: object.store)?.faultRow(forKey: object.key, at: object.places)
    }
    return try matching(row, object)
  }

  func cachedRow(of object: NSManagedObject, for context: NSManagedObjectContext) -> RowSnapshot? {
    let row = (try? context.reader(of: object.store))?.rowCache.row(object.reference)
    return row?.entity == object.places.entity ? row : nil
  }

  func readRows(of objects: [NSManagedObject], for context: NSManagedObjectContext) throws {
    try readRows(of: objects, for: context) { members, rows in
      for member in members { member.row = try matching(rows[Int(member.key)], member) }
    }
  }

  func objectsWithoutRows(
    among objects: [NSManagedObject], for context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    var gone: [NSManagedObject] = []
    try readRows(of: objects, for: context) { members, rows in
      gone += members.filter { rows[Int($0.key)] == nil }
    }
    return gone
  }

  /// One request for each store and hierarchy. All keys of its tables are of the type Int: the first table with another
  /// type of key takes hundreds of thousands of instructions in a process, to find out how such keys are hashed.
  ///
  /// - Parameter take: called with the objects of each hierarchy in a store, and their rows by key.
  private func readRows(
    of objects: [NSManagedObject], for context: NSManagedObjectContext,
    take: ([NSManagedObject], [Int: RowSnapshot]) throws -> Void
  ) throws {
    for (number, group) in Dictionary(grouping: objects, by: { Int($0.store) }) {
      guard let reader = try context.reader(of: UInt16(number)) else { continue }
      for members in Dictionary(grouping: group, by: \.layout.rootIndex).values {
        let rows = try publicErrors {
          try reader.rows(forKeys: Set(members.map { Int($0.key) }).map { Int64($0) }, in: members[0].layout.root)
        }
        try take(members, Dictionary(rows.map { (Int($0.key), $0) }, uniquingKeysWith: { first, _ in first }))
      }
    }
  }

  // Members.

  func members(
    of property: LayoutProperty, in object: NSManagedObject, for context: NSManagedObjectContext
  ) throws -> ContiguousArray<RowReference> {
    guard let reader = try memberReader(of: object, context) else { return [] }
    return ContiguousArray(try publicErrors { try reader.members(of: property, owner: object.reference) })
  }

  func members(
    of property: LayoutProperty, in object: NSManagedObject, atMost limit: Int, for context: NSManagedObjectContext
  ) throws -> ContiguousArray<RowReference>? {
    guard let reader = try memberReader(of: object, context) else { return [] }
    let members = try publicErrors { try reader.members(of: property, owner: object.reference, atMost: limit) }
    return members.map { ContiguousArray($0) }
  }

  /// The reader for an object's members; nil if the store can't have any.
  private func memberReader(of object: NSManagedObject, _ context: NSManagedObjectContext) throws -> (any RowReader)? {
    // A new object may have its permanent id before the store has its row.
    object.key > 0 && !object.state.contains(.inserted) ? try context.reader(of: object.store) : nil
  }

  func readMembers(
    _ key: String, of objects: [NSManagedObject], for context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    struct Kind: Hashable {
      let store: UInt16
      let entity: Int
    }
    var unread: [Kind: [Int64: NSManagedObject]] = [:]
    for object in objects where object.key > 0 {
      guard let property = object.layout.property(named: key), property.kind == .toMany, !property.isTransient,
        object.toManyState(property).base == nil
      else { continue }
      unread[Kind(store: object.store, entity: object.layout.index), default: [:]][object.key] = object
    }
    let owner: ContextOwner = context.owner
    var members: [NSManagedObject] = []
    for (kind, owners) in unread {
      let layout = owner.layouts[kind.entity]
      guard let property = layout.property(named: key), let reader = try context.reader(of: kind.store) else {
        continue
      }
      let rows = try publicErrors { try reader.memberRows(of: property, owners: Array(owners.keys), of: layout) }
      let found = owner.objects(for: rows.map(\.row), store: kind.store, refreshing: false)
      members += found
      var first = 0
      var childless = owners
      while first < rows.count {
        let key = rows[first].owner
        let end = rows[first...].firstIndex { $0.owner != key } ?? rows.count
        if let object = childless.removeValue(forKey: key) {
          let state = object.toManyState(property)
          state.read(ContiguousArray(rows[first..<end].lazy.map(\.row.reference)))
          if !state.isChanged { state.use(ContiguousArray(found[first..<end])) }
        }
        first = end
      }
      for object in childless.values { object.toManyState(property).read([]) }
    }
    return members
  }
}
