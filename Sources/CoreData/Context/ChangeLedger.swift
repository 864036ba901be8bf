/// What a context has to save, and what it has to tell: which objects are new, changed or deleted, and which of them
/// since observers were last told.
///
/// The ledger is the only one that writes an object's marks, those bits of `ObjectState` that are about unsaved
/// changes, and the only one that writes the lists. Everybody else reads. It knows no stores, no identity map and no
/// queue, and calls nothing of the client's: a transition has happened when its method returns.
///
/// An object stands in one of six states, and the ledger's methods are the arrows between them:
///
/// |                     | clean     | inserted  | updated   | deleted           | inserted, deleted | left      |
/// |---------------------|-----------|-----------|-----------|-------------------|-------------------|-----------|
/// | `inserted(_:)`      | inserted  | inserted  | inserted  | –                 | –                 | inserted  |
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
/// A dash is a call that nobody makes. Deleting an updated object leaves it marked as updated below the deletion, so
/// that it is one again when the deletion is taken back; `isUpdated` does not count it.
///
/// Invariants, which no sequence of these calls breaks:
/// - (2) An object is inserted, updated or deleted, and one of them at most; but until its event ends a new object may
///   be deleted, which makes it a deleted one.
/// - An object that is one of them stands in the list for it, once; so the context holds it.
/// - An object that an event touched stands in `eventList`, once.
/// - (4) "Inserted" ends with `saved(_:)`, when the object has its permanent key, or with all that was done to it.
final class ChangeLedger {
  /// The right to write marks: only this file can make one.
  struct Right {
    fileprivate init() {}
  }

  // Objects that were inserted, updated, deleted. One may stand in a list although it is that no longer: its `listed…`
  // marks say where it stands, so that it comes into no list twice; the others say what it is. The end of a save tidies
  // up.
  @exclusivity(unchecked) private(set) var insertedList = ContiguousArray<NSManagedObject>()
  @exclusivity(unchecked) private(set) var updatedList = ContiguousArray<NSManagedObject>()
  @exclusivity(unchecked) private(set) var deletedList = ContiguousArray<NSManagedObject>()
  /// Unchanged objects whose version the next save checks.
  @exclusivity(unchecked) private(set) var lockedList = ContiguousArray<NSManagedObject>()

  // The event: since pending changes were last processed.

  /// Objects touched in it.
  @exclusivity(unchecked) private(set) var eventList = ContiguousArray<NSManagedObject>()
  /// Objects refreshed in it.
  @exclusivity(unchecked) private(set) var refreshedList = ContiguousArray<NSManagedObject>()
  /// What objects held before it, where their rows don't tell; see `EventSnapshot`.
  @exclusivity(unchecked) private(set) var snapshots: [ObjectIdentifier: EventSnapshot] = [:]

  // What a save is about.

  /// New objects, in the order of their insertion. Until an event ends there may be deleted ones among them.
  var newObjects: ContiguousArray<NSManagedObject> { insertedList.keeping { $0.state.contains(.inserted) } }

  /// Saved objects that were changed since.
  var changedObjects: ContiguousArray<NSManagedObject> { updatedList.keeping { $0.isUpdated } }

  /// Objects that are to be deleted. Until an event ends there may be new ones among them.
  var deletedObjects: ContiguousArray<NSManagedObject> { deletedList.keeping { $0.state.contains(.deleted) } }

  /// Whether a save would have anything to write.
  var hasChanges: Bool {
    insertedList.contains { $0.state.contains(.inserted) } || updatedList.contains { $0.isUpdated }
      || deletedList.contains { $0.state.contains(.deleted) }
  }

  /// Whether nothing was inserted, changed or deleted since the lists were last empty.
  var isEmpty: Bool { insertedList.isEmpty && updatedList.isEmpty && deletedList.isEmpty }

  /// All objects with something to save, of which a condition holds.
  func pendingObjects(where holds: (NSManagedObject) -> Bool) -> [NSManagedObject] {
    (insertedList + updatedList + deletedList).filter { !$0.state.isDisjoint(with: .pending) && holds($0) }
  }

  /// Whether a condition holds for one of the objects with something to save.
  func containsPending(where holds: (NSManagedObject) -> Bool) -> Bool {
    func isMeant(_ object: NSManagedObject) -> Bool { !object.state.isDisjoint(with: .pending) && holds(object) }
    return insertedList.contains(where: isMeant) || updatedList.contains(where: isMeant)
      || deletedList.contains(where: isMeant)
  }

