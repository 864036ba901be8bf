/// An object whose row another context or program has changed or deleted since it was read.
///
/// There are two cases:
///
/// 1. Another context of the coordinator changed the row and still has it: the new row is ``cachedSnapshot``, and
///    ``persistedSnapshot`` is nil.
/// 2. Another coordinator changed it, or a context that no longer has the row: ``cachedSnapshot`` is what this context
///    has read, and the new row is ``persistedSnapshot``, nil if the row was deleted.
///
/// Snapshots hold attributes and ids of to-one destinations, and `NSNull` for nil; no to-many relationships.
nonisolated open class NSMergeConflict: NSObject {
  /// The object that could not be saved. What the save would have written is in it.
  public let sourceObject: NSManagedObject
  /// The version that the object was read with; 0 for a new object.
  public let oldVersionNumber: Int
  /// The version that the store has now; 0 if the row is gone.
  public let newVersionNumber: Int
  /// The object as it was read, without its unsaved changes.
  public let objectSnapshot: [String: Any]?
  /// The row as the coordinator knows it.
  public let cachedSnapshot: [String: Any]?
  /// The row as the store has it, if the coordinator did not know it.
  public let persistedSnapshot: [String: Any]?

  let persistedRow: RowSnapshot?

  init(_ object: NSManagedObject, _ conflict: VersionConflict) {
    let (base, persisted) = (conflict.base, conflict.persisted)
    sourceObject = object
    oldVersionNumber = Int(base.version)
    newVersionNumber = Int(persisted?.version ?? 0)
    objectSnapshot = object.snapshot(of: base)
    cachedSnapshot = object.snapshot(of: conflict.isCached ? persisted ?? base : base)
    persistedSnapshot = conflict.isCached ? nil : persisted.map { object.snapshot(of: $0) }
    persistedRow = persisted
  }

  /// A conflict made by the program, to hand it to a policy.
  public init(
    source: NSManagedObject, newVersion: Int, oldVersion: Int, cachedSnapshot: [String: Any]?,
    persistedSnapshot: [String: Any]?
  ) {
    sourceObject = source
    oldVersionNumber = oldVersion
    newVersionNumber = newVersion
    objectSnapshot = source.originalSnapshot
    self.cachedSnapshot = cachedSnapshot
    self.persistedSnapshot = persistedSnapshot
    persistedRow = nil
  }

  /// The object, both versions and the snapshots, for logs.
  open override var description: String {
    let news =
      persistedSnapshot.map {
        "cached row = \(describedInOrder(cachedSnapshot ?? [:])), new database row = \(describedInOrder($0))"
      }
      ?? (newVersionNumber == 0 ? "the row deleted" : "new cached row = \(describedInOrder(cachedSnapshot ?? [:]))")
    return "NSMergeConflict for \(sourceObject.layout.name) \(sourceObject.objectID.description) with oldVersion = "
      + "\(oldVersionNumber), newVersion = \(newVersionNumber), old object snapshot = "
      + "\(describedInOrder(objectSnapshot ?? [:])), \(news)"
  }
}

/// Objects that would agree in the properties of a uniqueness constraint once the save is done.
nonisolated open class NSConstraintConflict: NSObject {
  /// The names of the attributes and to-one relationships of which one must differ.
  public let constraint: [String]
  /// The values on which the objects agree.
  public let constraintValues: [String: Any]
  /// The object whose row has the values in the store, and keeps them in this save; nil if all the objects in conflict
  /// get the values by this save.
  public let databaseObject: NSManagedObject?
  /// That row in the store: attributes and ids of to-one destinations, `NSNull` for nil. nil without a
  /// ``databaseObject``.
  public let databaseSnapshot: [String: Any]?
  /// The objects that get the values by this save: stored ones that were edited, then new ones
  /// in the order of insertion. It is empty for a batch request.
  public let conflictingObjects: [NSManagedObject]
  /// The former values of those objects, as they were read or inserted, in the order of the objects.
  public let conflictingSnapshots: [[AnyHashable: Any]]

  /// A conflict made by the program, to hand it to a policy. The values are read from the first of the objects.
  public init(
    constraint: [String], database databaseObject: NSManagedObject?, databaseSnapshot: [AnyHashable: Any]?,
    conflicting conflictingObjects: [NSManagedObject], conflictingSnapshots: [Any]
  ) {
    self.constraint = constraint
    self.databaseObject = databaseObject
    self.databaseSnapshot = databaseSnapshot as? [String: Any]
    self.conflictingObjects = conflictingObjects
    self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
    var values: [String: Any] = [:]
    for name in constraint { values[name] = conflictingObjects.first?.value(forKey: name) ?? NSNull() }
    constraintValues = values
  }

  /// A conflict about nothing: without a constraint, values or objects.
  public override convenience init() {
    self.init(
      constraint: [], database: nil, databaseSnapshot: nil, conflicting: [], conflictingSnapshots: [])
  }

  /// A conflict of a batch request, which has no objects for the new rows.
  init(
    constraint: [String], values: [String: Any], databaseObject: NSManagedObject?, databaseSnapshot: [String: Any]?
  ) {
    self.constraint = constraint
    constraintValues = values
    self.databaseObject = databaseObject
    self.databaseSnapshot = databaseSnapshot
    conflictingObjects = []
    conflictingSnapshots = []
  }

  /// The constraint, its values and the objects, for logs.
  open override var description: String {
    "NSConstraintConflict on (\(constraint.joined(separator: ", "))) = \(describedInOrder(constraintValues)) for "
      + (conflictingObjects.isEmpty ? "a row of a batch request" : "")
      + conflictingObjects.map { $0.objectID.description }.joined(separator: ", ")
      + (databaseObject.map { " and \($0.objectID.description) of the store" } ?? "")
  }
}

extension NSManagedObject {
  /// Attributes and to-one ids as they were read; for a new object its default values.
  var originalSnapshot: [String: Any] {
    if let row { return snapshot(of: row) }
    var values: [String: Any] = [:]
    for property in layout.slots where property.word >= 0 {
      if let composite = property.composite {
        values[composite.name] = composite.composed { $0.attribute.defaultValue } ?? NSNull()
      } else {
        values[property.name] = property.kind == .toOne ? NSNull() : property.attribute.defaultValue ?? NSNull()
      }
    }
    return values
  }

  /// Attributes and to-one ids of a row of this object. As in the object, a transformable is no data, and nil if it
  /// can't be read.
  func snapshot(of row: RowSnapshot) -> [String: Any] {
    func boxed(_ property: LayoutProperty) -> Any? {
      property.kind == .transformable
        ? row.object(ofTransformable: property) : row.value(property).boxed(for: property)
    }
    var values: [String: Any] = [:]
    for property in layout.slots where property.word >= 0 {
      if property.kind == .toOne {
        values[property.name] =
          row.destination(property).map {
            NSManagedObjectID(
              layout: layout.model.layouts[Int($0.entity)], key: $0.key, store: owner.storeIdentity(store))
          } ?? NSNull()
      } else if let composite = property.composite {
        values[composite.name] = composite.composed(boxed) ?? NSNull()
      } else {
        values[property.name] = boxed(property) ?? NSNull()
      }
    }
    return values
  }
}

extension CocoaError {
  /// The conflicts that the merge policy left: those of the codes `managedObjectMerge` and
  /// `persistentStoreSaveConflicts`, under `NSPersistentStoreSaveConflictsErrorKey`. nil for other errors.
  public var persistentStoreSaveConflicts: [NSMergeConflict]? {
    userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
  }
}
