/// A list of observers that it does not keep alive. Use it under its owner's lock.
///
/// Reading a reference retains the object for a moment. If that becomes the last reference, the object's `deinit`
/// runs right there; if it removes itself from this list, it meets the lock, or the list in the middle of a change. So
/// methods that read references return the objects, and the owner releases them after the lock:
///
///     _ = lock.withLock { list.append(context) }
struct WeakList<Element: AnyObject> {
  private final class Entry {
    let identifier: ObjectIdentifier
    let reference: LivingReference<Element>

    init(_ element: Element) {
      identifier = ObjectIdentifier(element)
      reference = LivingReference(element)
    }
  }

  private var entries: [Entry] = []

  /// Whether nothing was added that is not removed since. Objects that are gone may still be counted.
  var isBare: Bool { entries.isEmpty }

  /// Adds an object, and drops those that are gone.
  ///
  /// - Returns: All objects that are alive. Release them outside of the lock.
  mutating func append(_ element: Element) -> [Element] {
    let living = elements
    let identifiers = Set(living.map { ObjectIdentifier($0) })
    entries.removeAll { !identifiers.contains($0.identifier) }
    entries.append(Entry(element))
    return living
  }

  /// Reads no reference, so an object may call it from its `deinit`.
  mutating func remove(_ identifier: ObjectIdentifier) { entries.removeAll { $0.identifier == identifier } }

  /// All objects that are alive, in the order in which they were added. Release them outside of the lock.
  var elements: [Element] { elements(but: nil) }

  /// All objects that are alive, except one, whose reference is not read.
  func elements(but one: ObjectIdentifier?) -> [Element] {
    var living: [Element] = []
    for index in entries.indices where entries[index].identifier != one {
      if let element = entries[index].reference.object { living.append(element) }
    }
    return living
  }
}
