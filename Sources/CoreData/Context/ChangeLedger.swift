/// What a context has to save and to report: which objects are new, changed or deleted, and which of them since
/// observers were last told.
///
/// Only the ledger writes the lists and an object's marks, which are the bits of `ObjectState` about unsaved changes.
/// All other code reads them. The ledger knows no stores, no identity map and no queue, and calls no code of the
/// client: when a method returns, its transition is complete.
///
/// An object is in one of six states, and the ledger's methods are the arrows between them:
///
/// |                     | clean     | inserted  | updated   | deleted           | inserted, deleted | left      |
/// |---------------------|-----------|-----------|-----------|-------------------|-------------------|-----------|
/// | `inserted(_:)`      | inserted  | inserted  | inserted  | –                 | –                 | inserted  |
/// | `insertedAgain(_:)` | –         | inserted  | –         | –                 | –                 | –         |
/// | `changed(_:)`       | updated   | inserted  | updated   | deleted           | inserted, deleted | –         |
/// | `deleted(_:)`       | deleted   | inserted, deleted | deleted | deleted     | inserted, deleted | –         |
/// | `undeleted(_:)`     | –         | –         | –         | updated           | inserted          | –         |
/// | `reverted(_:)`      | clean     | inserted  | clean     | deleted           | inserted, deleted | left      |
/// | `cleared(_:)`       | clean     | clean     | clean     | clean             | clean             | left      |
/// | `saved(_:)`         | clean     | clean     | clean     | left              | –                 | –         |
/// | `left(_:)`          | left      | left      | left      | left              | left              | left      |
/// | `eventEnded(_:)`    | clean     | inserted  | updated   | deleted           | left              | left      |
/// | `saveEnded(…)`      | clean     | inserted  | updated   | deleted           | inserted, deleted | left      |
/// | `reset()`           | clean     | clean     | clean     | clean             | clean             | left      |
///
/// A dash marks a call that never happens. A deleted object keeps its mark as updated, so that it is updated again when
/// the deletion is taken back; `isUpdated` ignores the mark until then.
///
/// No sequence of these calls breaks these invariants:
/// - (2) An object is at most one of inserted, updated and deleted. Only a new object that is deleted is both, inserted
///   and deleted, until its event ends.
/// - Such an object is in the list for its state, once, so the context keeps it alive.
/// - An object that an event touched is in `eventList`, once.
/// - (4) An object stops being inserted by `saved(_:)`, when it has its permanent key, or when all its changes are
///   dropped.
final class ChangeLedger {
  /// The right to write marks. Only this file can make one.
  struct Right {
    fileprivate init() {}
  }

  // The inserted, updated and deleted objects. An object may stay in a list after its state has changed. Its `listed…`
  // marks say which lists it is in, so that none gets it twice; its other marks say what it is. The end of a save
  // tidies up.
  // Unchecked or inlined by force, as the count of `insert` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private(set) var insertedList = ContiguousArray<NSManagedObject>()
  @exclusivity(unchecked) private(set) var updatedList = ContiguousArray<NSManagedObject>()
  @exclusivity(unchecked) private(set) var deletedList = ContiguousArray<NSManagedObject>()
  /// Whether there may be objects in `insertedList` that are no longer new.
  @exclusivity(unchecked) private var mayHaveSettled = false
  /// Whether one of the objects in the lists is of a class that hears of saves; see ``ClassTraits``.
  @exclusivity(unchecked) private(set) var hearsOfSaves = false
  /// How many of the deleted objects, from the first, the search for due delete rules can pass over: each has followed
  /// its rules, or is no longer deleted.
  @exclusivity(unchecked) private(set) var settledDeletions = 0
  /// How many new objects that were deleted before any save may still be in the lists.
  @exclusivity(unchecked) private var unbornCount = 0
  /// Unchanged objects whose version the next save checks.
  @exclusivity(unchecked) private(set) var lockedList = ContiguousArray<NSManagedObject>()

  // The event: everything since pending changes were last processed.