  // Changes.

  /// An object is new to the context, or is to be written as if it were.
  @inline(__always)
  func inserted(_ object: NSManagedObject) {
    var marks = object.marks
    marks.remove(.updated)
    marks.insert([.inserted, .eventInserted])
    if !marks.contains(.listedInserted) {
      marks.insert(.listedInserted)
      insertedList.append(object)
    }
    object.marks = addingToEvent(object, marks)
    // It has its values: there is no row to read them from.
    object.ownState.remove(.fault)
  }

  /// An object is about to be changed. Called before the first change since the last save, and before the first in an
  /// event; in between it costs nothing but the call.
  @inline(__always)
  func changed(_ object: NSManagedObject) {
    if object.changes != nil || !object.toManyStates.isEmpty { keepSnapshot(of: object) }
    var marks = object.marks
    if marks.isDisjoint(with: .pending) {
      marks.insert(.updated)
      if !marks.contains(.listedUpdated) {
        marks.insert(.listedUpdated)
        updatedList.append(object)
      }
    }
    // A new object that changes after the event of its insertion is an updated one to observers.
    if marks.isDisjoint(with: [.eventInserted, .deleted]) { marks.insert(.eventUpdated) }
    object.marks = addingToEvent(object, marks)
  }

  /// An object is to be deleted by the next save.
  func deleted(_ object: NSManagedObject) {
    keepSnapshot(of: object)
    var marks = object.marks
    marks.insert([.deleted, .eventDeleted])
    marks.remove(.eventUpdated)
    if !marks.contains(.listedDeleted) {
      marks.insert(.listedDeleted)
      deletedList.append(object)
    }
    object.marks = addingToEvent(object, marks)
  }

  /// The delete rules of a deleted object have been applied, or are not to be.
  func rulesApplied(to object: NSManagedObject) { object.marks.insert(.propagated) }

  /// A deleted object is not to be deleted. To observers who were told of its deletion it is new.
  func undeleted(_ object: NSManagedObject, isNewToObservers: Bool = false) {
    keepSnapshot(of: object)
    object.marks.remove([.deleted, .eventDeleted, .propagated])
    if object.state.contains(.inserted) { return inserted(object) }
    if isNewToObservers { object.marks.insert(.eventInserted) }
    changed(object)
  }

  /// The next save checks an object's version, changed or not.
  func locked(_ object: NSManagedObject) { lockedList.append(object) }

  /// What was set on an object has been dropped. A new one stays new, a deleted one deleted.
  @inline(__always)
  static func reverted(_ object: NSManagedObject) { object.marks.remove([.updated, .eventUpdated]) }

  /// Everything that was done to an object has been dropped; it stays in the context.
  func cleared(_ object: NSManagedObject) { object.marks.formIntersection([.listed, .eventListed]) }

  /// An object's row was read again: observers are to be told.
  func refreshed(_ object: NSManagedObject) { refreshedList.append(object) }

  /// Another row is about to take the place of the one that tells what the object held before the event.
  func rowChanges(of object: NSManagedObject) {
    guard object.state.contains(.eventListed), !object.state.contains(.eventInserted) else { return }
    let id = ObjectIdentifier(object)
    if snapshots[id] == nil { snapshots[id] = EventSnapshot(unchanged: object) }
  }

  /// An object is the context's no longer. There is nothing to save of it; what the event did to it is told.
  func left(_ object: NSManagedObject) {
    object.marks.remove([.inserted, .updated, .deleted, .propagated, .eventUpdated])
  }

  // Events.

  /// What happened between two calls of `processPendingChanges()`.
  struct Event {
    fileprivate(set) var objects: ContiguousArray<NSManagedObject>
    fileprivate(set) var refreshed: ContiguousArray<NSManagedObject>
    fileprivate(set) var snapshots: [ObjectIdentifier: EventSnapshot]
  }

  /// Whether nothing has happened since the last event ended.
  var isEventEmpty: Bool { eventList.isEmpty && refreshedList.isEmpty }

  /// Hands the event out; the objects still say by their marks what happened to them.
  func takeEvent() -> Event {
    let event = Event(objects: eventList, refreshed: refreshedList, snapshots: snapshots)
    eventList = []
    refreshedList = []
    snapshots = [:]
    return event
  }

