import Foundation

/// The pairs of a source row and the row that one entity mapping has made from it, in the order in which they were
/// recorded. Only keys and numbers are kept.
///
/// A source may occur several times, and so may a destination. A class, so that asking one of many copies no lists.
final class Associations {
  private var sources = RowList()
  private var destinations = RowList()

  var count: Int { sources.count }

  func append(source: RowReference, destination: RowReference, _ roots: Roots) {
    sources.append(source, root: roots.source(source.entity))
    destinations.append(destination, root: roots.destination(destination.entity))
  }

  func destinations(of source: RowReference, _ roots: Roots) -> [RowReference] {
    sources.positions(of: source, root: roots.source(source.entity)).map { destinations[$0] }
  }

  func sources(of destination: RowReference, _ roots: Roots) -> [RowReference] {
    destinations.positions(of: destination, root: roots.destination(destination.entity)).map { sources[$0] }
  }

  /// All sources, each once, in the order in which they first occur; `allDestinations` is the same for destinations.
  var allSources: [RowReference] { sources.distinct }
  var allDestinations: [RowReference] { destinations.distinct }

  /// Forgets the pairs of deleted objects.
  func remove(destinations gone: Set<RowReference>, _ roots: Roots) {
    let rest = Associations()
    for index in 0..<count where !gone.contains(destinations[index]) {
      rest.append(source: sources[index], destination: destinations[index], roots)
    }
    (sources, destinations) = (rest.sources, rest.destinations)
  }

  /// The root of each entity in both models. Keys are unique within a root.
  struct Roots {
    private let sources: [Int32]
    private let destinations: [Int32]

    init(_ source: ModelLayouts, _ destination: ModelLayouts) {
      sources = source.layouts.map { Int32($0.rootIndex) }
      destinations = destination.layouts.map { Int32($0.rootIndex) }
    }

    func source(_ entity: Int32) -> Int32 { sources[Int(entity)] }
    func destination(_ entity: Int32) -> Int32 { destinations[Int(entity)] }
  }
}

/// A list of rows that finds the positions of a row. While the keys ascend, as they nearly always do, it searches the
/// list itself; otherwise it makes an index.
struct RowList {
  private var keys: [Int64] = []
  private var entities: [Int32] = []
  private var roots: [Int32] = []
  private var isAscending = true
  /// The last position of each row, once the keys don't ascend. `previous` has, for each position, the position before
  /// it of the same row, or -1.
  private var last: [Place: Int32] = [:]
  private var previous: [Int32] = []

  private struct Place: Hashable {
    let root: Int32
    let key: Int64

    static func <= (left: Place, right: Place) -> Bool {
      left.root != right.root ? left.root < right.root : left.key <= right.key
    }
  }

  var count: Int { keys.count }

  subscript(_ position: Int) -> RowReference {
    RowReference(entity: Int(entities[position]), key: keys[position])
  }

  private func place(_ position: Int) -> Place { Place(root: roots[position], key: keys[position]) }

  mutating func append(_ row: RowReference, root: Int32) {
    let place = Place(root: root, key: row.key)
    if isAscending, count > 0, !(self.place(count - 1) <= place) { makeIndex() }
    if !isAscending { indexPosition(place, count) }
    keys.append(row.key)
    entities.append(row.entity)
    roots.append(root)
  }

  private mutating func makeIndex() {
    isAscending = false
    for position in 0..<count { indexPosition(place(position), position) }
  }

  private mutating func indexPosition(_ place: Place, _ position: Int) {
    previous.append(last.updateValue(Int32(position), forKey: place) ?? -1)
  }

  /// The positions of a row, in order.
  func positions(of row: RowReference, root: Int32) -> [Int] {
    let wanted = Place(root: root, key: row.key)
    var found: [Int] = []
    if isAscending {
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if wanted <= place(middle) { high = middle } else { low = middle + 1 }
      }
      while low < count, place(low) == wanted {
        found.append(low)
        low += 1
      }
      return found
    }
    var position = last[wanted] ?? -1
    while position >= 0 {
      found.append(Int(position))
      position = previous[Int(position)]
    }
    return found.reversed()
  }

  var distinct: [RowReference] {
    var rows: [RowReference] = []
    rows.reserveCapacity(count)
    if isAscending {
      for position in 0..<count where position == 0 || place(position - 1) != place(position) {
        rows.append(self[position])
      }
    } else {
      for position in 0..<count where previous[position] < 0 { rows.append(self[position]) }
    }
    return rows
  }
}
