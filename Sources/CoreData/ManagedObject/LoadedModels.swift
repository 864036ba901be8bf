/// The models that coordinators use, for methods that only know a class. Any thread.
enum LoadedModels {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var models = WeakList<NSManagedObjectModel>()
  /// How many coordinators have each model now.
  private nonisolated(unsafe) static var uses: [ObjectIdentifier: Int] = [:]

  /// A coordinator's use of a model, which the coordinator keeps until its end.
  final class Use {
    private let model: ObjectIdentifier

    fileprivate init(_ model: NSManagedObjectModel) { self.model = ObjectIdentifier(model) }

    deinit {
      LoadedModels.lock.withLock {
        let left = LoadedModels.uses[model, default: 1] - 1
        LoadedModels.uses[model] = left == 0 ? nil : left
      }
    }
  }

  static func register(_ model: NSManagedObjectModel) -> Use {
    _ = lock.withLock {
      uses[ObjectIdentifier(model), default: 0] += 1
      models.remove(ObjectIdentifier(model))
      return models.append(model)
    }
    return Use(model)
  }

  /// A model that fits a store, the newest first. One whose configuration fits comes after those that fit as a whole.
  static func model(forStoreMetadata metadata: [String: Any]) -> NSManagedObjectModel? {
    func fits(_ model: NSManagedObjectModel, _ configuration: String?) -> Bool {
      model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
    }
    let all = lock.withLock { models.elements }
    return all.last { fits($0, nil) } ?? all.last { model in model.namedConfigurations.contains { fits(model, $0) } }
  }

  /// A model with a checksum, the newest first.
  static func model(withChecksum checksum: String) -> NSManagedObjectModel? {
    lock.withLock { models.elements }.last { $0.versionChecksum == checksum }
  }

  /// The entities of a class, newest model first. An entity that occurs in several equal models counts once. Models
  /// whose coordinators are gone, as those of earlier versions are after a migration, count only if no other has one.
  static func entities(of type: NSManagedObject.Type) -> [NSEntityDescription] {
    let (all, used) = lock.withLock { (models.elements, Set(uses.keys)) }
    let inUse = entities(of: type, in: all.filter { used.contains(ObjectIdentifier($0)) })
    return inUse.isEmpty ? entities(of: type, in: all) : inUse
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
