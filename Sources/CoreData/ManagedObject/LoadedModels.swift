/// The models that coordinators use, for methods that only know a class. Any thread.
enum LoadedModels {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var models = WeakList<NSManagedObjectModel>()

  static func register(_ model: NSManagedObjectModel) {
    _ = lock.withLock {
      models.remove(ObjectIdentifier(model))
      return models.append(model)
    }
  }

  /// A model that fits a store, the newest first.
  static func model(forStoreMetadata metadata: [String: Any]) -> NSManagedObjectModel? {
    lock.withLock { models.elements }.last {
      $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    }
  }

  /// A model with a checksum, the newest first.
  static func model(withChecksum checksum: String) -> NSManagedObjectModel? {
    lock.withLock { models.elements }.last { $0.versionChecksum == checksum }
  }

  /// The entities of a class, newest model first. An entity that occurs in several equal models counts once.
  static func entities(of type: NSManagedObject.Type) -> [NSEntityDescription] {
    let all = lock.withLock { models.elements }
    var found: [NSEntityDescription] = []
    for model in all.reversed() {
      for layout in ModelLayouts.of(model).layouts where layout.objectClass == type {
        if !found.contains(where: { $0.name == layout.name && $0.versionHash == layout.entity.versionHash }) {
          found.append(layout.entity)
        }
      }
    }
    return found
  }
}
