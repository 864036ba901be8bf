/// The child contexts of a context. Any thread.
final class ChildList: @unchecked Sendable {
  // `@unchecked Sendable`: the list is only touched under `lock`.
  private let lock = NSLock()
  // Unchecked, as the count of `write1` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var children = WeakList<NSManagedObjectContext>()

  func add(_ child: NSManagedObjectContext) { _ = lock.withLock { children.append(child) } }

  /// The children that are alive.
  var contexts: [NSManagedObjectContext] { lock.withLock { children.elements } }

  var isEmpty: Bool { lock.withLock { children.isBare } || contexts.isEmpty }
}
