/// An object whose row was changed, or deleted, by somebody else since it was read.
nonisolated open class NSMergeConflict: NSObject {
  /// The object that could not be saved.
  public let sourceObject: NSManagedObject
  /// The version the object was read with; 0 for a new object.
  public let oldVersionNumber: Int
  /// The version the store has now; 0 when the row is gone.
  public let newVersionNumber: Int
  /// Attributes, and ids of to-one destinations, as they are in memory.
  public let objectSnapshot: [String: Any]?
  /// The same, as they were read.
  public let cachedSnapshot: [String: Any]?
  /// The same, as they are in the store now; nil when the row is gone.
  public let persistedSnapshot: [String: Any]?

  let persistedRow: RowSnapshot?

  init(_ object: NSManagedObject, base: RowSnapshot?, persisted: RowSnapshot?) {
    sourceObject = object
    oldVersionNumber = Int(base?.version ?? 0)
    newVersionNumber = Int(persisted?.version ?? 0)
    objectSnapshot = object.snapshot
    cachedSnapshot = base.map { object.snapshot(of: $0) }
    persistedSnapshot = persisted.map { object.snapshot(of: $0) }
    persistedRow = persisted
  }

  /// A conflict a program states by itself, to hand it to a policy.
  public init(
    source: NSManagedObject, newVersion: Int, oldVersion: Int, cachedSnapshot: [String: Any]?,
    persistedSnapshot: [String: Any]?
  ) {
    sourceObject = source
    oldVersionNumber = oldVersion
    newVersionNumber = newVersion
    objectSnapshot = source.snapshot
    self.cachedSnapshot = cachedSnapshot
    self.persistedSnapshot = persistedSnapshot
    persistedRow = nil
  }

  open override var description: String {
    "NSMergeConflict for \(sourceObject.layout.name) \(sourceObject.objectID.description) with objectSnapshot = "
      + "\(objectSnapshot ?? [:]), cachedSnapshot = \(cachedSnapshot ?? [:]), persistedSnapshot = "
      + "\(persistedSnapshot.map { "\($0)" } ?? "deleted"), version \(oldVersionNumber) to \(newVersionNumber)"
  }
}

/// Objects that agree in the attributes of a uniqueness constraint.
nonisolated open class NSConstraintConflict: NSObject {
  /// The names of the attributes that must differ.
  public let constraint: [String]
  /// The values on which the objects agree.
  public let constraintValues: [String: Any]
  /// The object of the row that the store already has; nil when only new objects collide.
  public let databaseObject: NSManagedObject?
  public let databaseSnapshot: [String: Any]?
  /// The objects of this save that collide.
  public let conflictingObjects: [NSManagedObject]
  public let conflictingSnapshots: [[String: Any]]

  public init(
    constraint: [String], databaseObject: NSManagedObject?, databaseSnapshot: [String: Any]?,
    conflictingObjects: [NSManagedObject], conflictingSnapshots: [[String: Any]]
  ) {
    self.constraint = constraint
    self.databaseObject = databaseObject
    self.databaseSnapshot = databaseSnapshot
    self.conflictingObjects = conflictingObjects
    self.conflictingSnapshots = conflictingSnapshots
    var values: [String: Any] = [:]
    for name in constraint { values[name] = conflictingObjects.first?.value(forKey: name) ?? NSNull() }
    constraintValues = values
  }

  open override var description: String {
    "NSConstraintConflict on (\(constraint.joined(separator: ", "))) = \(constraintValues) for "
      + conflictingObjects.map { $0.objectID.description }.joined(separator: ", ")
      + (databaseObject.map { " and \($0.objectID.description) of the store" } ?? "")
  }
}

extension NSManagedObject {
  /// Attributes and to-one ids as they are in memory.
  var snapshot: [String: Any] {
    var values: [String: Any] = [:]
    for property in layout.slots {
      values[property.name] =
        property.kind == .toOne
        ? toOne(property)?.objectID ?? NSNull() : currentValue(property).boxed(for: property) ?? NSNull()
    }
    return values
  }

  /// Attributes and to-one ids of a row of this object.
  func snapshot(of row: RowSnapshot) -> [String: Any] {
    var values: [String: Any] = [:]
    for property in layout.slots where property.word >= 0 {
      if property.kind == .toOne {
        values[property.name] =
          row.destination(property).map {
            NSManagedObjectID(
              layout: layout.model.layouts[Int($0.entity)], key: $0.key, store: owner.storeIdentity(store))
          } ?? NSNull()
      } else {
        values[property.name] = row.value(property).boxed(for: property) ?? NSNull()
      }
    }
    return values
  }
}
