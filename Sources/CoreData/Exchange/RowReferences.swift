/// The rows that a fetch found, in order, by entity and key.
///
/// Nearly always all of them are of one entity, and a row takes the eight bytes of its key. The memory grows where it
/// lies: an array would copy what it has into memory that the process touches for the first time, and for a hundred
/// thousand faults that costs as much as a third of the objects themselves.
///
/// The code that makes a list fills it before others have it; from then on any thread may read it.
package final class RowReferences: RandomAccessCollection, @unchecked Sendable {
  // `@unchecked Sendable`: immutable, once it is filled.

  // Unchecked, as the count of `faults` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var keys: UnsafeMutablePointer<Int64>?
  @exclusivity(unchecked) private var capacity = 0
  @exclusivity(unchecked) package private(set) var count = 0
  /// The entity of all rows; -1 for none.
  @exclusivity(unchecked) private var entity: Int32 = -1
  /// The entity of each row, once they are of several.
  @exclusivity(unchecked) private var entities: ContiguousArray<Int32> = []

  package init() {}

  package init(_ references: some Sequence<RowReference>) {
    for reference in references { append(reference.key, entity: Int(reference.entity)) }
  }

  deinit { free(keys) }

  package func append(_ key: Int64, entity: Int) {
    if count == capacity { grow() }
    keys![count] = key
    let entity = Int32(truncatingIfNeeded: entity)
    if entity != self.entity || !entities.isEmpty { note(entity) }
    count += 1
  }

  /// The entity of the row that comes next.
  private func note(_ entity: Int32) {
    if count == 0 {
      self.entity = entity
    } else {
      if entities.isEmpty { entities = ContiguousArray(repeating: self.entity, count: count) }
      entities.append(entity)
    }
  }

  private func grow() {
    capacity = Swift.max(capacity * 2, 16)
    guard let larger = realloc(keys, capacity * MemoryLayout<Int64>.stride) else {
      fatalError("There is no memory for the keys of \(count) rows and more.")
    }
    keys = larger.bindMemory(to: Int64.self, capacity: capacity)
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(position: Int) -> RowReference {
    precondition(position >= 0 && position < count)
    return RowReference(entity: entity(at: position), key: keys![position])
  }

  private func entity(at position: Int) -> Int { Int(entities.isEmpty ? entity : entities[position]) }

  /// Calls `body` with the keys of each run of rows of one entity.
  func forEachRun(_ body: (_ entity: Int, _ keys: UnsafeBufferPointer<Int64>) throws -> Void) rethrows {
    var start = 0
    while start < count {
      var end = entities.isEmpty ? count : start + 1
      while end < count, entities[end] == entities[start] { end += 1 }
      try body(entity(at: start), UnsafeBufferPointer(start: keys! + start, count: end - start))
      start = end
    }
  }
}