  /// Takes the event's marks off its objects, and says what has happened to them. Nearly always the same to all.
  ///
  /// New objects that were deleted before any save are nothing to the ledger from now on: the caller makes them leave.
  func eventEnded(_ event: Event) -> (changes: ObjectChanges, unborn: ContiguousArray<NSManagedObject>) {
    let gone: ObjectState = [.deleted, .eventDeleted]
    let objects = event.objects
    var changes = ObjectChanges()
    changes.refreshed = event.refreshed
    if objects.allHeld({ $0.state.isDisjoint(with: gone) && $0.state.contains(.eventInserted) }) {
      objects.forEachHeld { $0.marks.remove(.event) }
      changes.inserted = objects
      return (changes, [])
    }
    if objects.allHeld({ $0.state.isDisjoint(with: gone.union(.eventInserted)) && $0.state.contains(.eventUpdated) }) {
      objects.forEachHeld { $0.marks.remove(.event) }
      changes.updated = objects
      return (changes, [])
    }
    var unborn = ContiguousArray<NSManagedObject>()
    for object in objects {
      let state = object.state
      object.marks.remove(.event)
      if state.contains(.deleted) && state.contains(.inserted) {
        left(object)
        unborn.append(object)
        if !state.contains(.eventInserted) { changes.deleted.append(object) }
      } else if state.contains(.eventDeleted) {
        changes.deleted.append(object)
      } else if state.contains(.eventInserted) {
        changes.inserted.append(object)
      } else if state.contains(.eventUpdated) {
        changes.updated.append(object)
      }
    }
    return (changes, unborn)
  }

  // Saves.

  /// What was done to an object is written: it is new, changed or deleted no longer, and the lists won't have it when
  /// the save has ended.
  @inline(__always)
  func saved(_ object: NSManagedObject) {
    object.marks.subtract([.pending, .listed, .propagated])
  }

  /// A save of so many objects has ended: the lists keep what it did not write, if it wrote less than all there is.
  /// Objects of the stores that were written are locked no longer; `nil` for all stores.
  func saveEnded(count: Int, stores: Set<UInt16>? = nil) {
    // Objects that have left a list before the save, as by a refresh, must come into it again at their next change.
    if insertedList.count + updatedList.count + deletedList.count != count {
      tidy(&insertedList, .listedInserted) { $0.state.contains(.inserted) }
      // By the mark: an updated object that is to be deleted is updated again when the deletion is taken back.
      tidy(&updatedList, .listedUpdated) { $0.state.contains(.updated) }
      tidy(&deletedList, .listedDeleted) { $0.state.contains(.deleted) }
    } else {
      insertedList = []
      updatedList = []
      deletedList = []
    }
    if let stores { lockedList.removeAll { stores.contains($0.store) } } else { lockedList = [] }
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

  /// Forgets everything: nothing is to be saved, and nothing to be told.
  func reset() {
    for list in [insertedList, updatedList, deletedList, eventList, lockedList] { list.forEachHeld { $0.marks = [] } }
    insertedList = []
    updatedList = []
    deletedList = []
    lockedList = []
    _ = takeEvent()
  }

  // The event's bookkeeping.

  @inline(__always)
  private func addingToEvent(_ object: NSManagedObject, _ marks: ObjectState) -> ObjectState {
    if marks.contains(.eventListed) { return marks }
    eventList.append(object)
    return marks.union(.eventListed)
  }

  /// Before an object's first change in an event: keeps what it holds, if it has unsaved changes already.
  @inline(never)
  private func keepSnapshot(of object: NSManagedObject) {
    if object.state.contains(.eventListed) || !object.needsSnapshot { return }
    let id = ObjectIdentifier(object)
    if snapshots[id] == nil { snapshots[id] = EventSnapshot(object) }
  }
}

extension NSManagedObject {
  /// What is to be done with the object, as the ledger writes it.
  fileprivate final var marks: ObjectState {
    @inline(__always) get { state.intersection(.marks) }
    @inline(__always) set { setMarks(newValue, ChangeLedger.Right()) }
  }
}

extension ObjectState {
  fileprivate static let listed: ObjectState = [.listedInserted, .listedUpdated, .listedDeleted]
  fileprivate static let event: ObjectState = [.eventListed, .eventInserted, .eventUpdated, .eventDeleted]
}
