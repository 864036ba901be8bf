/// The state of an object. Kept in the object, so that asking needs no lookup.
///
/// It has two kinds of bits, so that one test can ask for both: the object's own (`OwnState`), and marks, which say
/// what its context has to do for it. Only the context's `ChangeLedger` writes marks. Two more say that the object has
/// been observed, and that its context keeps it alive for a while.
struct ObjectState: OptionSet {
  let rawValue: UInt32

  /// The values have not been read since the last fetch or refresh.
  static let fault = ObjectState(rawValue: 1 << 0)
  static let inserted = ObjectState(rawValue: 1 << 1)
  static let updated = ObjectState(rawValue: 1 << 2)
  static let deleted = ObjectState(rawValue: 1 << 3)
  /// The object is in the ledger's list of inserted, updated or deleted objects, though its state may have changed
  /// since.
  static let listedInserted = ObjectState(rawValue: 1 << 4)
  static let listedUpdated = ObjectState(rawValue: 1 << 5)
  static let listedDeleted = ObjectState(rawValue: 1 << 6)
  /// What happened to the object since pending changes were last processed.
  static let eventListed = ObjectState(rawValue: 1 << 7)
  static let eventInserted = ObjectState(rawValue: 1 << 8)
  static let eventUpdated = ObjectState(rawValue: 1 << 9)
  static let eventDeleted = ObjectState(rawValue: 1 << 10)
  /// The object is in its context's identity map.
  static let registered = ObjectState(rawValue: 1 << 11)
  /// The object's row is gone, and it reads as empty.
  static let inaccessible = ObjectState(rawValue: 1 << 12)
  /// The object's delete rules have been applied.
  static let propagated = ObjectState(rawValue: 1 << 13)
  /// What is set is no change: the object awakes, or its primitive value is set.
  static let setsQuietly = ObjectState(rawValue: 1 << 14)
  /// The object has had observers. Stays when it has none any more.
  static let observed = ObjectState(rawValue: 1 << 15)
  /// The object's `prepareForDeletion()` is running.
  static let preparing = ObjectState(rawValue: 1 << 16)
  /// What the object says of itself while it is told of a save, by `didSave()`. In the order of `inserted`, `updated`,
  /// `deleted`. The last stays on an object that has left by a merged deletion.
  static let saysInserted = ObjectState(rawValue: 1 << 17)
  static let saysUpdated = ObjectState(rawValue: 1 << 18)
  static let saysDeleted = ObjectState(rawValue: 1 << 19)
  /// The object is among its context's `RecentDestinations`.
  static let recent = ObjectState(rawValue: 1 << 20)

  /// The context has something to do for the object, and so keeps it alive.
  static let pending: ObjectState = [.inserted, .updated, .deleted]
  static let says: ObjectState = [.saysInserted, .saysUpdated, .saysDeleted]
  /// The bits that the ledger writes.
  static let marks: ObjectState = [
    .pending, .listedInserted, .listedUpdated, .listedDeleted, .eventListed, .eventInserted, .eventUpdated,
    .eventDeleted, .propagated, .preparing, .says,
  ]
  /// The bits that are none of the object's own.
  static let notOwn: ObjectState = [.marks, .observed, .recent]

  /// As `OptionSet` would answer. Its answer is generic code, which a debug build runs as it stands: a dozen calls for
  /// a question that each reading of a property asks.
  func contains(_ bits: ObjectState) -> Bool { rawValue & bits.rawValue == bits.rawValue }

  /// Whether the next save has changes of a stored object to write.
  var isUpdated: Bool { contains(.updated) && !contains(.deleted) }

  /// What an object with these marks says of itself while it is told of their save.
  var said: ObjectState { ObjectState(rawValue: (rawValue & ObjectState.pending.rawValue) << 16) }
}

/// The bits of an object's state that are not about unsaved changes: whether its values are there, and whether the
/// identity map knows it. `NSManagedObject+OwnState.swift` lists how they change.
struct OwnState: OptionSet {
  let rawValue: UInt32

  static let fault = OwnState(rawValue: ObjectState.fault.rawValue)
  static let registered = OwnState(rawValue: ObjectState.registered.rawValue)
  static let inaccessible = OwnState(rawValue: ObjectState.inaccessible.rawValue)
  static let setsQuietly = OwnState(rawValue: ObjectState.setsQuietly.rawValue)
}
