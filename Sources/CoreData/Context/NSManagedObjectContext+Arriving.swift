/// How an object arrives in a context as a new one: it is made there, inserted, or brought back by an undo. Whatever
/// the way, the identity map has it afterwards, and it is to be saved. Objects that a fetch or a relationship leads to
/// are made by the `ContextOwner`, and those that a child has inserted are taken over by `ChildSave`.
extension NSManagedObjectContext {
  /// ``insert(_:)``.
  func insertObject(_ object: NSManagedObject) {
    guardQueue("insert(_:)")
    if object.owner === owner {
      if object.state.contains(.deleted) {
        insertDeleted(object)
      } else if object.state.contains(.inserted), touchedInSave == nil {
        // A save that is calling objects' methods would take this for one more change, and call them again.
        markInsertedAgain(object)
      }
      return
    }
    guard object.owner.storeIdentity(0) == nil, !(object.owner is ContextOwner) else {
      misuse(.alreadyInContext(object, self))
    }
    object.owner.giveValuesBack(to: object)
    let owner = owner ?? makeOwner(object.owner.layouts)
    if owner.layouts !== object.owner.layouts {
      for each in object.isFree ? object.freeCompany : [object] where !each.move(to: owner.layouts) {
        misuse(.otherModel(each, self))
      }
    }
    if object.isFree {
      // Relationships are within one context, so those that it is related to come along.
      let company = object.freeCompany
      for each in company {
        displaceFault(of: each, in: owner)
        each.owner = owner
      }
      company.forEach(registerNew)
      return
    }
    if object.key > 0 || object.row != nil {
      becomeNew(object, in: owner)
    } else {
      displaceFault(of: object, in: owner)
    }
    object.owner = owner
    registerNew(object)
  }

  /// Registers an object that was just made for this context.
  func registerNew(_ object: NSManagedObject) {
    guardQueue("insert(_:)")
    if object.places.traits.contains(.abstract) { misuse(.abstractEntity(object.layout.name)) }
    owner.register(object)
    markInserted(object)
    object.awakeFromInsert()
  }

  /// Takes back an object that has left, with the id that it had, and nothing else.
  func readmit(_ object: NSManagedObject) {
    makeWay(for: object, in: owner)
    object.owner.giveValuesBack(to: object)
    object.owner = owner
    object.changes = ChangedValues.make(object.layout)
    object.changes!.formerVersion = object.row?.version ?? 0
    forgetRow(of: object)
    owner.register(object)
    markInserted(object)
  }

  /// Makes an object that has left its context a new one. It keeps its attributes, and no relationships. If its
  /// deletion was saved, it keeps its id as well.
  private func becomeNew(_ object: NSManagedObject, in owner: ContextOwner) {
    let row = object.row
    if let store = object.cachedID?.storeIdentity, row != nil, hasStore(store) {
      object.store = owner.number(of: store)
      makeWay(for: object, in: owner)
    } else {
      // It had no row, or is of another coordinator, where its id means something else.
      object.cachedID = nil
      object.key = TemporaryKeys.next()
      object.store = NSManagedObject.noStore
    }
    if object.changes == nil { object.changes = ChangedValues.make(object.layout) }
    if object.key > 0 { object.changes!.formerVersion = row?.version ?? 0 }
    for property in object.layout.slots {
      if property.kind == .toOne {
        object.changes!.drop(property.slot)
      } else if let row, property.word >= 0, !row.isNull(slot: property.slot), !object.changes!.holds(property.slot) {
        object.changes![property.slot] = ownValue(property, row)
      }
    }
    forgetRow(of: object)
  }

  /// From now on only what was set is known of the object, which leads nowhere.
  private func forgetRow(of object: NSManagedObject) {
    object.row = nil
    object.forgotContext()
    object.toManyStates = ToManyStates(count: object.layout.toMany.count)
    for index in object.toManyStates.indices { object.toManyStates[index] = ToManyState(base: []) }
  }

  /// A row's value for an object that has no row any more; nil if it can't be read.
  private func ownValue(_ property: LayoutProperty, _ row: RowSnapshot) -> Value {
    if property.kind == .binary { return (try? row.data(property)).map { .data($0) } ?? .null }
    if property.kind != .transformable { return row.value(property) }
    return row.object(ofTransformable: property).map { .object(TransformableBox.close($0)) } ?? .null
  }

  private func hasStore(_ store: StoreIdentity) -> Bool {
    persistentStoreCoordinator?.persistentStores.contains { $0.identity === store } ?? false
  }

  /// Makes way for an object with a temporary id that `object(with:)` was asked for before.
  private func displaceFault(of object: NSManagedObject, in owner: ContextOwner) {
    if owner.hasMadeForTemporaryID { makeWay(for: object, in: owner) }
  }

  /// Makes way for an object whose id may have been asked for meanwhile.
  private func makeWay(for object: NSManagedObject, in owner: ContextOwner) {
    if let other = owner.registered(object.reference, store: object.store) { leave(other, as: .displaced) }
  }
}

extension NSManagedObject {
  /// Makes the object one of another model that has the same entity: models that were read from one file twice are like
  /// that, and the model that an entity came into after objects were made of it. False if it is another entity.
  fileprivate final func move(to layouts: ModelLayouts) -> Bool {
    guard let other = layouts.layout(named: layout.name), other.hasPlaces(like: layout),
      isFree || other.hasRows(like: layout)
    else { return false }
    places = other.places
    changes?.move(to: places)
    return true
  }
}

extension MisuseReport {
  fileprivate static func otherModel(_ object: NSManagedObject, _ context: NSManagedObjectContext) -> MisuseReport {
    MisuseReport(
      "An object of another model was inserted into the context \(context.label).",
      facts: [("Object", "\(object.layout.name) \(object.objectID.description)")],
      how: "The context's model has no entity with the same name, properties and relationships.",
      remedy: "Make the object with an entity of the context's model.")
  }

  fileprivate static func alreadyInContext(_ object: NSManagedObject, _ context: NSManagedObjectContext)
    -> MisuseReport
  {
    MisuseReport(
      "An object of another context was inserted into the context \(context.label).",
      facts: [("Object", "\(object.layout.name) \(object.objectID.description)")],
      how: "An object stays in the context that made it.",
      remedy: "Fetch it there: context.object(with: other.objectID).")
  }
}
