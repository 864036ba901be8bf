/// Objects that a save writes, and the row that was made of each, in the same order.
///
/// Two arrays and no pairs: that of the objects is the context's own list, where all of it is saved. A save walks over
/// its objects a dozen times, and each copy of the list counts a reference to every one of them twice, in memory that
/// is long out of the processor's cache.
struct PlannedRows {
  private(set) var objects: ContiguousArray<NSManagedObject> = []
  private(set) var rows: [RowSnapshot] = []

  var count: Int { objects.count }

  init() {}

  /// Makes the row of each object.
  init(_ objects: ContiguousArray<NSManagedObject>, _ row: (NSManagedObject) throws -> RowSnapshot) rethrows {
    self.objects = objects
    rows.reserveCapacity(objects.count)
    try objects.forEachHeld { rows.append(try row($0)) }
  }

  mutating func append(_ object: NSManagedObject, _ row: RowSnapshot) {
    objects.append(object)
    rows.append(row)
  }

  @inline(__always)
  func forEach(_ body: (NSManagedObject, RowSnapshot) throws -> Void) rethrows {
    var index = 0
    try rows.withUnsafeBufferPointer { rows in
      try objects.forEachHeld { object in
        try body(object, rows[index])
        index += 1
      }
    }
  }

  /// The object of which a row was made.
  func object(of row: RowSnapshot) -> NSManagedObject? { rows.firstIndex { $0 === row }.map { objects[$0] } }

  /// Those of some stores.
  func ofStores(_ numbers: Set<UInt16>) -> PlannedRows {
    var part = PlannedRows()
    forEach { object, row in if numbers.contains(object.store) { part.append(object, row) } }
    return part
  }
}
