import Foundation

/// What can't be inferred because of the objects that a store has. Without them, the same change of the model is.
extension StoreMigration {
  /// Refuses a migration if the store has objects of an entity that has become abstract, or objects without a value for
  /// an attribute that needs one. These changes need code of the program.
  ///
  /// - Throws: `Failure.notInferable`.
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
    try delta.refuseObjects(context)
  }
}

extension NSMigrationManager {
  /// The same for a manager's own migration by an inferred mapping.
  func refuseObjects(_ job: MigrationJob) throws {
    guard let delta = job.delta, !delta.pairsThatNeedCode.isEmpty else { return }
    let source = try job.reading { try MigrationStack(reading: job.source, sourceModel) }
    defer { source.close() }
    try delta.refuseObjects(source.context)
  }
}

extension ModelDelta {
  fileprivate var pairsThatNeedCode: [EntityPair] {
    pairs.filter { !$0.source.isAbstract && ($0.destination.isAbstract || !$0.needed.isEmpty) }
  }

  /// - Parameter context: reads the old version.
  fileprivate func refuseObjects(_ context: NSManagedObjectContext) throws {
    func count(_ entity: NSEntityDescription, without value: NeededValue? = nil) throws -> Int {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      request.predicate = NSCompoundPredicate(
        andPredicateWithSubpredicates: [
          value?.group.map { NSPredicate(format: "%K != nil", $0) },
          value?.formerName.map { NSPredicate(format: "%K == nil", $0) },
        ].compactMap(\.self))
      return try context.performAndWait { try context.count(for: request) }
    }
    for pair in pairsThatNeedCode {
      if pair.destination.isAbstract {
        let count = try count(pair.source)
        guard count > 0 else { continue }
        throw Failure.notInferable(
          entity: pair.destination.name, property: nil,
          reason:
            "The entity has become abstract, but the store still has \(count == 1 ? "an object" : "\(count) objects") of it"
        )
      }
      for value in pair.needed where try count(pair.source, without: value) > 0 {
        throw Failure.notInferable(
          entity: pair.destination.name, property: value.name, reason: Failure.missingMandatoryValues,
          remedy:
            "Existing objects need a value. Give the attribute a default value, make it optional, or set the values in "
            + "a mapping model or a custom migration stage")
      }
    }
  }
}
