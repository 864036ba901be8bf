/// The permanent ids of objects that once had temporary ones, which the program or a child context has seen.
///
/// A child learns those that came since it asked last, so they are in order as well.
struct FormerKeys {
  typealias Named = (reference: RowReference, store: UInt16)

  private var named: [Int64: Named] = [:]
  private var order: ContiguousArray<Int64> = []

  var isEmpty: Bool { named.isEmpty }
  /// Grows with each key, and never shrinks.
  var count: Int { order.count }

  subscript(key: Int64) -> Named? { named[key] }

  /// What an object is called now: by its permanent id, if these are of its temporary one.
  func present(_ reference: RowReference, store: UInt16) -> Named { named[reference.key] ?? (reference, store) }

  mutating func add(_ key: Int64, _ reference: RowReference, store: UInt16) {
    named[key] = (reference, store)
    order.append(key)
  }

  /// The object has its temporary key again.
  mutating func remove(_ key: Int64) { named[key] = nil }

  /// The temporary keys that came after so many.
  func keys(after count: Int) -> ArraySlice<Int64> { order.dropFirst(count) }
}