  /// Objects touched in the event.
  @exclusivity(unchecked) private(set) var eventList = ContiguousArray<NSManagedObject>()
  /// Objects refreshed in the event.
  @exclusivity(unchecked) private(set) var refreshedList = ContiguousArray<NSManagedObject>()
  /// Objects that have left the context in the event because their rows are gone.
  @exclusivity(unchecked) private var lostList = ContiguousArray<NSManagedObject>()
  /// What objects held before the event, where their rows don't say; see `EventSnapshot`.
  @exclusivity(unchecked) private(set) var snapshots: [ObjectIdentifier: EventSnapshot] = [:]

  // What a save is about.

  /// New objects, in the order of their insertion. Until an event ends, deleted ones may be among them.
  var newObjects: ContiguousArray<NSManagedObject> {
    mayHaveSettled ? insertedList.keeping { $0.state.contains(.inserted) } : insertedList
  }

  /// Saved objects that were changed since.
  var changedObjects: ContiguousArray<NSManagedObject> { updatedList.keeping { $0.state.isUpdated } }

  /// Objects to be deleted. Until an event ends, new ones may be among them.
  var deletedObjects: ContiguousArray<NSManagedObject> { deletedList.keeping { $0.state.contains(.deleted) } }

  /// Whether a save would have anything to write.
  var hasChanges: Bool {
    insertedList.contains { $0.state.contains(.inserted) } || updatedList.contains { $0.state.isUpdated }
      || deletedList.contains { $0.state.contains(.deleted) }
  }

  /// Whether nothing was inserted, changed or deleted since the lists were last empty.
  var isEmpty: Bool { insertedList.isEmpty && updatedList.isEmpty && deletedList.isEmpty }

  /// The objects with something to save that meet a condition.
  func pendingObjects(where holds: (NSManagedObject) -> Bool) -> [NSManagedObject] {
    (insertedList + updatedList + deletedList).filter { !$0.state.isDisjoint(with: .pending) && holds($0) }
  }

  /// Whether one of the objects with something to save meets a condition.
  func containsPending(where holds: (NSManagedObject) -> Bool) -> Bool {
    func isMeant(_ object: NSManagedObject) -> Bool { !object.state.isDisjoint(with: .pending) && holds(object) }
    return insertedList.contains(where: isMeant) || updatedList.contains(where: isMeant)
      || deletedList.contains(where: isMeant)
  }

  // Changes.

  /// An object is new to the context, or will be written as if it were.
  @inline(__always)
  func inserted(_ object: NSManagedObject) {
    var marks = object.marks
    marks.remove([.updated, .saysDeleted])
    marks.insert([.inserted, .eventInserted])
    if !marks.contains(.listedInserted) {
      marks.insert(.listedInserted)
      insertedList.append(object)
      noteClass(of: object)
    }
    object.marks = addingToEvent(object, marks)
    // It has all its values, because there is no row to read them from.
    object.gotValues()
  }

  /// A new object was inserted once more. Observers who were told of it in an earlier event are told again. A snapshot
  /// says that it was there before this event, so an undo of the event leaves it.
  func insertedAgain(_ object: NSManagedObject) {
    if object.state.contains(.eventInserted) { return }
    let id = ObjectIdentifier(object)
    if snapshots[id] == nil {
      snapshots[id] = object.state.contains(.eventListed) ? EventSnapshot(unchanged: object) : EventSnapshot(object)
    }
    object.marks = addingToEvent(object, object.marks.union(.eventInserted))
  }

  /// An object is about to be changed. Called before the first change since the last save, and before the first in an
  /// event; in between it does nothing.
  @inline(__always)
  func changed(_ object: NSManagedObject) {
    if object.changes != nil || !object.toManyStates.isEmpty { keepSnapshot(of: object) }
    var marks = object.marks
    if marks.isDisjoint(with: .pending) {
      marks.insert(.updated)
      if !marks.contains(.listedUpdated) {
        marks.insert(.listedUpdated)
        updatedList.append(object)
        noteClass(of: object)
      }
    }
    // For observers, a new object that changes after the event of its insertion is an updated one.
    if marks.isDisjoint(with: [.eventInserted, .deleted]) { marks.insert(.eventUpdated) }
    object.marks = addingToEvent(object, marks)
  }

