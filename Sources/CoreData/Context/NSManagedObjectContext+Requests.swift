extension NSManagedObjectContext {
  /// ``execute(_:)``.
  func executeInStores(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    if let running = try request.start(in: self) { return running }
    guardQueue("execute(_:)")
    let coordinator = coordinator(for: "execute(_:)")
    let result = try coordinator.execute(request, with: self)
    guard let result = result as? NSPersistentStoreResult else {
      misuse("A coordinator's execute(_:with:) returned \(type(of: result)) to a batch request, which is no result.")
    }
    return result
  }

  func executeRequest(
    _ request: NSPersistentStoreRequest, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    source.learnKeys(for: self)
    do {
      return try coordinator.executeRequest(
        request, constraintAnswer, by: source.batchOrigin(of: self), for: self,
        permanentID: formerKeys.isEmpty ? nil : permanentID)
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
