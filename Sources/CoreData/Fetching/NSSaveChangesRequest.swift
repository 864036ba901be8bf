/// The changes of one save, as a store of one's own gets them.
///
/// The objects belong to the context that saves, and may be read on its queue while the store's method runs.
nonisolated open class NSSaveChangesRequest: NSPersistentStoreRequest {
  private let inserted: Set<NSManagedObject>?
  private let updated: Set<NSManagedObject>?
  private let deleted: Set<NSManagedObject>?
  private let locked: Set<NSManagedObject>?
  /// What the changed, deleted and locked rows were when this context read them.
  final var bases: [RowReference: Int64] = [:]

  /// The changes of a save; nil for a kind without changes.
  public init(
    inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
    deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
  ) {
    inserted = insertedObjects
    updated = updatedObjects
    deleted = deletedObjects
    locked = lockedObjects
    super.init()
  }

  /// `saveRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

  /// Objects that the store has not seen; their ids are those that it has given them.
  open var insertedObjects: Set<NSManagedObject>? { inserted }
  /// Objects with changed values or members.
  open var updatedObjects: Set<NSManagedObject>? { updated }
  /// Objects whose records are to be removed.
  open var deletedObjects: Set<NSManagedObject>? { deleted }
  /// Unchanged objects that the save depends on: see ``NSManagedObjectContext/detectConflicts(for:)``.
  open var lockedObjects: Set<NSManagedObject>? { locked }

  /// The version of the record that a change of this save is based on: that of the node which the context has read, or
  /// which a save of its own was answered by. Nil for new objects, and for objects that are no part of the save.
  ///
  /// Compare it with the record's version where the record is written: in the same transaction, or in the condition of
  /// the statement, `UPDATE … WHERE id = ? AND version = ?`. Comparing before it is too early, since another
  /// process may write in between. See ``NSIncrementalStore/comparesBaseVersions``. Apple's framework has no such
  /// method.
  public final func baseVersion(of object: NSManagedObject) -> UInt64? {
    bases[object.reference].map { UInt64(bitPattern: $0) }
  }

  /// A copy with the same sets of objects.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSSaveChangesRequest(inserted: inserted, updated: updated, deleted: deleted, locked: locked)
    copy.affectedStores = affectedStores
    copy.bases = bases
    return copy
  }
}
