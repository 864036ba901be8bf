/// Requests that custom stores get unchanged, and what they report.
extension NSPersistentStoreCoordinator {
  /// The answers of incremental stores to a batch request; nil for every other request, and if one of the stores with
  /// the entity does not take it.
  func executeInCustomStores(
    _ request: NSPersistentStoreRequest, _ context: NSManagedObjectContext
  ) throws -> NSPersistentStoreResult? {
    guard persistentStores.contains(where: { $0 is NSIncrementalStore }) else { return nil }
    switch request {
    case let request as NSBatchInsertRequest:
      let layout = request.entity.map(layouts.layout(of:)) ?? layouts.layout(named: request.entityName)
      guard let stores = try asked(of: layout, request, in: request.affectedStores, takesFirst: true) else {
        return nil
      }
      request.entity = layout?.entity
      let answer = try execute(
        request, in: stores, context, ids: request.resultType == .objectIDs, count: request.resultType == .count)
      return NSBatchInsertResult(request.resultType, count: answer.count, ids: answer.ids)
    case let request as NSBatchUpdateRequest:
      let layout = request.resolvedEntity.map(layouts.layout(of:)) ?? layouts.layout(named: request.entityName)
      guard let stores = try asked(of: layout, request, in: request.affectedStores) else { return nil }
      request.resolvedEntity = layout?.entity
      let answer = try execute(
        request, in: stores, context, ids: request.resultType == .updatedObjectIDsResultType,
        count: request.resultType == .updatedObjectsCountResultType)
      return NSBatchUpdateResult(request.resultType, answer.ids, count: answer.count)
    case let request as NSBatchDeleteRequest:
      let fetch = request.fetchRequest
      let layout = fetch.entity.map(layouts.layout(of:)) ?? fetch.entityName.flatMap(layouts.layout(named:))
      guard let stores = try asked(of: layout, request, in: request.affectedStores ?? fetch.affectedStores) else {
        return nil
      }
      if fetch.entity == nil { fetch.entity = layout?.entity }
      let answer = try execute(
        request, in: stores, context, ids: request.resultType == .resultTypeObjectIDs,
        count: request.resultType == .resultTypeCount)
      return NSBatchDeleteResult(request.resultType, answer.ids, count: answer.count)
    default: return nil
    }
  }

  /// The stores with an entity, if all of them are incremental and take the request.
  private func asked(
    of layout: EntityLayout?, _ request: NSPersistentStoreRequest, in asked: [NSPersistentStore]?,
    takesFirst: Bool = false
  ) throws -> [NSIncrementalStore]? {
    guard let layout else { return nil }
    var stores = persistentStores.filter { store in
      (asked?.contains { $0 === store } ?? true) && holds(store, layout)
    }
    if takesFirst { stores = [stores.first { !$0.isReadOnly } ?? stores.first].compactMap { $0 } }
    let authors = stores.compactMap { $0 as? NSIncrementalStore }
    guard !authors.isEmpty, authors.count == stores.count, authors.allSatisfy({ $0.canExecute(request) }) else {
      return nil
    }
    if let readOnly = authors.first(where: \.isReadOnly) {
      throw Failure.readOnlyStore(url: readOnly.url, entity: layout.name).nsError
    }
    return authors
  }

  private func execute(
    _ request: NSPersistentStoreRequest, in stores: [NSIncrementalStore], _ context: NSManagedObjectContext,
    ids wantsIDs: Bool, count wantsCount: Bool
  ) throws -> (ids: [NSManagedObjectID], count: Int) {
    var (ids, count) = ([NSManagedObjectID](), 0)
    for store in stores {
      let answer = try store.execute(request, with: context)
      let method: StaticString = "execute(_:with:)"
      func refuse(_ wanted: String) -> NSError {
        let what = "a batch request was to return \(wanted), but returned the type \(type(of: answer))"
        return store.broken(method, what).nsError
      }
      if wantsIDs {
        guard let found = answer as? [NSManagedObjectID] else { throw refuse("ids") }
        ids += found
        count += found.count
        store.rowCache.invalidate(found.compactMap { store.reference(of: $0, store.layouts) })
      } else {
        if wantsCount {
          guard let number = NSNumber(anyNumber: answer) else { throw refuse("a number, the count") }
          count += number.intValue
        }
        store.rowCache.invalidateAll()
      }
      RemoteChanges.announce([store])
    }
    return (ids, count)
  }
}

extension NSIncrementalStore {
  /// Call this in your store when it learns, from its server or by polling, that another process has written records.
  /// Any thread. Apple's framework has no such method.
  ///
  /// The shared rows are dropped, so the next fault reads them again. Objects keep their values, as they do when
  /// another process writes a SQLite file. Coordinators that have added the store with
  /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey` post `NSPersistentStoreRemoteChange`, with a token if the
  /// store keeps a history.
  ///
  /// - Parameter objectIDs: the changed objects; nil if the store does not know which.
  public final func recordsDidChange(_ objectIDs: [NSManagedObjectID]?) {
    if let objectIDs {
      rowCache.invalidate(objectIDs.compactMap { reference(of: $0, layouts) })
    } else {
      rowCache.invalidateAll()
    }
    RemoteChanges.announce([self])
  }
}
