/// The models that coordinators use, for methods that only know a class. Any thread.
enum LoadedModels {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var models = WeakList<NSManagedObjectModel>()
  /// The coordinators; this room doesn't know their class.
  private nonisolated(unsafe) static var users = WeakList<AnyObject>()
  /// The model of each coordinator that may be alive.
  private nonisolated(unsafe) static var modelsOfUsers: [ObjectIdentifier: ObjectIdentifier] = [:]

  static func register(_ model: NSManagedObjectModel, of coordinator: AnyObject) {
    _ = lock.withLock {
      models.remove(ObjectIdentifier(model))
      let others = users.append(coordinator)
      let living = Set(others.map { ObjectIdentifier($0) })
      modelsOfUsers = modelsOfUsers.filter { living.contains($0.key) }
      modelsOfUsers[ObjectIdentifier(coordinator)] = ObjectIdentifier(model)
      return (others, models.append(model))
    }
  }

  /// A model that fits a store, the newest first. One whose configuration fits comes after those that fit as a whole.
  static func model(forStoreMetadata metadata: [String: Any]) -> NSManagedObjectModel? {
    func fits(_ model: NSManagedObjectModel, _ configuration: String?) -> Bool {
      model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
    }
    let all = lock.withLock { models.elements }
    return all.last { fits($0, nil) } ?? all.last { model in model.configurations.contains { fits(model, $0) } }
  }

  /// A model with a checksum, the newest first.
  static func model(withChecksum checksum: String) -> NSManagedObjectModel? {
    lock.withLock { models.elements }.last { $0.versionChecksum == checksum }
  }

  /// The entities of a class, newest model first. An entity that occurs in several equal models counts once. Models
  /// whose coordinators are gone, as those of earlier versions are after a migration, count only if no other has one.
  static func entities(of type: NSManagedObject.Type) -> [NSEntityDescription] {
    let (all, coordinators, used) = lock.withLock {
      let coordinators = users.elements
      return (models.elements, coordinators, Set(coordinators.compactMap { modelsOfUsers[ObjectIdentifier($0)] }))
    }
    return withExtendedLifetime(coordinators) {
      let inUse = entities(of: type, in: all.filter { used.contains(ObjectIdentifier($0)) })
      return inUse.isEmpty ? entities(of: type, in: all) : inUse
    }
  }

  private static func entities(
    of type: NSManagedObject.Type, in models: [NSManagedObjectModel]
  ) -> [NSEntityDescription] {
    var found: [NSEntityDescription] = []
    for model in models.reversed() {
      for layout in ModelLayouts.of(model).layouts where layout.objectClass == type {
        if !found.contains(where: { $0.name == layout.name && $0.versionHash == layout.entity.versionHash }) {
          found.append(layout.entity)
        }
      }
    }
    return found
  }
}
