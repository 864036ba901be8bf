extension NSManagedObjectContext {
  /// ``save()``, step by step.
  func saveChanges() throws {
    guardQueue("save()")
    let coordinator = coordinator(for: "save()")
    ledger.saveBegan()
    try processChanges()
    post(.NSManagedObjectContextWillSave)
    // What observers have changed belongs to the save, even if nothing else does.
    try processChanges()
    guard hasChanges || !ledger.lockedList.isEmpty else { return try saveUnchanged(coordinator) }
    let pending = try fireWillSaveUntilQuiet(from: pendingObjects)
    if validatesOnSave { try validateUntilQuiet(from: pending) }
    let (plan, rewritten) = try commitUntilSettled()
    adoptSavedRows(of: plan)
    finish(plan, rewritten)
    if Stress.isOn { turnIntoFaults() }
  }

  /// Observers are told of a save without changed objects too, by empty notifications. There may be metadata to write.
  private func saveUnchanged(_ coordinator: NSPersistentStoreCoordinator) throws {
    // Objects whose changes were dropped are kept no longer.
    ledger.saveEnded(count: 0)
    if source.hasUnsavedMetadata(for: self) {
      do { _ = try coordinator.commitChangeSets([], for: self) } catch let partial as PartialSave {
        throw partial.error
      }
    }
    post(.NSManagedObjectContextDidSave, [:])
    post(.NSManagedObjectContextDidSaveObjectIDs, [:])
  }

  /// The last step, when objects have taken over what the stores have written.
  func finish(_ plan: SavePlan, _ rewritten: [(store: StoreIdentity, row: RowSnapshot)]) {
    for (store, row) in rewritten {
      guard let object = owner.registered(row.reference, store: owner.number(of: store)),
        object.places.entity == row.entity
      else { continue }
      // If only the version differs, there is nothing to tell observers.
      let isSame = object.row?.hasSameValues(as: row, object.layout) == true
      if isSame { object.row = row } else { object.takeRefreshed(row) }
    }
    checkInvariants("after a save")
    pinAfterSave()
    announce(plan)
    for object in plan.deleted { object.owner.takeValues(of: object) }
  }

  private func turnIntoFaults() {
    for object in owner.allObjects where object.state.isDisjoint(with: .pending) { object.turnIntoFault() }
  }

  /// Calls `willSave()` on objects of the save, and again on those that this changes, until nothing changes any more.
  ///
  /// - Returns: What it was given, if nothing has changed; else all objects of the save.
  @discardableResult
  private func fireWillSaveUntilQuiet(from pending: PendingObjects) throws -> PendingObjects {
    if !ledger.hearsOfSaves || pending.isEmpty { return pending }
    var touched = try objectsTouched { pending.forEachHeld { $0.willSave() } }
    if touched.isEmpty { return pending }
    var rounds = 1
    while !touched.isEmpty {
      let objects = touched
      touched = try objectsTouched { objects.forEachHeld { $0.willSave() } }
      rounds += 1
      if rounds > 1000 { misuse(.savesNeverSettle(self, touched)) }
    }
    return pendingObjects
  }

  /// The objects with something to save that were touched while `body` called the client's methods, or by the delete
  /// rules of what those deleted. A fetch in there ends an event, so there may have been several.
  private func objectsTouched(_ body: () throws -> Void) throws -> ContiguousArray<NSManagedObject> {
    let outer = touchedInSave
    defer { touchedInSave = outer }
    touchedInSave = []
    try body()
    try processChanges()
    let events = touchedInSave ?? []
    if events.count <= 1 { return events.first?.keeping { !$0.state.isDisjoint(with: .pending) } ?? [] }
    var seen: Set<ObjectIdentifier> = []
    return ContiguousArray(
      events.joined().filter { !$0.state.isDisjoint(with: .pending) && seen.insert(ObjectIdentifier($0)).inserted })
  }

  /// All objects of the save.
  private var pendingObjects: PendingObjects {
    PendingObjects(inserted: ledger.newObjects, changed: ledger.changedObjects, deleted: ledger.deletedObjects)
  }

  /// Validates objects of the save, and then those that validation methods have inserted, changed or deleted besides,
  /// which are told `willSave()` as well. What a method sets on an object that was validated is not validated again.
  private func validateUntilQuiet(from pending: PendingObjects) throws {
    // In nearly every save that is all.
    if try objectsTouched({ try validate(pending) }).isEmpty { return }
    var asked = PendingIdentities(pending)
    var rounds = 0
    while true {
      let new = asked.newcomers(among: pendingObjects)
      if new.isEmpty { return }
      try fireWillSaveUntilQuiet(from: new)
      rounds += 1
      if rounds > 1000 { misuse(.savesNeverSettle(self, new.all, byInserting: true)) }
      let round = asked.newcomers(among: pendingObjects)
      if try objectsTouched({ try validate(round) }).isEmpty { return }
      asked.add(round)
    }
  }

  /// Validates objects as what they are by now: a method may have changed that since they were listed.
  private func validate(_ pending: PendingObjects) throws {
    let changed = pending.changed
    // Faults that were only changed from the other side of a relationship. Their rows are read together.
    try readRows(of: changed.lazy.filter { $0.row == nil && $0.state.isUpdated })
    var errors: [any Error] = []
    for object in pending.deleted where object.state.contains(.deleted) {
      do { try object.validateForDelete() } catch { errors.append(error) }
    }
    pending.inserted.forEachHeld { object in
      guard object.state.contains(.inserted), !object.state.contains(.deleted) else { return }
      do { try object.validateForInsert() } catch { errors.append(error) }
    }
    changed.forEachHeld { object in
      // A fault whose row was not found above. Reading it turns the change into a deletion, and then there is nothing
      // to validate.
      if object.row == nil, object.state.isUpdated { object.readForChange() }
      guard object.state.isUpdated else { return }
      do { try object.validateForUpdate() } catch { errors.append(error) }
    }
    try NSManagedObject.throwAll(errors)
  }

  /// Lets the merge policy decide. Objects that take part in the save because of that are told of it.
  private func resolveTellingNewcomers(_ conflicts: StoreConflicts, giveBackKeys: () -> Void) throws {
    var told: Set<ObjectIdentifier> = []
    pendingObjects.forEachHeld { told.insert(ObjectIdentifier($0)) }
    try resolve(conflicts, giveBackKeys: giveBackKeys)
    try fireWillSaveUntilQuiet(from: pendingObjects.keeping { !told.contains(ObjectIdentifier($0)) })
  }

  /// Hands the change sets to the source. On conflicts the merge policy decides, and the save starts again from there.
  ///
  /// - Returns: what was written at last, and the rows that the stores changed further.
  private func commitUntilSettled() throws -> (SavePlan, rewritten: [(store: StoreIdentity, row: RowSnapshot)]) {
    // The stores that have written nothing, while others have: only these had a conflict. Nil while none has written.
    var unwritten: [NSPersistentStore]?
    // How often another process had taken the keys of new objects.
    var staleKeys = 0
    do {
      for _ in 0..<100 {
        // If others keep taking keys, reserve them beforehand.
        var plan = try SavePlan(self, reservingKeys: staleKeys > 1)
        let conflicts = try attempt(&plan, unwritten: &unwritten)
        if conflicts.isEmpty { return (plan, conflicts.rewritten) }
        if conflicts.hasStaleKeys { staleKeys += 1 }
      }
      dropRowsOfConflicts()
      throw Failure.unsettledConflicts(policy: "\(mergePolicy)").nsError
    } catch let partial as PartialSave {
      throw incompleteSave(partial.unsaved, partial.error)
    } catch {
      throw unwritten.map { incompleteSave($0, error as NSError) } ?? error
    }
  }

  /// One attempt, and what the merge policy makes of its conflicts. Unless it has written everything, the keys that
  /// were named for it are free again at its end.
  ///
  /// - Parameter unwritten: set if some stores have written their part: those that have not.
  private func attempt(_ plan: inout SavePlan, unwritten: inout [NSPersistentStore]?) throws -> StoreConflicts {
    var isWritten = false
    // Whether the keys are of no use for the next attempt, even those that were reserved.
    var areKeysSpent = false
    defer { if !isWritten { plan.giveBackKeys(all: areKeysSpent) } }
    let conflicts: StoreConflicts
    do {
      conflicts = try commit(plan)
    } catch let partial as PartialSave {
      adoptPartialSave(of: plan, writtenBy: partial.written, rewritten: partial.rewritten)
      throw partial
    } catch {
      // Thrown also for keys that are taken already.
      areKeysSpent = (error as NSError).code == NSPersistentStoreIncompatibleSchemaError
      throw error
    }
    if conflicts.isEmpty {
      isWritten = true
      return conflicts
    }
    if !conflicts.written.isEmpty {
      adoptPartialSave(of: plan, writtenBy: conflicts.written, rewritten: conflicts.rewritten)
      unwritten = plan.changeSets.map(\.store).filter { store in !conflicts.written.contains { $0 === store } }
    }
    // If keys are stale, there is nothing to decide: the save is planned again.
    if conflicts.hasStaleKeys { return conflicts }
    do { try resolveTellingNewcomers(conflicts) { plan.giveBackKeys(all: false) } } catch {
      areKeysSpent = true
      dropRowsOfConflicts()
      throw error
    }
    return conflicts
  }

  private func commit(_ plan: SavePlan) throws -> StoreConflicts {
    do {
      let conflicts = try source.commitPlan(plan, for: self)
      if !conflicts.isEmpty { plan.takeBackValues() }
      return conflicts
    } catch {
      plan.takeBackValues()
      throw error
    }
  }
}

extension MisuseReport {
  fileprivate static func savesNeverSettle(
    _ context: NSManagedObjectContext, _ objects: ContiguousArray<NSManagedObject>,
    byInserting isValidation: Bool = false
  ) -> MisuseReport {
    MisuseReport(
      isValidation
        ? "The context \(context.label) gave up saving: validation kept inserting objects for 1000 rounds."
        : "The context \(context.label) gave up saving: willSave() kept changing objects for 1000 rounds.",
      facts: objects.prefix(3).map { ("Object", "\($0.layout.name) \($0.objectID.description)") },
      how: isValidation
        ? "A validation method inserts an object every time, and that is validated, too."
        : "willSave() sets a property every time it is called, and every change calls it again.",
      remedy: isValidation
        ? "Insert it in willSave(), if it is not there yet."
        : "Compare before setting, or use setPrimitiveValue(_:forKey:).")
  }
}
