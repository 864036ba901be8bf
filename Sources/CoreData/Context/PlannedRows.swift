/// The objects that a save writes, and the row made for each, in the same order.
///
/// These are two arrays rather than one of pairs, because the array of objects can then be the context's own list, if
/// all of it is saved. A save walks over its objects a dozen times, and each copy of the list would count two
/// references to every object, in memory that is no longer in the processor's cache.
struct PlannedRows {
  private(set) var objects: ContiguousArray<NSManagedObject> = []
  private(set) var rows: [RowSnapshot] = []

  var count: Int { objects.count }

  init() {}

  /// Makes the row of each object.
  init(_ objects: ContiguousArray<NSManagedObject>, _ row: (NSManagedObject) throws -> RowSnapshot) rethrows {
    self.objects = objects
    rows = try Array(unsafeUninitializedCapacity: objects.count) { rows, count in
      try objects.forEachHeld {
        rows.initializeElement(at: count, to: try row($0))
        count += 1
      }
    }
  }

  mutating func append(_ object: NSManagedObject, _ row: RowSnapshot) {
    objects.append(object)
    rows.append(row)
  }

  func forEach(_ body: (NSManagedObject, RowSnapshot) throws -> Void) rethrows {
    try forEachHeld(objects, beside: rows, body)
  }

  /// The object that a row was made from.
  func object(of row: RowSnapshot) -> NSManagedObject? { rows.firstIndex { $0 === row }.map { objects[$0] } }

  /// The objects and rows of some stores.
  func ofStores(_ numbers: Set<UInt16>) -> PlannedRows {
    var part = PlannedRows()
    forEach { object, row in if numbers.contains(object.store) { part.append(object, row) } }
    return part
  }
}
