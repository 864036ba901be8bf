/// The states of an object's to-many relationships and, once one was asked for, of its fetched properties, by their
/// index. The first is kept in place, since most entities have no more than one such relationship.
struct ToManyStates: RandomAccessCollection, MutableCollection {
  private var first: ToManyState?
  private var others: ContiguousArray<ToManyState?> = []
  private(set) var count = 0

  init() {}

  /// Places for so many states, all empty.
  init(count: Int) { grow(to: count) }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> ToManyState? {
    @inline(__always) get { index == 0 ? first : others[index - 1] }
    set { if index == 0 { first = newValue } else { others[index - 1] = newValue } }
  }

  /// Adds places, without states, until there are so many.
  mutating func grow(to count: Int) {
    if count <= self.count { return }
    others += repeatElement(nil, count: count - 1 - others.count)
    self.count = count
  }
}