  /// The next save will delete the object.
  func deleted(_ object: NSManagedObject) {
    keepSnapshot(of: object)
    var marks = object.marks
    marks.insert([.deleted, .eventDeleted])
    marks.remove(.eventUpdated)
    if !marks.contains(.listedDeleted) {
      marks.insert(.listedDeleted)
      deletedList.append(object)
      noteClass(of: object)
    } else if !marks.contains(.propagated) {
      // Its place in the list is of an earlier deletion.
      settledDeletions = 0
    }
    object.marks = addingToEvent(object, marks)
  }

  /// A deleted object's `prepareForDeletion()` begins. Until it ends, or calls for a save, the object's delete rules
  /// wait.
  func preparing(_ object: NSManagedObject) { object.marks.insert(.preparing) }

  /// The object's `prepareForDeletion()` has ended: its delete rules are due.
  func prepared(_ object: NSManagedObject) { object.marks.remove(.preparing) }

  /// A save begins, which can't leave out the objects whose `prepareForDeletion()` is running.
  func saveBegan() {
    for object in deletedList[settledDeletions...] where object.state.contains(.preparing) { prepared(object) }
  }

  /// The delete rules of a deleted object have been applied, or are not to be.
  func rulesApplied(to object: NSManagedObject) { object.marks.insert(.propagated) }

  /// Passes over the deleted objects whose rules were applied, up to the first with rules still due.
  func settleDeletions() {
    while settledDeletions < deletedList.count {
      let state = deletedList[settledDeletions].state
      if state.contains(.deleted) && !state.contains(.propagated) { return }
      settledDeletions += 1
    }
  }

  /// The deletion of an object is taken back. For observers who were told of the deletion it is a new object.
  func undeleted(_ object: NSManagedObject, isNewToObservers: Bool = false) {
    keepSnapshot(of: object)
    object.marks.remove([.deleted, .eventDeleted, .propagated])
    if object.state.contains(.inserted) { return inserted(object) }
    if isNewToObservers { object.marks.insert(.eventInserted) }
    changed(object)
  }

  /// The next save checks the object's version, even if it is unchanged.
  func locked(_ object: NSManagedObject) { lockedList.append(object) }

  /// The values set on an object have been dropped. A new object stays new, a deleted one deleted.
  static func reverted(_ object: NSManagedObject) { object.marks.remove([.updated, .eventUpdated]) }

  /// All changes of an object have been dropped; it stays in the context.
  func cleared(_ object: NSManagedObject) {
    mayHaveSettled = true
    object.marks.formIntersection([.listed, .eventListed])
  }

  /// An object's row was read again: observers are to be told.
  func refreshed(_ object: NSManagedObject) { refreshedList.append(object) }

  /// The rows of objects are gone, and the objects with them: observers are to be told.
  func lost(_ objects: ContiguousArray<NSManagedObject>) { lostList += objects }

  /// The row that says what the object held before the event is about to be replaced.
  func rowChanges(of object: NSManagedObject) {
    guard object.state.contains(.eventListed), !object.state.contains(.eventInserted) else { return }
    let id = ObjectIdentifier(object)
    if snapshots[id] == nil { snapshots[id] = EventSnapshot(unchanged: object) }
  }

  /// An object has left the context. Nothing of it is saved; observers are still told what the event did to it.
  func left(_ object: NSManagedObject) {
    mayHaveSettled = true
    object.marks.remove([.inserted, .updated, .deleted, .propagated, .eventUpdated])
  }

  /// The next save no longer checks the versions of these objects.
  func unlocked(_ objects: ContiguousArray<NSManagedObject>) {
    if lockedList.isEmpty { return }
    let gone = Set(objects.lazy.map(ObjectIdentifier.init))
    lockedList.removeAll { gone.contains(ObjectIdentifier($0)) }
  }

  // Events.

  /// What happened between two calls of `processPendingChanges()`.
  struct Event {
    fileprivate(set) var objects: ContiguousArray<NSManagedObject>
    fileprivate(set) var refreshed: ContiguousArray<NSManagedObject>
    fileprivate(set) var lost: ContiguousArray<NSManagedObject>
    fileprivate(set) var snapshots: [ObjectIdentifier: EventSnapshot]
  }

