import Foundation

extension StoreMigration {
  /// Refuses a migration if the store has objects of an entity that has become abstract. They would have no entity any
  /// more, so the change needs code of the program. Without such objects the entity just becomes abstract.
  ///
  /// - Throws: `Failure.notInferable`.
  func refuseObjectsOfAbstractEntities(_ delta: ModelDelta) throws {
    let pairs = delta.pairs.filter { $0.destination.isAbstract && !$0.source.isAbstract }
    if pairs.isEmpty { return }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: delta.source)
    let named = configuration.flatMap { name in delta.source.configurations.first { $0 == name } }
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: named, at: url, options: [NSReadOnlyPersistentStoreOption: true])
    defer { try? coordinator.remove(store) }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for pair in pairs {
      let request = NSFetchRequest<NSManagedObject>(entityName: pair.source.name ?? "")
      request.includesSubentities = false
      let count = try context.performAndWait { try context.count(for: request) }
      if count > 0 {
        throw Failure.notInferable(
          entity: pair.destination.name, property: nil,
          reason:
            "The entity has become abstract, but the store still has \(count == 1 ? "an object" : "\(count) objects") of it"
        )
      }
    }
  }
}
