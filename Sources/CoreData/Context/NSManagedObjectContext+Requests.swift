extension NSPersistentStoreCoordinator {
  /// Has the stores execute a request. A fetch returns an array of its result type, without unsaved changes; a batch
  /// request returns its result. Called on the context's queue.
  public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
    if let found = try request.found(in: context) { return found }
    if let running = try request.start(in: context) { return running }
    return try context.executeBatch(request, self)
  }
}

extension NSManagedObjectContext {
  /// ``execute(_:)``.
  func executeInStores(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    if let running = try request.start(in: self) { return running }
    guardQueue("execute(_:)")
    let coordinator = try coordinator(for: "execute(_:)")
    if !(request is NSPersistentHistoryChangeRequest), request.requestType == .fetchRequestType {
      throw Failure.malformedFetchRequest(
        entity: nil, what: "execute(_:) takes batch requests; use fetch(_:) for a fetch"
      ).nsError
    }
    return try executeBatch(request, coordinator)
  }

  fileprivate func executeBatch(
    _ request: NSPersistentStoreRequest, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    do {
      return try coordinator.executeBatch(request, constraintAnswer, by: source.batchOrigin(of: self), for: self)
    } catch let conflict as BatchConflict {
      throw Failure.batchConstraintConflict(
        entity: conflict.entity.name, constraint: conflict.constraint, values: conflict.values,
        conflict: publicConflict(conflict)
      ).nsError
    }
  }

  /// The author of this context's changes, for history.
  var changeOrigin: ChangeOrigin { ChangeOrigin(author: transactionAuthor, contextName: name) }

  /// What the merge policy's type does with new rows that break a constraint. The policy's methods are not called,
  /// because there are no objects to hand them.
  private var constraintAnswer: ConstraintAnswer {
    switch (mergePolicy as? NSMergePolicy ?? .error).mergeType {
    case .errorMergePolicyType: .fail
    case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: .keep
    case .mergeByPropertyObjectTrumpMergePolicyType: .merge
    case .overwriteMergePolicyType: .overwrite
    }
  }

  private func publicConflict(_ conflict: BatchConflict) -> NSConstraintConflict {
    let existing = conflict.persisted.map {
      owner.object(for: $0.reference, store: owner.number(of: conflict.store))
    }
    var values: [String: Any] = [:]
    for (name, value) in zip(conflict.constraint, conflict.values) { values[name] = value ?? NSNull() }
    return NSConstraintConflict(
      constraint: conflict.constraint, values: values, databaseObject: existing,
      databaseSnapshot: conflict.persisted.flatMap { row in existing?.snapshot(of: row) })
  }
}
