extension LayoutProperty {
  /// Whether files have a place for the property. A composite attribute has none; its elements have.
  var isStoredByItself: Bool { !isTransient && kind != .fetched && kind != .composite && kind != .undefined }
}

/// The rows of a store, with their numbers in the file. All entities share one sequence of numbers.
///
/// A row's number is its key. Two rows can have the same key only if they come from a store of another type. All but
/// one of them get a new number, which becomes their key when the file is read again.
struct AtomicRows {
  let state: MemoryRows
  /// The rows, sorted by number.
  private(set) var sorted = ContiguousArray<RowSnapshot>()
  /// The numbers that differ from the keys, by root entity and key.
  private var moved: [RowReference: Int64]

  /// - Parameters:
  ///   - moved: the new numbers that earlier saves have given out; this one adds its own.
  ///   - lastKey: the last number given out; raised for each new number.
  init(_ state: MemoryRows, moved: inout [RowReference: Int64], lastKey: inout Int64) {
    self.state = state
    self.moved = [:]
    sorted.reserveCapacity(state.tables.reduce(0) { $0 + $1.count })
    for table in state.tables { for key in table.keys { if let row = table[key] { sorted.append(row) } } }
    sorted.sort { ($0.key, $0.entity) < ($1.key, $1.entity) }
    var former: Int64 = 0
    for row in sorted {
      let root = self.root(row.reference)
      if moved[root] == nil, row.key == former {
        lastKey += 1
        moved[root] = lastKey
      }
      if moved[root] == nil { former = row.key }
    }
    if moved.isEmpty { return }
    self.moved = moved
    let numbered = sorted.map { (number: number(of: $0.reference), row: $0) }
    sorted = ContiguousArray(numbered.sorted(on: \.number).map(\.row))
  }

  private func root(_ reference: RowReference) -> RowReference {
    RowReference(entity: state.layouts[Int(reference.entity)].rootIndex, key: reference.key)
  }

  func number(of row: RowReference) -> Int64 {
    moved.isEmpty ? row.key : moved[root(row)] ?? row.key
  }

  /// The existing destinations of a relationship, in order if it is ordered.
  func destinations(of property: LayoutProperty, _ row: RowSnapshot) -> [RowReference] {
    guard property.kind == .toOne else { return state.members(of: property, owner: row.reference) }
    return row.destination(property).flatMap(state.row).map { [$0.reference] } ?? []
  }
}