  /// Whether nothing has happened since the last event ended.
  var isEventEmpty: Bool { eventList.isEmpty && refreshedList.isEmpty && lostList.isEmpty }

  /// Hands out the event. The marks of its objects still say what happened to them.
  ///
  /// - Parameter postponed: objects for which the event isn't over: new ones whose delete rules are still due. What
  ///   happened to them is part of the next event.
  func takeEvent(without postponed: [NSManagedObject] = []) -> Event {
    var event = Event(objects: eventList, refreshed: refreshedList, lost: lostList, snapshots: snapshots)
    eventList = []
    refreshedList = []
    lostList = []
    snapshots = [:]
    if postponed.isEmpty { return event }
    let ids = Set(postponed.lazy.map(ObjectIdentifier.init))
    eventList = event.objects.keeping { ids.contains(ObjectIdentifier($0)) }
    event.objects = event.objects.keeping { !ids.contains(ObjectIdentifier($0)) }
    for id in ids { snapshots[id] = event.snapshots.removeValue(forKey: id) }
    return event
  }

  /// Takes the event's marks off its objects, and returns what happened to them, which is nearly always the same for
  /// all.
  ///
  /// The ledger drops new objects that were deleted before any save; the caller makes them leave the context.
  func eventEnded(_ event: Event) -> (changes: ObjectChanges, unborn: ContiguousArray<NSManagedObject>) {
    let gone: ObjectState = [.deleted, .eventDeleted]
    let objects = event.objects
    var changes = ObjectChanges()
    changes.refreshed = event.refreshed
    changes.deleted = event.lost
    // The beginning, of which all are new or all are updated.
    let new = objects.forEachHeld(
      while: { $0.state.isDisjoint(with: gone) && $0.state.contains(.eventInserted) }, { $0.marks.remove(.event) })
    if new > 0 { changes.inserted = objects.beginning(new) }
    let updated =
      new > 0
      ? 0
      : objects.forEachHeld(
        while: { $0.state.isDisjoint(with: gone.union(.eventInserted)) && $0.state.contains(.eventUpdated) },
        { $0.marks.remove(.event) })
    if updated > 0 { changes.updated = objects.beginning(updated) }
    var unborn = ContiguousArray<NSManagedObject>()
    for object in objects[(new + updated)...] {
      let state = object.state
      object.marks.remove(.event)
      if state.contains(.deleted) && state.contains(.inserted) {
        left(object)
        unborn.append(object)
        // A snapshot is of an object that was there before the event, even if it was inserted again since.
        let wasKnown = event.snapshots[ObjectIdentifier(object)]?.wasDeleted == false
        if wasKnown || !state.contains(.eventInserted) { changes.deleted.append(object) }
      } else if state.contains(.eventDeleted) {
        changes.deleted.append(object)
      } else if state.contains(.eventInserted) {
        changes.inserted.append(object)
      } else if state.contains(.eventUpdated) {
        changes.updated.append(object)
      }
    }
    if !unborn.isEmpty { forgetUnborn(unborn.count) }
    return (changes, unborn)
  }

  /// Takes new objects that were deleted before any save out of the lists, once they are half of these. A save that has
  /// something to write may never come, and until then they would be kept, and every fetch would look at them.
  private func forgetUnborn(_ count: Int) {
    unbornCount += count
    // Each of them is in both lists.
    if unbornCount * 4 < insertedList.count + deletedList.count { return }
    unbornCount = 0
    settledDeletions = 0
    tidyInserted()
    tidy(&deletedList, .listedDeleted) { $0.state.contains(.deleted) }
  }

  // Saves.

  /// An object's changes are written. It is no longer new, changed or deleted, and the lists drop it when the save
  /// ends. Until `toldOfSave(_:)` it says what the save did to it, if a class hears of saves.
  func saved(_ object: NSManagedObject) {
    mayHaveSettled = true
    let marks = object.marks
    object.marks = marks.subtracting([.pending, .listed, .propagated, .says]).union(hearsOfSaves ? marks.said : [])
  }

