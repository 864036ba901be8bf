/// The objects that relationships led to last, which are kept alive, so that a loop over `book.author.name` reads each
/// author once, though no book keeps its author alive. The oldest gives way first. A mark says which objects are here,
/// so that none is here twice.
///
/// How many there are follows the context: a loop over many books meets many authors, and what is kept is little beside
/// the books.
struct RecentDestinations {
  private var objects = ContiguousArray<NSManagedObject>()
  /// The oldest, once the limit is reached.
  private var position = 0
  private var limit = RecentDestinations.leastLimit

  private static let leastLimit = 1024
  /// An eighth of the context's objects may be kept for this reason only.
  private static let share = 8

  // Inlined by force, as the count of `fire` asks for; see CONTRIBUTING.md.
  /// - Parameter objectCount: how many objects the context has. Asked once in a round.
  @inline(__always)
  mutating func note(_ object: NSManagedObject, objectCount: @autoclosure () -> Int) {
    if !object.state.contains(.recent) { add(object, objectCount()) }
  }

  private mutating func add(_ object: NSManagedObject, _ objectCount: @autoclosure () -> Int) {
    if objects.count >= limit, position == 0 {
      limit = max(RecentDestinations.leastLimit, objectCount() / RecentDestinations.share)
      if objects.count > limit { forget(objects.count - limit) }
    }
    object.setRecent(true)
    if objects.count < limit { return objects.append(object) }
    objects[position].setRecent(false)
    objects[position] = object
    position = (position + 1) % objects.count
  }

  private mutating func forget(_ count: Int) {
    for object in objects[..<count] { object.setRecent(false) }
    objects.removeFirst(count)
  }

  mutating func removeAll() {
    forget(objects.count)
    self = RecentDestinations()
  }
}
