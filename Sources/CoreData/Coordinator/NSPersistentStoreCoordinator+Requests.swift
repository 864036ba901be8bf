/// Requests that go straight to the stores.
extension NSPersistentStoreCoordinator {
  /// Throws an error unless it is a batch request or one for history, and a `BatchConflict` if a constraint is
  /// violated.
  ///
  /// - Parameter permanentID: finds the id by which the context knows an object now; nil if no id has changed.
  func executeRequest(
    _ request: NSPersistentStoreRequest, _ answer: ConstraintAnswer, by origin: ChangeOrigin,
    for context: NSManagedObjectContext, permanentID: ((NSManagedObjectID) -> NSManagedObjectID)?
  ) throws -> NSPersistentStoreResult {
    try saving.together {
      try executeInCustomStores(request, context)
        ?? executeHoldingStores(
          request, answer: answer, origin: origin, context: context, permanentID: permanentID)
    }
  }

  private func executeHoldingStores(
    _ request: NSPersistentStoreRequest, answer: ConstraintAnswer, origin: ChangeOrigin,
    context: NSManagedObjectContext, permanentID: ((NSManagedObjectID) -> NSManagedObjectID)?
  ) throws -> NSPersistentStoreResult {
    switch request {
    case let request as NSBatchInsertRequest: return try insert(request, answer: answer, origin: origin)
    case let request as NSBatchDeleteRequest:
      return NSBatchDeleteResult(request.resultType, try delete(request, origin, permanentID: permanentID))
    case let request as NSPersistentHistoryChangeRequest:
      return try publicErrors { try executeHistory(request, for: context) }
    case let request as NSBatchUpdateRequest:
      let batch = try BatchUpdate(request, layouts, permanentID: permanentID)
      let ids = try publicErrors {
        try changeRows(
          in: batchStores(for: batch.rows.layout, among: request.affectedStores, "an NSBatchUpdateRequest")
        ) { try $0.update(batch, by: origin) }
      }
      return NSBatchUpdateResult(request.resultType, ids)
    default:
      let types = persistentStores.map(\.type).joined(separator: ", ")
      throw Failure.unsupportedRequest(request: "a request of class \(Swift.type(of: request))", store: types).nsError
    }
  }

  /// Inserts into the first store that takes the entity.
  private func insert(
    _ request: NSBatchInsertRequest, answer: ConstraintAnswer, origin: ChangeOrigin
  ) throws -> NSBatchInsertResult {
    let batch = try BatchInsert(request, layouts: layouts, answer: answer)
    let stores = try publicErrors {
      try batchStores(for: batch.layout, among: request.affectedStores, "an NSBatchInsertRequest")
    }
    let store = stores.first { !$0.isReadOnly } ?? stores[0]
    let done = try publicErrors { try store.insert(batch, by: origin) }
    if done.count > 0 { RemoteChanges.announce([store]) }
    return NSBatchInsertResult(request.resultType, count: done.count, ids: ids(done.rows, store))
  }

  private func delete(
    _ request: NSBatchDeleteRequest, _ origin: ChangeOrigin, permanentID: ((NSManagedObjectID) -> NSManagedObjectID)?
  ) throws -> [NSManagedObjectID] {
    let name = "an NSBatchDeleteRequest"
    guard let objectIDs = request.objectIDs?.map({ permanentID?($0) ?? $0 }) else {
      var fetch = try FetchDescription(request.fetchRequest, layouts)
      if let permanentID { fetch = fetch.replacingIDs(permanentID) }
      return try publicErrors {
        try changeRows(
          in: batchStores(
            for: fetch.layout, among: request.affectedStores ?? request.fetchRequest.affectedStores, name)
        ) { try $0.delete(.found(fetch), by: origin) }
      }
    }
    guard let first = objectIDs.first else { return [] }
    guard let root = layouts.layout(of: first.entity)?.root else {
      throw Failure.malformedBatchRequest(entity: first.entity.name, what: "the model has no entity of that name")
        .nsError
    }
    for id in objectIDs {
      guard layouts.layout(of: id.entity)?.rootIndex == root.index else {
        throw Failure.malformedBatchRequest(
          entity: first.entity.name,
          what: "the objects of a batch delete are of one entity, but there is one of \(id.entity.name ?? "none")"
        ).nsError
      }
      if id.key < 0 {
        throw Failure.malformedBatchRequest(
          entity: first.entity.name, what: "a batch delete takes saved objects, but \(id) is new"
        ).nsError
      }
    }
    return try publicErrors {
      let keys = Dictionary(grouping: objectIDs) { $0.storeIdentity?.uuid }.mapValues { $0.map(\.key) }
      let stores = try batchStores(for: root, among: request.affectedStores, name)
      return try changeRows(in: stores.filter { keys[$0.identity.uuid] != nil }) { store in
        try store.delete(.keys(keys[store.identity.uuid] ?? [], root: root), by: origin)
      }
    }
  }

  /// The stores with an entity. Throws if one of them does not support batch requests, before any store has changed.
  private func batchStores(
    for layout: EntityLayout, among asked: [NSPersistentStore]?, _ request: String
  ) throws -> [any BatchStore] {
    let all = persistentStores.filter { store in
      (asked?.contains { $0 === store } ?? true) && holds(store, layout)
    }
    if all.isEmpty { throw noStore(for: layout) }
    return try all.map { store in
      guard let rows = store as? any BatchStore else {
        throw Failure.unsupportedRequest(request: request, store: store.type)
      }
      return rows
    }
  }

  /// The answer of each store, as ids. With several stores a later one may fail after an earlier one has changed, but
  /// one that can't be written throws before any has.
  private func changeRows(
    in stores: [any BatchStore], _ body: (any BatchStore) throws -> [RowReference]
  ) throws -> [NSManagedObjectID] {
    for store in stores where store.isReadOnly { throw Failure.readOnlyStore(url: store.url, entity: nil) }
    return try stores.flatMap { store in
      let rows = try body(store)
      if !rows.isEmpty { RemoteChanges.announce([store]) }
      return ids(rows, store)
    }
  }

  private func ids(_ rows: [RowReference], _ store: any BatchStore) -> [NSManagedObjectID] {
    rows.map { NSManagedObjectID(layout: layouts[Int($0.entity)], key: $0.key, store: store.identity) }
  }
}
