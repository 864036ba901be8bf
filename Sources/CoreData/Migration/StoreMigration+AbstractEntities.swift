import Foundation

extension StoreMigration {
  /// Objects of an entity that has become abstract could not be objects of anything: with none in the store the
  /// entity just becomes abstract, with some the change needs a program's help.
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
