/// The child contexts of a context. Any thread.
final class ChildList: @unchecked Sendable {
  // `@unchecked Sendable`: the list is only touched under `lock`.
  private let lock = NSLock()
  private var children = WeakList<NSManagedObjectContext>()

  func add(_ child: NSManagedObjectContext) { _ = lock.withLock { children.append(child) } }

  /// The children that are alive.
  var contexts: [NSManagedObjectContext] { lock.withLock { children.elements } }

  var isEmpty: Bool { contexts.isEmpty }
}
