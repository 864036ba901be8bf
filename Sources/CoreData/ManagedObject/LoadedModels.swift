/// The models that coordinators use, for methods that only know a class. Any thread.
enum LoadedModels {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var models: [WeakModel] = []

  private struct WeakModel {
    weak var model: NSManagedObjectModel?
  }

  static func register(_ model: NSManagedObjectModel) {
    lock.withLock {
      models.removeAll { $0.model == nil || $0.model === model }
      models.append(WeakModel(model: model))
    }
  }

  /// A model that fits a store, the newest first.
  static func model(forStoreMetadata metadata: [String: Any]) -> NSManagedObjectModel? {
    lock.withLock { models.compactMap(\.model) }.last {
      $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    }
  }

  /// A model with a checksum, the newest first.
  static func model(withChecksum checksum: String) -> NSManagedObjectModel? {
    lock.withLock { models.compactMap(\.model) }.last { $0.versionChecksum == checksum }
  }

  /// The entities of a class, newest model first. An entity that occurs in several equal models counts once.
  static func entities(of type: NSManagedObject.Type) -> [NSEntityDescription] {
    let all = lock.withLock { models.compactMap(\.model) }
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
