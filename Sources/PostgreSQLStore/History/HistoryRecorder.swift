internal import CoreData
import Foundation

/// Collects the changes of one transaction and writes them to the history, in the last statement before the commit.
/// Used by one thread.
final class HistoryRecorder {
  private let history: PostgreSQLHistory
  private let connection: Connection
  private let texts: [Int64?]
  /// The number of the transaction; 0 before `finishTransaction()`, and for a transaction without changes.
  private(set) var transaction: Int64 = 0

  // Each array has one element per change. Changes that differ only in consecutive keys share one element.
  private var types: [Int64] = []
  private var entities: [Int64] = []
  private var firsts: [Int64] = []
  private var lasts: [Int64] = []
  private var columns: [[UInt8]?] = []
  private var tombstones: [[[UInt8]?]]
  private var count: Int64 = 0
  private var updated: Set<RowReference> = []
  /// The keys of rows that were inserted in runs, by entity.
  private var inserted: [Int: [ClosedRange<Int64>]] = [:]

  /// - Parameter texts: the keys of author, bundle, context and process.
  init(_ history: PostgreSQLHistory, _ connection: Connection, _ texts: [Int64?]) {
    self.history = history
    self.connection = connection
    self.texts = texts
    tombstones = Array(repeating: [], count: history.tombstoneCount)
  }

  var isEmpty: Bool { types.isEmpty }

  /// Records all changes of a save.
  func record(_ changes: ChangeSet) {
    for row in changes.inserted { insert(row.entity, row.key...row.key) }
    var toMany = changes.toManyUpdates[...]
    for (number, update) in changes.updated.enumerated() {
      let own = toMany.prefix { $0.update == number }
      toMany = toMany.dropFirst(own.count)
      self.update(update.row.reference, update.changed, toMany: own)
    }
    for row in changes.deleted { delete(row.reference, row) }
  }

  func insert(_ entity: Int, _ keys: ClosedRange<Int64>) {
    if keys.count == 1 {
      updated.insert(RowReference(entity: entity, key: keys.lowerBound))
    } else {
      inserted[entity, default: []].append(keys)
    }
    add(0, entity, keys, nil)
  }

  func update(_ row: RowReference, _ slots: SlotMask, toMany: ArraySlice<ToManyChange> = []) {
    updated.insert(row)
    add(1, Int(row.entity), row.key...row.key, history.columns(of: Int(row.entity)).bitmap(slots, toMany: toMany))
  }

  /// Records a deletion.
  ///
  /// - Parameter values: the row before its deletion; nil if its entity preserves nothing.
  func delete(_ row: RowReference, _ values: RowSnapshot?) {
    add(2, Int(row.entity), row.key...row.key, nil)
    guard let values else { return }
    for (place, column) in history.preserved(Int(row.entity)).enumerated() {
      var bytes: [UInt8] = []
      let property = column.property
      if property.word < 0 || values.isNull(slot: property.slot) { continue }
      bytes.append(values, form: property.form, slot: property.slot, word: property.word)
      // Drops the length in front of the value.
      tombstones[place][types.count - 1] = Array(bytes.dropFirst(4))
    }
  }

  /// Records the rows whose derived attributes a trigger has changed, except rows that are recorded already.
  func updateDerived(_ rows: [RowSnapshot]) {
    let runs = inserted.mapValues { $0.sorted { $0.lowerBound < $1.lowerBound } }
    for row in rows where !updated.contains(row.reference) && !isInserted(row.key, runs[row.entity] ?? []) {
      var derived = SlotMask()
      for property in history.schema.layouts[row.entity].slots
      where property.description is NSDerivedAttributeDescription { derived.insert(property.slot) }
      update(row.reference, derived)
    }
  }

  /// Whether one of the runs has the key. They are in order, and no two have a key in common.
  private func isInserted(_ key: Int64, _ runs: [ClosedRange<Int64>]) -> Bool {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].upperBound < key { low = middle + 1 } else { high = middle }
    }
    return low < runs.count && runs[low].contains(key)
  }

  private func add(_ type: Int64, _ entity: Int, _ keys: ClosedRange<Int64>, _ changed: [UInt8]?) {
    types.append(type)
    entities.append(Int64(history.schema.entity(at: entity).number))
    firsts.append(keys.lowerBound)
    lasts.append(keys.upperBound)
    columns.append(changed)
    for place in tombstones.indices { tombstones[place].append(nil) }
    count += Int64(keys.count)
  }

  /// Writes all changes. Other transactions with history wait from here until the commit.
  func finishTransaction() throws {
    if isEmpty { return }
    let portions = self.portions
    var parameters = Parameters()
    parameters.add(count)
    for text in texts { parameters.add(optional: text) }
    add(portions[0], to: &parameters)
    let rows = try connection.execute(history.insertText, parameters)
    guard rows.count == 1 else { throw history.damaged }
    transaction = rows.int(0, 0)
    var last = rows.int(0, 1) + changeCount(portions[0])
    for portion in portions.dropFirst() {
      var parameters = Parameters()
      parameters.add(last)
      parameters.add(transaction)
      add(portion, to: &parameters)
      try connection.execute(history.appendText, parameters)
      last += changeCount(portion)
    }
  }

  /// The elements in portions that one statement can take: what deletions preserve may be long.
  private var portions: [Range<Int>] {
    var found: [Range<Int>] = []
    var (start, bytes) = (0, 0)
    for place in types.indices {
      let values = tombstones.reduce(columns[place]?.count ?? 0) { $0 + ($1[place]?.count ?? 0) }
      if bytes + values > Parameters.limit, place > start {
        found.append(start..<place)
        (start, bytes) = (place, 0)
      }
      // The four keys have twelve bytes each.
      bytes += values + 48
    }
    return found + [start..<types.count]
  }

  private func changeCount(_ portion: Range<Int>) -> Int64 {
    portion.reduce(0) { $0 + lasts[$1] - firsts[$1] + 1 }
  }

  /// Adds the arrays of a portion.
  private func add(_ portion: Range<Int>, to parameters: inout Parameters) {
    for keys in [types, entities, firsts, lasts] { parameters.add(keys: Array(keys[portion])) }
    for values in [columns] + tombstones {
      parameters.addArray(of: .bytes, count: portion.count) { bytes in
        for value in values[portion] { if let value { bytes.append(counted: value) } else { bytes.appendNull() } }
      }
    }
  }
}
