import Foundation

/// Reads and saves objects, batch by batch.
extension MigrationRun {
  func sourceRows(_ mapping: NSEntityMapping) throws -> [RowReference] {
    guard mapping.sourceEntityName != nil else { return [] }
    switch mapping.mappingType {
    case .addEntityMappingType, .removeEntityMappingType: return []
    default: break
    }
    return try job.reading {
      let request = try MigrationExpressions.sourceRequest(of: mapping, manager: manager)
      var description = try source.context.answeringFetches(
        FetchDescription(request, source.layouts), pendingChanges: false)
      description.output = .references
      let answers = try source.coordinator.answers(to: description, for: source.context, stores: nil, nil)
      let rows = answers.flatMap { $0.outcome.references ?? RowReferences() }
      // Without a requested order a store may answer in the order of an index. New objects get keys in the order of the
      // old ones.
      return request.sortDescriptors?.isEmpty ?? true ? rows.sorted(on: \.key) : rows
    }
  }

  func sourceObjects(_ rows: [RowReference]) throws -> [NSManagedObject] {
    let objects = source.faults(rows)
    try job.reading { try source.context.readRows(of: objects) }
    return objects
  }

  /// The objects of rows, without those that a policy has deleted since.
  func destinationObjects(_ rows: [RowReference]) throws -> [NSManagedObject] {
    let objects = destination.faults(rows)
    try job.writing { try destination.context.readRows(of: objects) }
    return objects.filter { $0.row != nil && !$0.isDeleted }
  }

  /// Throws the error of what could not be read of either store where nothing can be thrown.
  func checkReading() throws {
    try job.reading { try source.checkReading() }
    try job.writing { try destination.checkReading() }
  }

  // Saving.

  /// Saves new and changed objects, and releases the rows that were read. Objects that are still held become faults.
  func savePass() throws {
    try checkReading()
    let context = destination.context
    context.processPendingChanges()
    if context.hasChanges {
      do { try context.save() } catch { throw saveFailure(error as NSError) }
    }
    associations.exchangeObjectsForKeys()
    for context in [context, source.context] { context.forgetReadRows() }
  }

  /// Called after each save of the destination's context, one that a policy asked for included.
  func noteSave(_ new: ContiguousArray<NSManagedObject>, _ deleted: [RowReference]) {
    for object in new where object.key > 0 {
      made[object.layout.index].append(object.key)
      if keepsObjects { kept.append(object) }
    }
    if !deleted.isEmpty { forgetObjects(Set(deleted)) }
  }

  /// The number of objects of each entity that the finished store has to have. Policies may write past the context's
  /// saves, by a batch request or another context, so that after those of the program the store itself is asked.
  func counts() throws -> [String: Int] {
    if keepsObjects { return try job.writing { try destination.counts() } }
    return Dictionary(uniqueKeysWithValues: zip(destination.layouts.layouts, made).map { ($0.name, $1.count) })
  }

  private func saveFailure(_ error: NSError) -> Failure {
    if error.code == NSManagedObjectConstraintMergeError,
      let conflict = (error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any])?.first
        as? NSConstraintConflict,
      let object = conflict.conflictingObjects.first
    {
      return .migrationViolatesConstraint(
        url: job.destination.url, entity: object.layout.name, attributes: conflict.constraint,
        values: conflict.constraint.map { conflict.constraintValues[$0] })
    }
    return .migrationDestinationStore(url: job.destination.url, underlying: error)
  }

  private func forgetObjects(_ gone: Set<RowReference>) {
    associations.remove(destinations: gone)
    for (entity, keys) in Dictionary(grouping: gone, by: { Int($0.entity) }) {
      let keys = Set(keys.map(\.key))
      made[entity].removeAll { keys.contains($0) }
    }
  }
}

extension NSManagedObjectContext {
  /// Turns all objects without changes into faults, and forgets everything else that was kept of the stores' rows.
  func forgetReadRows() {
    for object in owner?.objectsWithRows ?? [] where object.state.isDisjoint(with: .pending) { object.turnIntoFault() }
    recentDestinations.removeAll()
    batches = []
    forgetKeys()
  }
}
