import Foundation

/// What an inferred mapping can't do because of the objects that a store has. Without them, the same change of the
/// model is no obstacle.
extension StoreMigration {
  /// Refuses a migration if the store has objects of an entity that has become abstract, or objects without a value for
  /// a property that needs one. These changes need code of the program.
  ///
  /// - Throws: `Failure.migrationFailed`.
  func refuseObjects(_ delta: ModelDelta) throws {
    if delta.pairsThatNeedCode.isEmpty { return }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: delta.source)
    let named = try delta.configuration(ofStore: storedHashes, at: shownURL, or: configuration)
    // A refused migration leaves the file as it was. Closing a store that may be written empties its log into it.
    var options = MigrationStack.reading(options)
    options[NSReadOnlyPersistentStoreOption] = true
    let store = try coordinator.addPersistentStore(ofType: type, configurationName: named, at: url, options: options)
    defer { try? coordinator.remove(store) }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try delta.refuseObjects(context, of: shownURL)
  }
}

extension NSMigrationManager {
  /// Refuses objects that code would have to complete, in a manager's own migration by an inferred mapping.
  func refuseObjects(_ job: MigrationJob) throws {
    guard let delta = job.delta, !delta.pairsThatNeedCode.isEmpty else { return }
    let source = try job.reading { try MigrationStack(reading: job.source, sourceModel) }
    defer { source.close() }
    try delta.refuseObjects(source.context, of: job.source.shownURL)
  }
}

extension ModelDelta {
  fileprivate var pairsThatNeedCode: [EntityPair] {
    pairs.filter { !$0.source.isAbstract && ($0.destination.isAbstract || !$0.needed.isEmpty) }
  }

  /// - Parameters:
  ///   - context: reads the old version.
  ///   - url: the store's, for the error.
  fileprivate func refuseObjects(_ context: NSManagedObjectContext, of url: URL) throws {
    guard let failure = try failure(in: context) else { return }
    throw Failure.migrationFailed(
      url: url, reason: "Cannot migrate store in-place: \(failure.reason ?? "")", underlying: failure.nsError)
  }

  /// The first object that stands in the way.
  private func failure(in context: NSManagedObjectContext) throws -> Failure? {
    func count(
      _ entity: NSEntityDescription, withoutValueOf name: String? = nil, in group: String? = nil
    ) throws -> Int {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      request.predicate = NSCompoundPredicate(
        andPredicateWithSubpredicates: [
          group.map { NSPredicate(format: "%K != nil", $0) }, name.map { NSPredicate(format: "%K == nil", $0) },
        ].compactMap(\.self))
      return try context.performAndWait { try context.count(for: request) }
    }
    for pair in pairsThatNeedCode {
      let entity = pair.destination.storedName ?? ""
      if pair.destination.isAbstract {
        let count = try count(pair.source)
        if count > 0 { return .abstractEntityHasObjects(entity: entity, count: count) }
        continue
      }
      for value in pair.needed {
        var name = value.formerName
        if !value.isAttribute, name == nil, let former = formerInverse(of: value.name, in: pair) {
          // The relationship is new, but its members are those of its inverse. If that was one-sided, none is asked.
          guard let back = former.inverseRelationship else { continue }
          name = back.name
        }
        if try count(pair.source, withoutValueOf: name, in: value.group) > 0 {
          return .mandatoryValuesMissing(entity: entity, property: value.name, isAttribute: value.isAttribute)
        }
      }
    }
    return nil
  }

  /// What the inverse of a relationship of the destination was in the source; nil if it is new.
  private func formerInverse(of name: String, in pair: EntityPair) -> NSRelationshipDescription? {
    guard let inverse = pair.destination.relationshipsByName[name]?.inverseRelationship,
      let owner = inverse.owningEntity
    else { return nil }
    return self.pair(ofDestination: owner)?.source(of: inverse.name) as? NSRelationshipDescription
  }
}
