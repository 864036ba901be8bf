import CoreData

/// The new models of a save, and what it takes to find the stored ones that replace some of them: a new model with the
/// unique values of a stored one updates that, and its own object is gone.
struct UniqueValues {
  private let inserted: [(object: ModelObject, storage: ModelStorage?)]
  /// Where the relationships lead that are part of a constraint, by object and name. Noted before the save: an object
  /// that a stored one replaces leads nowhere afterwards.
  private var destinations: [ObjectIdentifier: [String: NSManagedObject]] = [:]

  init(of inserted: [(ModelObject, ModelStorage?)]) {
    self.inserted = inserted
    var names: [ObjectIdentifier: [String]] = [:]
    for case (let object, let storage?) in inserted {
      let type = ObjectIdentifier(storage.type)
      if names[type] == nil { names[type] = storage.type.uniqueRelationships }
      for name in names[type]! {
        destinations[ObjectIdentifier(object), default: [:]][name] = object.value(forKey: name) as? NSManagedObject
      }
    }
  }

  /// Called after the save. From now on each replaced model stands for the stored object. If that already has a model,
  /// the replaced one is detached.
  ///
  /// - Returns: The models that stand for a stored object.
  func followStored(in context: ModelContext) -> [ModelStorage] {
    var search = Search(values: self, context: context)
    var following: [ModelStorage] = []
    for case (let object, let storage?) in inserted where object.managedObjectContext == nil {
      if let found = search.stored(insteadOf: object, storage), found.storage == nil {
        storage.attach(found, in: context)
        following.append(storage)
      } else {
        storage.keepValues()
        storage.detach(deleted: false)
      }
    }
    return following
  }

  private struct Search {
    let values: UniqueValues
    let context: ModelContext
    private var found: [ObjectIdentifier: ModelObject?] = [:]
    /// The new models that the save has replaced.
    private lazy var replaced = Dictionary(
      uniqueKeysWithValues: values.inserted.lazy.filter { $0.object.managedObjectContext == nil }.map {
        (ObjectIdentifier($0.object), $0)
      })

    init(values: UniqueValues, context: ModelContext) {
      self.values = values
      self.context = context
    }

    /// The stored object that replaces one; nil if none does.
    mutating func stored(insteadOf object: ModelObject, _ storage: ModelStorage) -> ModelObject? {
      let id = ObjectIdentifier(object)
      if let known = found[id] { return known }
      // Of constraints that lead around in a circle, none is decided by itself.
      found[id] = .some(nil)
      var destinations = values.destinations[id] ?? [:]
      for (name, destination) in destinations where destination.managedObjectContext == nil {
        // What the save has replaced as well is the stored one now.
        let gone = replaced[ObjectIdentifier(destination)]
        destinations[name] = gone.flatMap { gone in gone.storage.flatMap { stored(insteadOf: gone.object, $0) } }
      }
      let result = stored(like: object, storage.type, destinations)
      found[id] = result
      return result
    }

    private func stored(
      like object: ModelObject, _ type: ModelType, _ destinations: [String: NSManagedObject]
    ) -> ModelObject? {
      for names in type.uniquenessConstraints(all: true) {
        let keys = names.flatMap { type.property(named: $0)?.keysOfValues ?? [] }
        let values = keys.compactMap { destinations[$0] ?? object.value(forKeyPath: $0) }
        guard values.count == keys.count else { continue }
        let request = NSFetchRequest<NSManagedObject>(entityName: type.name)
        request.predicate = NSCompoundPredicate(
          andPredicateWithSubpredicates: zip(keys, values).map {
            NSPredicate(format: "%K == %@", argumentArray: [$0, $1])
          })
        do {
          if let found = try context.managedContext.fetch(request).first as? ModelObject { return found }
        } catch {
          warn(
            MisuseReport(
              "The stored row of a \(type.name) was not found again after it was saved.",
              facts: [("Unique", names.joined(separator: ", ")), ("Error", "\(error)")],
              how: "The model has updated a stored one, whose place it takes, and the store did not answer. What was "
                + "saved is in the store; the model is of no context.",
              remedy: "Fetch the model again."))
        }
      }
      return nil
    }
  }
}
