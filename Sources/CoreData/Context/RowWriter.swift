/// Encodes an object's values into a row.
final class RowWriter {
  // Unchecked, as the count of `insert` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var builder = RowBuilder()
  /// Whether rows may refer to objects that no store has seen, as those exchanged between a parent and a child do.
  private let keepsTemporaryKeys: Bool

  init(keepsTemporaryKeys: Bool) { self.keepsTemporaryKeys = keepsTemporaryKeys }

  /// The row as it will stand in the store: changed values over committed ones.
  ///
  /// For a store, the values of a new object may become the row. They can't be set then, until the object has taken the
  /// row or `takeBackValues()` was called.
  func row(of object: NSManagedObject, version: Int64) throws -> RowSnapshot {
    let places = object.places
    let reference = object.finalReference
    if !object.hasRow, let changes = object.changes, changes.isRow {
      func destination(_ held: AnyObject, _ place: PropertyPlace) throws -> RowReference? {
        try rowReference(to: unsafeDowncast(held, to: NSManagedObject.self), from: object, place)
      }
      if !keepsTemporaryKeys, let row = try changes.makeRow(key: reference.key, version: version, destination) {
        return row
      }
      return try changes.copiedRow(key: reference.key, version: version, destination)
    }
    if let base = object.row {
      try beginRow(object, object.layout, from: base)
    } else {
      builder.beginRow(places)
    }
    if let changes = object.changes {
      for place in places.slots where place.word >= 0 {
        let (slot, word) = (Int(place.slot), Int(place.word))
        guard changes.holds(slot) else { continue }
        if changes.holdsObject(slot) {
          switch changes[slot] {
          case .object(let held): try write(held, place: place, object: object)
          case let value: builder.set(value, slot: slot, word: word)
          }
        } else if place.kind == .transformable {
          writeNothing(place, object)
        } else {
          builder.set(slot, word: word, form: place.form, from: changes)
        }
      }
    }
    let row = builder.finishRow(key: reference.key, version: version, entity: places.entity)
    return places.traits.contains(.external) ? row.holdingFiles(object.layout) : row
  }

  /// Starts with a copy of the committed row, without the bytes of strings and data that a changed value replaces.
  private func beginRow(_ object: NSManagedObject, _ layout: EntityLayout, from base: RowSnapshot) throws {
    guard let changes = object.changes, !changes.holdsNone(of: layout.tailSlots) else {
      return builder.beginRow(from: base)
    }
    builder.beginRow(layout)
    for property in layout.slots where !changes.holds(property.slot) { builder.copy(property, from: base) }
  }

  /// A relationship's destination, or a transformable's object.
  private func write(_ held: AnyObject, place: PropertyPlace, object: NSManagedObject) throws {
    let slot = Int(place.slot)
    if place.kind == .toOne {
      let reference = try rowReference(to: unsafeDowncast(held, to: NSManagedObject.self), from: object, place)
      if let reference { builder.setDestination(reference, place) } else { builder.setNull(slot: slot) }
      return
    }
    let property = object.layout.slots[slot]
    if let base = object.row, !object.changedSlots.contains(property.slot) {
      builder.copy(property, from: base)
    } else {
      builder.set(.data(try property.attribute.storedData(ofTransformable: TransformableBox.open(held))), property)
    }
  }

  /// A transformable that is held as nil: it was set to nil, or its data was read, and the transformer made nothing of
  /// it. Then the data stays.
  private func writeNothing(_ place: PropertyPlace, _ object: NSManagedObject) {
    let slot = Int(place.slot)
    if let base = object.row, !object.changedSlots.contains(slot) {
      builder.copy(object.layout.slots[slot], from: base)
    } else {
      builder.setNull(slot: slot)
    }
  }

  /// The reference to a destination as the object's row keeps it; nil if a row can't refer to that object.
  private func rowReference(
    to destination: NSManagedObject, from object: NSManagedObject, _ place: PropertyPlace
  ) throws -> RowReference? {
    let reference = destination.finalReference
    if reference.key < 0, !keepsTemporaryKeys || destination.owner !== object.owner {
      if destination.isOfUnknownID { throw Failure.faultNotFulfillable(id: destination.objectID).nsError }
      // An object that was deleted before it was ever saved can't be referred to.
      return nil
    }
    if !destination.sharesStore(with: object) {
      let property = object.layout.slots[Int(place.slot)]
      throw Failure.externalRelationship(
        .init(object: object, entity: object.layout.name, property: property.name),
        destination: destination.layout.name
      ).nsError
    }
    return reference
  }
}

extension NSManagedObject {
  /// Lets the values that a save has made a row be set again. Code that holds the row keeps it as it is.
  final func takeBackValues() {
    if let changes, changes.isRowMade { self.changes = changes.copy() }
  }

  /// Whether a row of this object may refer to the other one. An object that is new in the parent context may have no
  /// store yet; the root's save checks it then.
  final func sharesStore(with other: NSManagedObject) -> Bool {
    store == other.store || isNewWithoutStore || other.isNewWithoutStore
  }

  private final var isNewWithoutStore: Bool { store == NSManagedObject.noStore && key < 0 }
}
