import CoreData

/// From objects and identities to models, and from models to objects.
extension ModelContext {
  /// The model for an object. It is made if there is none yet.
  func model<M: PersistentModel>(of object: NSManagedObject, _: M.Type) -> M {
    model(of: object, storedIn: DefaultBackingData<M>.self)
  }

  /// - Parameter kind: the class of the model's storage. Naming this type costs the runtime a
  ///   look-up, so callers name it once for many objects.
  func model<M: PersistentModel>(
    of object: NSManagedObject, storedIn kind: any BackingData<M>.Type
  ) -> M {
    let object = unsafeDowncast(object, to: ModelObject.self)
    // An object is of its entity's class, and an entity of one model type, or of one that
    // inherits from it.
    if let model = object.storage?.model(as: M.self) { return model }
    if openContainer.classes.haveSubclasses, object.entity.name != ModelType.of(M.self).name {
      return unsafeDowncast(anyModel(of: object), to: M.self)
    }
    if let made = M._modelForRow(), let storage = made.storage {
      // Generated code makes one if it is asked for its own class, and of no other.
      let model = unsafeDowncast(made.model, to: M.self)
      storage.attach(object, in: self)
      storage.setModel(model)
      return model
    }
    let data = kind.init(for: M.self)
    let storage = data.reference
    storage.attach(object, in: self)
    let model = M(backingData: data)
    storage.setModel(model)
    return model
  }

  /// Ends the program if the schema has another version of the class that a relationship leads to: its objects are no
  /// models of that class.
  func checkVersion<M: PersistentModel>(of _: M.Type, in key: PropertyKey) {
    guard openContainer.classes.haveStandIns else { return }
    let declared = ModelType.of(M.self)
    guard let own = openContainer.classes.byName[declared.name], own !== declared else { return }
    misuse(.otherVersion(key, declared, own))
  }

  func anyModel(of object: NSManagedObject) -> any PersistentModel {
    guard let type = openContainer.classes.byName[object.entity.name ?? ""] else {
      preconditionFailure("A context has objects of its schema's entities only.")
    }
    func open<M: PersistentModel>(_: M.Type) -> any PersistentModel { model(of: object, M.self) }
    return open(type.type)
  }

  /// The object for a model that a relationship is set to. A model that isn't in the context yet is inserted. One
  /// that is to be deleted stays so, and of one whose deletion was saved there is none: only ``insert(_:)`` takes a
  /// deletion back.
  func object<M: PersistentModel>(of model: M, for key: PropertyKey) -> ModelObject? {
    let storage = model.storage
    if let object = storage.object, storage.context === self, !storage.hasLeft { return object }
    if storage.isGone {
      warn(.gone(storage, key))
      return nil
    }
    insert(model)
    return model.storage.object
  }

  /// The model with an identity. Its values are read when you ask for them; by then it may turn
  /// out to be deleted.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if let model = changedModel(persistentModelID) { return model }
    guard let objectID = objectID(of: persistentModelID) else {
      misuse(
        MisuseReport(
          "No store of the container has a model of this identity.", facts: [("Identity", persistentModelID.uri)],
          how: "It is of another store, or of a model that was never saved.",
          remedy: "Save the model before its identity is handed on, or use registeredModel(for:)."))
    }
    return anyModel(of: managedContext.object(with: objectID))
  }

  /// The model with an identity, if this context already has it.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    if let model = changedModel(persistentModelID) { return model as? T }
    guard let objectID = objectID(of: persistentModelID),
      let object = managedContext.registeredObject(for: objectID) as? ModelObject
    else { return nil }
    return object.storage?.model as? T
  }

  func objectID(of identifier: PersistentIdentifier) -> NSManagedObjectID? {
    if let objectID = identifier.objectID,
      objectID.persistentStore?.persistentStoreCoordinator === openContainer.coordinator
    {
      return objectID
    }
    if identifier.isTemporary { return changedModel(identifier)?.storage.object?.objectID }
    if let store = openContainer.dataStores.first(where: { $0.isOwn(identifier) }) {
      return store.objectID(of: identifier)
    }
    return URL(string: identifier.uri).flatMap(openContainer.coordinator.managedObjectID(forURIRepresentation:))
  }

  private func changedModel(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
    guard let key = identifier.temporaryIdentifier, let storage = changed.storage(key),
      storage.identifier == identifier
    else { return nil }
    return storage.model
  }
}

extension MisuseReport {
  fileprivate static func otherVersion(_ key: PropertyKey, _ declared: ModelType, _ own: ModelType) -> MisuseReport {
    MisuseReport(
      "\(key.entity).\(key.name) was read where the schema has another version of \(own.name).",
      facts: [("Declared with", String(reflecting: declared.type)), ("Schema", String(reflecting: own.type))],
      how: "Versions of a schema share \(key.entity), which can be declared with only one version of \(own.name).",
      remedy: "Fetch the models with a FetchDescriptor<\(String(reflecting: own.type))>, or declare \(key.entity) in "
        + "each version.")
  }

  fileprivate static func gone(_ storage: ModelStorage, _ key: PropertyKey) -> MisuseReport {
    MisuseReport(
      "\(key.entity).\(key.name) was set without a \(storage.type.name) whose deletion was saved.",
      facts: [("Model", "\(storage.type.name) \(storage.identifier.uri)")],
      how: "The model is in no context any more. It was still in an array, or in a variable.",
      remedy: "Insert the model first if it is to come back, or leave it out: its `modelContext` is nil.")
  }
}
