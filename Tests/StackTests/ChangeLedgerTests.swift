import TestDice
import Testing

@testable import CoreData

/// The ledger by itself: no context, no coordinator, no store.
@Suite("The change ledger: what is to be saved, and what to be told")
struct ChangeLedgerTests {
  private let model = library()
  private let ledger = ChangeLedger()

  /// An object with nothing to save, as if a fetch had brought it.
  private func clean() -> NSManagedObject {
    let object = NSManagedObject(entity: model.entitiesByName["Book"]!, insertInto: nil)
    object.changes = nil
    return object
  }

  /// The state of an object: the columns of the table in `ChangeLedger`.
  private enum Standing: CaseIterable { case clean, inserted, updated, deleted, unborn, left }

  private func standing(_ object: NSManagedObject) -> Standing {
    switch (object.isInserted, object.isUpdated, object.isDeleted) {
    case (true, false, false): .inserted
    case (false, true, false): .updated
    case (false, false, true): .deleted
    case (true, false, true): .unborn
    default: .clean
    }
  }

  private func object(_ standing: Standing) -> NSManagedObject {
    let object = clean()
    switch standing {
    case .clean: break
    case .inserted: ledger.inserted(object)
    case .updated: ledger.changed(object)
    case .deleted: ledger.deleted(object)
    case .unborn:
      ledger.inserted(object)
      ledger.deleted(object)
    case .left:
      ledger.inserted(object)
      ledger.left(object)
    }
    return object
  }

  private func endEvent() -> ObjectChanges { ledger.eventEnded(ledger.takeEvent()).changes }

  private func save(_ object: NSManagedObject) {
    ledger.saved(object)
    ledger.toldOfSave(object)
  }

