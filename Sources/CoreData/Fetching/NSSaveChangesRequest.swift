/// The changes of one save, for a store of your own.
///
/// The objects belong to the saving context. Read them on its queue while the store's method runs.
nonisolated open class NSSaveChangesRequest: NSPersistentStoreRequest {
  private let inserted: Set<NSManagedObject>?
  private let updated: Set<NSManagedObject>?
  private let deleted: Set<NSManagedObject>?
  private let locked: Set<NSManagedObject>?
  /// The changed, deleted and locked rows, as this context read them.
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

  /// New objects, with the ids that the store has given them.
  open var insertedObjects: Set<NSManagedObject>? { inserted }
  /// Objects with changed values or members.
  open var updatedObjects: Set<NSManagedObject>? { updated }
  /// Objects whose records are to be removed.
  open var deletedObjects: Set<NSManagedObject>? { deleted }
  /// Unchanged objects that the save depends on: see ``NSManagedObjectContext/detectConflicts(for:)``.
  open var lockedObjects: Set<NSManagedObject>? { locked }

  /// The version of the record that a change of this save is based on: the version of the node that the context has
  /// read, or that answered its last save. nil for new objects, and for objects that are not part of the save.
  ///
  /// Compare it with the record's version in the same transaction that writes the record, or in the condition of the
  /// statement, `UPDATE … WHERE id = ? AND version = ?`. If you compare earlier, another process may write in between.
  /// See ``NSIncrementalStore/comparesBaseVersions``. Apple's framework has no such method.
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
