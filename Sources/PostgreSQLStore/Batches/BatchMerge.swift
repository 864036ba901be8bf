internal import CoreData
import Foundation

/// Resolves conflicts between a portion of new rows and the rows that already have their values of a uniqueness
/// constraint, in the database or in the portion itself. Treats rows in order, as if each were written before the next.
struct BatchMerge {
  /// A row of the database that the batch overwrites, and the slots it changes.
  struct Change {
    var row: RowSnapshot
    var slots: SlotMask
  }

  struct Settled {
    var new: [RowSnapshot] = []
    var changed: [Change] = []
  }

  private(set) var settled = Settled()
  private let store: PostgreSQLStore
  private let batch: BatchInsert
  private let constraints: [BatchConstraint]
  /// For each constraint, the row that holds given values now.
  private var holders: [[ConstraintValues: RowSnapshot]] = []
  /// Indexes in `settled`, by key.
  private var newPlaces: [Int64: Int] = [:]
  private var changedPlaces: [Int64: Int] = [:]
  private let isOwn: (Int64) -> Bool
  /// The slots of attributes, which a new row can overwrite in an older one.
  private let attributes: SlotMask

  /// - Parameter isOwn: returns whether the batch itself has inserted the row with this key.
  init(
    _ store: PostgreSQLStore, _ batch: BatchInsert, _ constraints: [BatchConstraint], _ rows: [BatchRow],
    _ connection: Connection, isOwn: @escaping (Int64) -> Bool
  ) throws {
    self.store = store
    self.batch = batch
    self.constraints = constraints
    self.isOwn = isOwn
    attributes = SlotMask(batch.layout.slots.filter { !$0.isRelationship && $0.slot >= 0 }.map(\.slot))
    for constraint in constraints {
      let asking = rows.map(\.row).filter { store.layouts.values($0, constraint.names) != nil }
      var known: [ConstraintValues: RowSnapshot] = [:]
      if !asking.isEmpty {
        let found = try ConstraintHolders(store, connection).rows(
          constraint.names, constraint.declaring, asking, isLocking: true)
        for row in found { if let values = store.layouts.values(row, constraint.names) { known[values] = row } }
      }
      holders.append(known)
    }
  }

  mutating func add(_ new: BatchRow) throws {
    for (place, constraint) in constraints.enumerated() {
      guard let values = store.layouts.values(new.row, constraint.names), let holder = holders[place][values] else {
        continue
      }
      switch batch.answer {
      case .fail: throw conflict(constraint, new.row, holder)
      case .keep: return
      case .merge: return try merge(new.row, new.given, into: holder)
      case .overwrite: return try merge(new.row, attributes, into: holder)
      }
    }
    newPlaces[new.row.key] = settled.new.count
    settled.new.append(new.row)
    try register(new.row, insteadOf: nil, for: new.row)
  }

  private mutating func merge(_ new: RowSnapshot, _ slots: SlotMask, into holder: RowSnapshot) throws {
    let layout = store.layouts[holder.entity]
    var builder = RowBuilder()
    builder.beginRow(from: holder)
    var taken = SlotMask()
    slots.forEach { slot in
      let property = batch.layout.slots[slot]
      // Leaves out attributes that the older row does not have.
      guard let place = layout.property(named: property.name), place.slot >= 0,
        place.declaringEntity == property.declaringEntity
      else { return }
      taken.insert(place.slot)
      if new.isNull(slot: slot) {
        builder.setNull(slot: place.slot)
      } else {
        builder.set(new.value(property), place)
      }
    }
    let row = builder.finishRow(key: holder.key, version: holder.version, entity: holder.entity)
    try register(row, insteadOf: holder, for: new)
    if let place = newPlaces[row.key] {
      settled.new[place] = row
    } else if let place = changedPlaces[row.key] {
      settled.changed[place].row = row
      taken.forEach { settled.changed[place].slots.insert($0) }
    } else {
      changedPlaces[row.key] = settled.changed.count
      settled.changed.append(Change(row: row, slots: taken))
    }
  }

  /// Notes the values that a row has now. Throws if a third row has them: then the new row conflicts with two rows, in
  /// two different constraints.
  private mutating func register(_ row: RowSnapshot, insteadOf old: RowSnapshot?, for new: RowSnapshot) throws {
    for (place, constraint) in constraints.enumerated() {
      let now = store.layouts.values(row, constraint.names)
      if let now, let other = holders[place][now], other.key != row.key { throw conflict(constraint, new, other) }
      if let old, let before = store.layouts.values(old, constraint.names) { holders[place][before] = nil }
      if let now { holders[place][now] = row }
    }
  }

  private func conflict(_ constraint: BatchConstraint, _ new: RowSnapshot, _ holder: RowSnapshot) -> BatchConflict {
    let values = constraint.names.map { name in
      batch.layout.property(named: name).flatMap { new.value($0).boxed(for: $0) }
    }
    let isStored = newPlaces[holder.key] == nil && !isOwn(holder.key)
    var conflict = BatchConflict(
      store: store.identity, entity: constraint.declaring, constraint: constraint.names, values: values,
      holder: isStored ? holder.reference : nil)
    if isStored {
      var rows = [holder]
      store.rowCache.publish(&rows, readAfter: nil)
      conflict.persisted = rows[0]
    }
    return conflict
  }
}