  /// What must hold after whatever call.
  private func check(
    _ objects: [NSManagedObject], _ comment: Comment? = nil, _ location: SourceLocation = #_sourceLocation
  ) {
    func places(_ object: NSManagedObject, _ list: ContiguousArray<NSManagedObject>) -> Int {
      list.filter { $0 === object }.count
    }
    for object in objects {
      let state = object.state
      #expect(!(state.contains(.inserted) && state.contains(.updated)), comment, sourceLocation: location)
      #expect(
        places(object, ledger.insertedList) == (state.contains(.listedInserted) ? 1 : 0), comment,
        sourceLocation: location)
      #expect(
        places(object, ledger.updatedList) == (state.contains(.listedUpdated) ? 1 : 0), comment,
        sourceLocation: location)
      #expect(
        places(object, ledger.deletedList) == (state.contains(.listedDeleted) ? 1 : 0), comment,
        sourceLocation: location)
      #expect(
        places(object, ledger.eventList) == (state.contains(.eventListed) ? 1 : 0), comment, sourceLocation: location)
      if state.contains(.inserted) { #expect(state.contains(.listedInserted), comment, sourceLocation: location) }
      if state.contains(.updated) { #expect(state.contains(.listedUpdated), comment, sourceLocation: location) }
      if state.contains(.deleted) { #expect(state.contains(.listedDeleted), comment, sourceLocation: location) }
    }
    #expect(ledger.newObjects.filter { !$0.state.contains(.inserted) }.isEmpty, comment, sourceLocation: location)
    #expect(ledger.isEmpty || !ledger.eventList.isEmpty || !objects.isEmpty, comment, sourceLocation: location)
  }

  // The table.

  /// A transition, and where it leads from each standing; nil where nobody makes it.
  private struct Arrow {
    let name: String
    let call: (ChangeLedger, NSManagedObject) -> Void
    let leads: [Standing: Standing]
  }

  private static let arrows = [
    Arrow(
      name: "inserted", call: { $0.inserted($1) },
      leads: [.clean: .inserted, .inserted: .inserted, .updated: .inserted, .left: .inserted]),
    Arrow(name: "inserted again", call: { $0.insertedAgain($1) }, leads: [.inserted: .inserted]),
    Arrow(
      name: "changed", call: { $0.changed($1) },
      leads: [.clean: .updated, .inserted: .inserted, .updated: .updated, .deleted: .deleted, .unborn: .unborn]),
    Arrow(
      name: "deleted", call: { $0.deleted($1) },
      leads: [.clean: .deleted, .inserted: .unborn, .updated: .deleted, .deleted: .deleted, .unborn: .unborn]),
    Arrow(name: "undeleted", call: { $0.undeleted($1) }, leads: [.deleted: .updated, .unborn: .inserted]),
    Arrow(
      name: "undeleted, new to observers", call: { $0.undeleted($1, isNewToObservers: true) },
      leads: [.deleted: .updated, .unborn: .inserted]),
    Arrow(
      name: "reverted", call: { ChangeLedger.reverted($1) },
      leads: [
        .clean: .clean, .inserted: .inserted, .updated: .clean, .deleted: .deleted, .unborn: .unborn, .left: .left,
      ]),
    Arrow(
      name: "cleared", call: { $0.cleared($1) },
      leads: [.clean: .clean, .inserted: .clean, .updated: .clean, .deleted: .clean, .unborn: .clean, .left: .left]),
    Arrow(
      name: "left", call: { $0.left($1) },
      leads: [.clean: .left, .inserted: .left, .updated: .left, .deleted: .left, .unborn: .left, .left: .left]),
  ]

  @Test("Each transition leads where the table says")
  func table() {
    for arrow in ChangeLedgerTests.arrows {
      for (from, to) in arrow.leads {
        let object = object(from)
        arrow.call(ledger, object)
        #expect(standing(object) == (to == .left ? .clean : to), "\(arrow.name) of an object that is \(from)")
        check([object], "\(arrow.name) of an object that is \(from)")
      }
    }
  }

  @Test("No transition touches the bits that are the object's own, but that a new object is no fault")
  func ownBits() {
    for arrow in ChangeLedgerTests.arrows {
      for from in arrow.leads.keys {
        for isFault in [true, false] {
          let object = object(from)
          object.enteredMap()
          object.beganSettingQuietly()
          if isFault { object.becameFault() } else { object.lostRow() }
          let own = object.ownState
          arrow.call(ledger, object)
          let isNew = arrow.leads[from] == .inserted && !["inserted again", "changed", "reverted"].contains(arrow.name)
          #expect(
            object.ownState == (isNew ? own.subtracting(.fault) : own), "\(arrow.name) of an object that is \(from)")
          object.forgotContext()
          #expect(standing(object) == (arrow.leads[from] == .left ? .clean : arrow.leads[from]!))
        }
      }
    }
  }

  // Events.

  @Test("An event tells of each object once, by what happened to it last")
  func events() {
    let (new, changed, deleted, both) = (clean(), clean(), clean(), clean())
    ledger.inserted(new)
    ledger.changed(new)
    ledger.changed(changed)
    ledger.changed(changed)
    ledger.changed(deleted)
    ledger.deleted(deleted)
    ledger.inserted(both)
    ledger.refreshed(changed)
    let changes = endEvent()
    #expect(changes.inserted == [new, both] && changes.updated == [changed] && changes.deleted == [deleted])
    #expect(changes.refreshed == [changed])
    #expect(ledger.isEventEmpty && endEvent().isEmpty)
    // What is to be saved stays.
    #expect(
      ledger.newObjects == [new, both] && ledger.changedObjects == [changed] && ledger.deletedObjects == [deleted])
    ledger.changed(new)
    #expect(endEvent().updated == [new] && new.isInserted && !new.isUpdated)
    check([new, changed, deleted, both])
  }

  @Test("A new object that is inserted again is told of once more, and its snapshot says that it was there")
  func insertedAgain() {
    let (untouched, changed) = (clean(), clean())
    for object in [untouched, changed] { ledger.inserted(object) }
    ledger.insertedAgain(untouched)
    #expect(ledger.snapshots.isEmpty && endEvent().inserted == [untouched, changed])
    ledger.changed(changed)
    for object in [changed, untouched] { ledger.insertedAgain(object) }
    #expect(ledger.snapshots.count == 2 && ledger.snapshots.values.allSatisfy { !$0.wasDeleted })
    let changes = endEvent()
    #expect(changes.inserted == [changed, untouched] && changes.updated.isEmpty)
    #expect(ledger.newObjects == [untouched, changed])
    check([untouched, changed])
  }

  @Test("A new object that is deleted before any save leaves with the event; observers hear of it if they knew it")
  func unborn() {
    let (unknown, known) = (clean(), clean())
    ledger.inserted(known)
    _ = endEvent()
    ledger.inserted(unknown)
    ledger.deleted(unknown)
    ledger.deleted(known)
    for object in [unknown, known] { ledger.rulesApplied(to: object) }
    let (changes, unborn) = ledger.eventEnded(ledger.takeEvent())
    #expect(unborn == [known, unknown] || unborn == [unknown, known])
    #expect(changes.deleted == [known] && changes.inserted.isEmpty)
    #expect(!ledger.hasChanges && !unknown.hasChanges && !known.hasChanges)
    // Should it be inserted again, its delete rules are to be applied again.
    #expect(!known.state.contains(.propagated))
    check([unknown, known])
  }

  @Test("A deletion that is taken back is a change; to observers who heard of it the object is new")
  func undeleted() {
    let (quiet, told) = (clean(), clean())
    ledger.deleted(quiet)
    ledger.rulesApplied(to: quiet)
    ledger.deleted(told)
    ledger.undeleted(quiet)
    #expect(!quiet.state.contains(.propagated) && quiet.isUpdated)
    #expect(endEvent().updated == [quiet])
    ledger.undeleted(told, isNewToObservers: true)
    #expect(endEvent().inserted == [told] && told.isUpdated)
    #expect(ledger.deletedObjects.isEmpty && ledger.changedObjects.count == 2)
  }

  @Test("Snapshots are kept of objects that had unsaved changes before the event, once, and go with it")
  func snapshots() {
    let object = clean()
    ledger.changed(object)
    #expect(ledger.snapshots.isEmpty)
    object.changes = ChangedValues.make(object.layout)
    _ = endEvent()
    ledger.changed(object)
    ledger.deleted(object)
    #expect(ledger.snapshots.count == 1 && ledger.snapshots[ObjectIdentifier(object)]?.wasDeleted == false)
    let event = ledger.takeEvent()
    #expect(event.snapshots.count == 1 && ledger.snapshots.isEmpty)
    _ = ledger.eventEnded(event)
    ledger.undeleted(object)
    #expect(ledger.snapshots[ObjectIdentifier(object)]?.wasDeleted == true)
  }

  @Test("The row that tells what an object held before the event is kept when another takes its place")
  func rows() {
    let (changed, new, untouched) = (clean(), clean(), clean())
    ledger.changed(changed)
    ledger.inserted(new)
    for object in [changed, new, untouched] { ledger.rowChanges(of: object) }
    #expect(ledger.snapshots.count == 1 && ledger.snapshots[ObjectIdentifier(changed)] != nil)
  }

  // Saves.

  @Test("After a save of everything nothing is left, and a next change comes into the lists again")
  func saved() {
    let objects = [object(.inserted), object(.updated), object(.deleted)]
    ledger.locked(objects[1])
    _ = endEvent()
    objects.forEach(save)
    ledger.saveEnded(count: 3)
    #expect(ledger.isEmpty && ledger.lockedList.isEmpty && !ledger.hasChanges)
    check(objects)
    for object in objects { ledger.changed(object) }
    #expect(ledger.changedObjects.count == 3)
    check(objects)
  }

  @Test("After a save of a part the rest is as it was, and locked if its store was not written")
  func partlySaved() {
    let objects = [Standing.inserted, .inserted, .updated, .updated, .deleted, .deleted].map(object)
    for (index, object) in objects.enumerated() { object.store = UInt16(index % 2) }
    let locked = [clean(), clean()]
    for (index, object) in locked.enumerated() {
      object.store = UInt16(index)
      ledger.locked(object)
    }
    _ = endEvent()
    for index in [0, 2, 4] { save(objects[index]) }
    ledger.saveEnded(count: 3, stores: [0])
    #expect(ledger.newObjects == [objects[1]] && ledger.changedObjects == [objects[3]])
    #expect(ledger.deletedObjects == [objects[5]] && ledger.lockedList == [locked[1]])
    #expect(ledger.pendingObjects { _ in true }.count == 3)
    #expect(ledger.containsPending { $0 === objects[1] } && !ledger.containsPending { $0 === objects[0] })
    check(objects)
  }

  @Test("An object that lost its changes before a save comes into the list again at its next change")
  func revertedBeforeSave() {
    let (reverted, saved) = (object(.updated), object(.updated))
    ChangeLedger.reverted(reverted)
    #expect(ledger.changedObjects == [saved])
    _ = endEvent()
    save(saved)
    ledger.saveEnded(count: 1)
    #expect(ledger.isEmpty)
    ledger.changed(reverted)
    #expect(ledger.changedObjects == [reverted])
    check([reverted, saved])
  }

  @Test("After a reset nothing is to be saved or told")
  func reset() {
    let objects = Standing.allCases.map(object)
    ledger.locked(objects[0])
    ledger.refreshed(objects[0])
    ledger.reset()
    #expect(ledger.isEmpty && ledger.isEventEmpty && ledger.lockedList.isEmpty && !ledger.hasChanges)
    #expect(objects.allSatisfy { standing($0) == .clean && $0.state.isDisjoint(with: .marks) })
    check(objects)
  }

  // Whatever is done.

  /// What one object is, by the table alone, and what the event did to it.
  private struct Expected {
    var standing = Standing.clean
    var isTold: (inserted: Bool, updated: Bool, deleted: Bool) = (false, false, false)
    /// Whether it was there before the event in which it was inserted again.
    var wasKnown = false
  }

  @Test("Any sequence of transitions leads where the table says, and tells what happened", arguments: 0..<40)
  func random(_ seed: UInt64) {
    var dice = Dice(state: seed)
    let objects = (0..<12).map { _ in clean() }
    var expected = objects.map { _ in Expected() }
    for step in 0..<400 {
      let index = Int.random(in: 0..<objects.count, using: &dice)
      switch Int.random(in: 0..<24, using: &dice) {
      case 0: endEvent(objects, &expected, "seed \(seed), step \(step)")
      case 1:
        endEvent(objects, &expected, "seed \(seed), step \(step)")
        save(objects, &expected, all: Bool.random(using: &dice), &dice)
      case 2 where step % 20 == 0:
        ledger.reset()
        for place in objects.indices where expected[place].standing != .left { expected[place].standing = .clean }
        for place in objects.indices {
          expected[place].isTold = (false, false, false)
          expected[place].wasKnown = false
        }
      default:
        let arrow = ChangeLedgerTests.arrows.randomElement(using: &dice)!
        guard let to = arrow.leads[expected[index].standing] else { continue }
        arrow.call(ledger, objects[index])
        note(arrow.name, to, &expected[index])
      }
      for (object, expected) in zip(objects, expected) {
        #expect(
          standing(object) == (expected.standing == .left ? .clean : expected.standing), "seed \(seed), step \(step)")
      }
      func set(_ standings: Standing...) -> Set<NSManagedObject> {
        Set(zip(objects, expected).filter { standings.contains($0.1.standing) }.map(\.0))
      }
      #expect(Set(ledger.newObjects) == set(.inserted, .unborn), "seed \(seed), step \(step)")
      #expect(Set(ledger.changedObjects) == set(.updated), "seed \(seed), step \(step)")
      #expect(Set(ledger.deletedObjects) == set(.deleted, .unborn), "seed \(seed), step \(step)")
      #expect(ledger.hasChanges == expected.contains { $0.standing != .clean && $0.standing != .left })
      check(objects, "seed \(seed), step \(step)")
    }
  }

  private func note(_ name: String, _ to: Standing, _ object: inout Expected) {
    let from = object.standing
    object.standing = to
    switch name {
    case "inserted": object.isTold.inserted = true
    case "inserted again":
      if !object.isTold.inserted { object.wasKnown = true }
      object.isTold.inserted = true
    case "changed": if !object.isTold.inserted, from != .deleted, from != .unborn { object.isTold.updated = true }
    case "deleted": (object.isTold.deleted, object.isTold.updated) = (true, false)
    case "undeleted", "undeleted, new to observers":
      object.isTold.deleted = false
      if from == .unborn || name != "undeleted" { object.isTold.inserted = true }
      if !object.isTold.inserted { object.isTold.updated = true }
    case "reverted", "left": object.isTold.updated = false
    default: object.isTold = (false, false, false)
    }
  }

  private func endEvent(_ objects: [NSManagedObject], _ expected: inout [Expected], _ comment: Comment) {
    let (changes, unborn) = ledger.eventEnded(ledger.takeEvent())
    var told: (inserted: Set<NSManagedObject>, updated: Set<NSManagedObject>, deleted: Set<NSManagedObject>) = (
      [], [], []
    )
    var leaving: Set<NSManagedObject> = []
    for (index, object) in objects.enumerated() {
      let (isTold, wasKnown) = (expected[index].isTold, expected[index].wasKnown)
      expected[index].isTold = (false, false, false)
      expected[index].wasKnown = false
      if expected[index].standing == .unborn, isTold != (false, false, false) {
        expected[index].standing = .left
        leaving.insert(object)
        if wasKnown || !isTold.inserted { told.deleted.insert(object) }
      } else if isTold.deleted {
        told.deleted.insert(object)
      } else if isTold.inserted {
        told.inserted.insert(object)
      } else if isTold.updated {
        told.updated.insert(object)
      }
    }
    #expect(Set(changes.inserted) == told.inserted && Set(changes.updated) == told.updated, comment)
    #expect(Set(changes.deleted) == told.deleted && Set(unborn) == leaving, comment)
  }

  private func save(_ objects: [NSManagedObject], _ expected: inout [Expected], all: Bool, _ dice: inout Dice) {
    var count = 0
    for (index, object) in objects.enumerated() where all || Bool.random(using: &dice) {
      switch expected[index].standing {
      case .clean, .left, .unborn: continue
      case .inserted, .updated: expected[index].standing = .clean
      case .deleted: expected[index].standing = .left
      }
      save(object)
      count += 1
    }
    ledger.saveEnded(count: count, stores: all ? nil : [])
    if all { #expect(ledger.isEmpty) }
  }
}
