/// Objects that are told of something for as long as somebody else keeps them; to be used under its owner's lock.
///
/// Whoever looks at a weak reference holds the object for a moment, and may be the last to do so: then the object's
/// `deinit` runs right there, and if it takes itself off this list, it meets the lock, or the list in the middle of a
/// change. So what looks at references hands the objects out, and the owner lets go of them after the lock:
///
///     _ = lock.withLock { list.append(context) }
struct WeakList<Element: AnyObject> {
  private struct Entry {
    let identifier: ObjectIdentifier
    weak var element: Element?
  }

  private var entries: [Entry] = []

  /// Takes one more, and drops those that are gone.
  ///
  /// - Returns: All that are alive; let go of them outside of the lock.
  mutating func append(_ element: Element) -> [Element] {
    let living = elements
    let identifiers = Set(living.map { ObjectIdentifier($0) })
    entries.removeAll { !identifiers.contains($0.identifier) }
    entries.append(Entry(identifier: ObjectIdentifier(element), element: element))
    return living
  }

  /// Looks at no reference: an object may call it from its `deinit`.
  mutating func remove(_ identifier: ObjectIdentifier) { entries.removeAll { $0.identifier == identifier } }

  /// All that are alive, in the order in which they came; let go of them outside of the lock.
  var elements: [Element] { elements(but: nil) }

  /// The same without one of them, which is not looked at.
  func elements(but one: ObjectIdentifier?) -> [Element] {
    var living: [Element] = []
    for index in entries.indices where entries[index].identifier != one {
      if let element = entries[index].element { living.append(element) }
    }
    return living
  }
}