  /// An object has left because it was deleted in another context. Its `isDeleted` is true from then on, unless it is
  /// inserted again.
  func saysDeleted(_ object: NSManagedObject) { object.marks.insert(.saysDeleted) }

  /// `didSave()` has been called on all objects of the save.
  func toldOfSave(_ object: NSManagedObject) { object.marks.subtract(.says) }

  /// A save of `count` objects has ended. The lists keep the objects that it did not write. Locks of objects in the
  /// written stores end; `nil` means all stores.
  func saveEnded(count: Int, stores: Set<UInt16>? = nil) {
    settledDeletions = 0
    unbornCount = 0
    // Objects that dropped out before the save, as by a refresh, have to be listed again at their next change.
    if insertedList.count + updatedList.count + deletedList.count != count {
      tidyInserted()
      // The mark decides, since a deleted object that was updated is updated again when the deletion is taken back.
      tidy(&updatedList, .listedUpdated) { $0.state.contains(.updated) }
      tidy(&deletedList, .listedDeleted) { $0.state.contains(.deleted) }
    } else {
      insertedList = []
      updatedList = []
      deletedList = []
      mayHaveSettled = false
    }
    if isEmpty { hearsOfSaves = false }
    if let stores { lockedList.removeAll { stores.contains($0.store) } } else { lockedList = [] }
  }

  private func tidyInserted() {
    tidy(&insertedList, .listedInserted) { $0.state.contains(.inserted) }
    mayHaveSettled = false
  }

  private func tidy(
    _ list: inout ContiguousArray<NSManagedObject>, _ mark: ObjectState, keeping isPending: (NSManagedObject) -> Bool
  ) {
    let former = list
    list = []
    for object in former {
      if isPending(object) { list.append(object) } else { object.marks.remove(mark) }
    }
  }

  /// Forgets everything: nothing is left to save or to report.
  func reset() {
    for list in [insertedList, updatedList, deletedList, eventList, lockedList] { list.forEachHeld { $0.marks = [] } }
    insertedList = []
    updatedList = []
    deletedList = []
    settledDeletions = 0
    mayHaveSettled = false
    hearsOfSaves = false
    unbornCount = 0
    lockedList = []
    _ = takeEvent()
  }

  // Bookkeeping.

  /// Called when an object enters one of the lists.
  @inline(__always)
  private func noteClass(of object: NSManagedObject) {
    if !hearsOfSaves, ClassTraits.of(object).contains(.hearsOfSaves) { hearsOfSaves = true }
  }

  private func addingToEvent(_ object: NSManagedObject, _ marks: ObjectState) -> ObjectState {
    if marks.contains(.eventListed) { return marks }
    eventList.append(object)
    return marks.union(.eventListed)
  }

  /// Called before an object's first change in an event. Keeps what the object holds, if it has unsaved changes
  /// already.
  @inline(never)
  private func keepSnapshot(of object: NSManagedObject) {
    if object.state.contains(.eventListed) || !object.needsSnapshot { return }
    let id = ObjectIdentifier(object)
    if snapshots[id] == nil { snapshots[id] = EventSnapshot(object) }
  }
}

extension NSManagedObject {
  /// The object's marks, which only the ledger can write.
  fileprivate final var marks: ObjectState {
    get { state.intersection(.marks) }
    set { setMarks(newValue, ChangeLedger.Right()) }
  }
}

extension ObjectState {
  fileprivate static let listed: ObjectState = [.listedInserted, .listedUpdated, .listedDeleted]
  fileprivate static let event: ObjectState = [.eventListed, .eventInserted, .eventUpdated, .eventDeleted]
}

extension NSManagedObjectContext {
  /// What ``insertedObjects``, ``updatedObjects`` and ``deletedObjects`` have, without the sets: for those that only go
  /// through them. Each object is there once; a new one that is deleted is among the deleted.
  package final var listedChanges: (inserted: [NSManagedObject], updated: [NSManagedObject], deleted: [NSManagedObject])
  {
    (
      ledger.insertedList.filter { $0.state.intersection([.inserted, .deleted]) == .inserted },
      ledger.updatedList.filter { $0.state.isUpdated }, ledger.deletedList.filter { $0.state.contains(.deleted) }
    )
  }
}
