import CoreData

/// Inserting and deleting models.
extension ModelContext {
  /// Inserts a model and all models that it refers to. Nothing happens to a model that is
  /// already in this context, except that a pending deletion is cancelled. A model of another
  /// context ends the program with a message, unless that context is gone: the model then begins
  /// again here, with the values that it has.
  public func insert<T: PersistentModel>(_ model: T) {
    forgetErased()
    let storage = model.storage
    // Its insertion was undone: it begins again with the values that it has.
    if storage.hasLeft { storage.beginAgain() }
    if let object = storage.object {
      if storage.context !== self {
        guard storage.context?.isLeftBehind == true else {
          misuse(.otherContext(storage, "insert(_:)"))
        }
        return takeOver(object)
      }
      if object.isDeleted {
        managedContext.insert(object)
        noteChange(of: storage, model)
      }
      return
    }
    begin(model, storage)
    insertDestinations(of: storage)
    storage.moveValuesToObject()
  }

  private func begin(_ model: any PersistentModel, _ storage: ModelStorage) {
    let object = ModelObject(entity: entity(of: storage.type), insertInto: managedContext)
    storage.attach(object, in: self)
    noteChange(of: storage, model)
  }

  /// Inserts the new models that a model leads to, each after those that it leads to in turn. A list takes the place of
  /// calls, since a chain of models may be longer than the stack is deep.
  private func insertDestinations(of storage: ModelStorage) {
    let destinations = storage.newDestinations
    if destinations.isEmpty { return }
    var path = [(storage: storage, rest: destinations[...])]
    while let last = path.indices.last {
      guard let next = path[last].rest.popFirst() else {
        // The first one's values follow when this ends.
        if last > 0 { path[last].storage.moveValuesToObject() }
        path.removeLast()
        continue
      }
      let storage = next.storage
      // It may have been reached on another way in the meantime.
      if storage.object != nil { continue }
      begin(next, storage)
      path.append((storage, storage.newDestinations[...]))
    }
  }

  /// Inserts new objects with the values of an object of a context that is gone, and of all that it leads to. Their
  /// models stand for the new objects from now on.
  private func takeOver(_ first: ModelObject) {
    var copies: [NSManagedObject: ModelObject] = [:]
    var waiting: [ModelObject] = []
    func copy(of former: NSManagedObject) -> ModelObject? {
      if let known = copies[former] { return known }
      guard let type = openContainer.classes.byName[former.entity.name ?? ""] else { return nil }
      let copy = ModelObject(entity: entity(of: type), insertInto: managedContext)
      copies[former] = copy
      // All objects of a schema's entities are of this class.
      waiting.append(unsafeDowncast(former, to: ModelObject.self))
      return copy
    }
    _ = copy(of: first)
    while let former = waiting.popLast(), let new = copies[former] {
      for name in new.entity.attributesByName.keys { new.setValue(former.value(forKey: name), forKey: name) }
      for (name, relationship) in new.entity.relationshipsByName {
        if relationship.isToMany {
          let key = ManagedKey(name: name)
          let members: [NSManagedObject] = former.memberList(key).compactMap(copy)
          new.setMemberList(ContiguousArray(members), key)
        } else {
          new.setValue((former.value(forKey: name) as? NSManagedObject).flatMap(copy), forKey: name)
        }
      }
    }
    // Only now: the former context goes with the last storage that it was left for.
    for (former, new) in copies {
      guard let storage = unsafeDowncast(former, to: ModelObject.self).storage else { continue }
      storage.attach(new, in: self)
      noteChange(of: storage)
    }
  }

  private func entity(of type: ModelType) -> NSEntityDescription {
    if let lastEntity, lastEntity.type === type { return lastEntity.entity }
    guard let entity = openContainer.entities[ObjectIdentifier(type)] else { misuse(.notInSchema(type, openContainer)) }
    lastEntity = (type, entity)
    return entity
  }

  /// Deletes a model when the context is next saved. A model that was never inserted stays as it is.
  public func delete<T: PersistentModel>(_ model: T) {
    let storage = model.storage
    guard let object = storage.object, !storage.hasLeft else { return }
    if storage.context !== self { misuse(.otherContext(storage, "delete(_:)")) }
    noteChange(of: storage)
    managedContext.delete(object)
  }

  /// Deletes all models of a class that meet a condition, with the next save.
  ///
  /// - Parameter includeSubclasses: whether models of subclasses are deleted too.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    let request = try request(FetchDescriptor<T>(predicate: predicate))
    request.includesSubentities = includeSubclasses
    for object in try managedContext.fetch(request) { delete(self.model(of: object, T.self)) }
  }
}

extension MisuseReport {
  fileprivate static func otherContext(_ storage: ModelStorage, _ call: String) -> MisuseReport {
    MisuseReport(
      "A model of another context was used.",
      facts: [("Call", "ModelContext.\(call)"), ("Model", "\(storage.type.name) \(storage.identifier.uri)")],
      how: storage.visibleContext == nil
        ? "The model's context is gone." : "A model belongs to the context that inserted or fetched it.",
      remedy: "Hand on its `persistentModelID`, and ask the context for the model: `context.model(for: id)`.")
  }

  fileprivate static func notInSchema(_ type: ModelType, _ container: ModelContainer) -> MisuseReport {
    MisuseReport(
      "The container's schema does not have the model \(String(reflecting: type.type)).",
      facts: [("Schema", container.schema.types.map { String(reflecting: $0.type) }.joined(separator: ", "))],
      how: "The container was made for other classes, or for another version of this one.",
      remedy: "Name the class where the container is made: `ModelContainer(for: \(type.name).self)`.")
  }
}
